"""The plan of a workflow: which rows there are, and the settings that each step of the Snakefile depends on.

A step's settings are one JSON string, the only parameter of its rule: when it changes, Snakemake runs the step again.
"""

import contextlib
import json
import math
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rosetta import config as configuration
from rosetta import toolchains
from rosetta.errors import RosettaError
from rosetta.languages import Framework, Language, Row, discover, rows
from rosetta.machine import has_gpu, physical_cores
from rosetta.models import MODELS
from rosetta.sources import fingerprint, installed_sets

# A step's format, to be raised when what it writes changes its meaning: then older files are made again.
FORMATS = {"prepare": 1, "weights": 1, "batches": 1, "reference": 3, "run": 2, "table": 1}

RETRIED = ("failed", "unavailable")
TABLE_SETTINGS = "results/settings.json"


class Plan:
    """What the Snakefile asks of the runner; paths are relative to the project folder `root`."""

    def __init__(self, root: Path, config: dict[str, Any], probe: bool = True) -> None:
        """Check the settings, discover the languages and, unless the steps bring their own environments, probe them.

        Raises:
            RosettaError: the settings or a language.yaml are wrong.
        """
        self.root = root
        self.config = configuration.checked(config)
        self.languages = discover(root)
        self.rows = rows(self.languages, self.config["only"])
        self.models = [name for name in MODELS if any(row.model == name for row in self.rows)]
        self._data_dir = self._given_data_dir()
        self._found = self._probe() if probe else {}

    def runs(self) -> list[str]:
        """The files of all runs of all rows."""
        return [run_file(row, run) for row in self.rows for run in range(1, self.config["runs"] + 1)]

    def trains(self, model: str) -> bool:
        return MODELS[model].trains

    def row_trains(self, row: Row) -> bool:
        """Whether a row trains: its model is trained, and its framework can do that."""
        _, framework = self._declared(row)
        return self.trains(row.model) and framework.trains

    def sources(self, row: Row) -> list[str]:
        """The files whose change re-runs a row."""
        language, framework = self._declared(row)
        paths = [language.source(framework, row.model), *language.shared_sources(framework)]
        return [str(path.relative_to(self.root)) for path in paths]

    def conda(self, row: Row) -> str | None:
        """The conda environment of a row, absolute; None where it names none."""
        _, framework = self._declared(row)
        return str((self.root / framework.conda).resolve()) if framework.conda else None

    def report_files(self) -> list[str]:
        """What the report shows or is made with, beside the tables: a change makes it anew."""
        own = [path for path in (self.root / "python/rosetta/report").rglob("*.*") if path.suffix != ".pyc"]
        sources = {source for row in self.rows for source in self.sources(row)}
        return [
            "docs/terms.yaml",
            *self.language_files(),
            *sorted({*sources, *(str(path.relative_to(self.root)) for path in own)}),
        ]

    def language_files(self) -> list[str]:
        return [str((language.folder / "language.yaml").relative_to(self.root)) for language in self.languages.values()]

    # Settings of the steps

    def prepare(self, model: str) -> str:
        """Where the data may come from: changes when the user's files do, or the packages that ship data."""
        return _token(
            "prepare",
            data_dir=self._data_dir,
            files=fingerprint(Path(self._data_dir)) if self._data_dir else None,
            packages=installed_sets(),
            download=self.config["download"],
            seed=self.config["seed"],
            photos=self.config["models"][model].get("photos"),
            generation=self._made_again(f"{model}.json"),
        )

    def weights(self, model: str) -> str:
        published = model == "resnet50"
        return _token(
            "weights",
            data_dir=self._data_dir if published else None,
            download=self.config["download"] and published,
            seed=self.config["seed"],
            generation=self._made_again(f"weights/{model}.json"),
        )

    def batches(self, model: str) -> str:
        own = self.config["models"][model]
        return _token(
            "batches",
            seed=self.config["seed"],
            epochs=own["epochs"],
            batch_size=MODELS[model].hyperparameters["batch_size"],
            train_examples=own["train_examples"],
            test_examples=own["test_examples"],
            generation=self._made_again(f"batches/{model}.json"),
        )

    def reference(self, model: str) -> str:
        return _token(
            "reference",
            model=asdict(MODELS[model]),
            seed=self.config["seed"],
            generation=self._made_again(f"reference/{model}.json"),
        )

    def run(self, row: Row, run: int) -> str:
        """What a run does, what is installed for it, and how often it was asked for again."""
        language, framework = self._declared(row)
        found = self._found.get((row.language, row.framework))
        device = self.device(framework)
        return _token(
            "run",
            row=asdict(row),
            run=run,
            hyperparameters=MODELS[row.model].hyperparameters,
            device=device,
            or_cpu=device == "cuda" and self.config["device"] == "auto",
            precision=self.config["precision"],
            compile=self.config["compile"],
            evaluate=self.config["evaluate"] and self.row_trains(row),
            threads=self.threads(),
            seed=self.config["seed"] + run,
            test_examples=self.config["models"][row.model].get("test_examples"),
            command=language.bridges[row.bridge],
            environment=framework.environment,
            found=asdict(replace(found, passed_over=())) if found else None,
            generation=self._generation(row, run),
        )

    def table(self) -> str:
        """The settings, and how often the table had to be made again because records of its rows were gone.

        Snakemake makes a missing record again only if something that needs it is made again too.
        """
        generation = 0
        with contextlib.suppress(OSError, ValueError, KeyError):
            generation = json.loads((self.root / TABLE_SETTINGS).read_text(encoding="utf-8"))["generation"]
        missing = any(not (self.root / path).exists() for path in self.runs())
        again = missing and (self.root / TABLE_SETTINGS).exists()
        return _token("table", config={**self.config, "retry": "none", "limits": None}, generation=generation + again)

    # Limits are resources, not parameters: changing one re-runs nothing

    def limit_s(self, name: str) -> int:
        """A limit of time in whole seconds: wall_s or exit_grace_s."""
        return math.ceil(self.config["limits"][name])

    def limit_mib(self) -> int:
        """The limit of memory in whole MiB."""
        return math.ceil(self.config["limits"]["memory_gib"] * 1024)

    def device(self, framework: Framework) -> str:
        """The device a framework's rows ask for."""
        asked: str = self.config["device"]
        if asked != "auto":
            return asked
        return "cuda" if "cuda" in framework.devices and has_gpu() else "cpu"

    def threads(self) -> int:
        asked = self.config["threads"]
        return physical_cores() if asked == "auto" else int(asked)

    def _declared(self, row: Row) -> tuple[Language, Framework]:
        language = self.languages[row.language]
        return language, language.frameworks[row.framework]

    def _probe(self) -> dict[tuple[str, str], toolchains.Toolchain]:
        found = {}
        for language in self.languages.values():
            names = {row.framework for row in self.rows if row.language == language.name}
            frameworks = [framework for name, framework in language.frameworks.items() if name in names]
            for name, toolchain in toolchains.find_all(language, frameworks).items():
                found[language.name, name] = toolchain
        return found

    def _given_data_dir(self) -> str | None:
        given = self.config["data_dir"] or os.environ.get("ROSETTA_DATA")
        if not given:
            return None
        # Relative to where the command was given, which the workflow has left by now.
        path = (Path(os.environ.get("PWD", "")) / Path(given).expanduser()).resolve()
        if not path.exists():
            named = "config: data_dir" if self.config["data_dir"] else "the environment variable ROSETTA_DATA"
            raise RosettaError(f"{named}: {path} is not there. Correct it, or leave it out.")
        return str(path)

    def _made_again(self, name: str) -> int:
        """How often a sheet was made again because a file that it names was gone, which Snakemake does not see."""
        sheet = self.root / "shared_data" / name
        try:
            written = json.loads(sheet.read_text(encoding="utf-8"))
            gone = any(not (sheet.parent / tensor["path"]).exists() for tensor in written["tensors"].values())
            return int(written["generation"]) + gone
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def _generation(self, row: Row, run: int) -> int:
        """How often the run was asked for again; one more if it did not succeed and `retry` is set."""
        try:
            last = json.loads((self.root / run_file(row, run)).read_text(encoding="utf-8"))
            generation = int(last["settings"]["generation"])
            again = self.config["retry"] == "failed" and last["status"] in RETRIED
        except (OSError, ValueError, KeyError, TypeError):
            return 0
        return generation + again


def put_own_python_first() -> None:
    """Let `python` in the steps' shells be this very interpreter."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def run_file(row: Row, run: int) -> str:
    """Where the run of a row is recorded, relative to the project folder."""
    return f"results/runs/{row}/{run}.json"


def _token(step: str, **settings: Any) -> str:
    return json.dumps({"format": FORMATS.get(step, 0), **settings}, sort_keys=True)
