#!/usr/bin/env bash
# Finds R with the packages that its rows need; as root on Debian, installs what is missing there. rpy2 goes into
# envs/.cache. See docs/r.md. Usage: envs/r.sh [dev], where dev adds what the tests and the linter need.
# Exit code 1, with what is missing and the commands that mend it: R is optional.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$PWD/envs/.cache
python=.venv/bin/python
packages=(jsonlite reticulate)
if [ "${1-}" = dev ]; then packages+=(testthat lintr); fi

find_r() {
    local candidate
    for candidate in "${ROSETTA_RSCRIPT-}" Rscript; do
        if [ -n "$candidate" ] && command -v "$candidate"; then return; fi
    done
    return 1
}

# Prints those of the packages that the R beside Rscript $1 lacks, or has too old.
missing() {
    env -u R_HOME "$1" --no-init-file --no-site-file - "${packages[@]}" <<'END'
oldest <- c(reticulate = "1.28", jsonlite = "1.7", testthat = "3.1", lintr = "3.0")
fits <- function(name) nzchar(system.file(package = name)) && utils::packageVersion(name) >= oldest[[name]]
cat(Filter(Negate(fits), commandArgs(trailingOnly = TRUE)))
END
}

is_debian_s() { dpkg-query --search "$(readlink -f "$1")" >/dev/null 2>&1; }

# Debian's packages of the names given, and R itself. An installation that was interrupted is completed first.
install_debian() {
    local mark=$cache/apt-get-works
    export DEBIAN_FRONTEND=noninteractive
    if [ -e "$mark" ]; then dpkg --configure -a; fi
    mkdir -p "$cache"
    touch "$mark"
    apt-get update -qq || true
    apt-get install -y -qq --no-install-recommends --no-remove r-base-core "${@/#/r-cran-}" >/dev/null || return 1
    rm "$mark"
}

tell_how() {
    cat >&2 <<END
Missing: $1. One of these commands installs it:
  Debian, Ubuntu  sudo apt-get install --no-install-recommends r-base-core$2
  conda           conda install -c conda-forge r-base $(printf 'r-%s ' "${packages[@]}")r-keras3
  CRAN            Rscript -e 'install.packages(c($(printf '"%s", ' "${packages[@]}")"keras3"))'
Then run envs/r.sh again.
END
}

# rpy2's interface to R, the one that fits it (r/bridge/bridge.py), in its own place. Without compiled code of its own it
# needs no compiler.
get_rpy2() {
    local folder list
    folder=$(PYTHONPATH=r/bridge "$python" -c 'import bridge, sys; print(bridge.ask(sys.argv[1]).rpy2)' "$1")
    if [ -d "$folder" ]; then return; fi
    case $folder in
        */old-*) list='rpy2-rinterface==3.6.5' ;;
        *) list='rpy2-rinterface>=3.6.6,<4' ;;
    esac
    rm -rf "$folder.partial"
    RPY2_CFFI_MODE=ABI PATH="$(dirname "$1"):$PATH" "$python" -m pip install --quiet --disable-pip-version-check \
        --target "$folder.partial" "$list"
    mv "$folder.partial" "$folder"
}

rscript=$(find_r) || rscript=""
lacks="R"
if [ -n "$rscript" ]; then lacks=$(missing "$rscript"); fi
if [ -n "$lacks" ] && { [ -z "$rscript" ] || is_debian_s "$rscript"; } && [ "$(id -u)" = 0 ] &&
    command -v apt-get >/dev/null; then
    echo "Installing from Debian: ${lacks/#R/R, ${packages[*]}}"
    if install_debian "${packages[@]}" && rscript=$(find_r); then lacks=$(missing "$rscript"); fi
fi
if [ -n "$lacks" ]; then
    tell_how "$lacks" "$(printf ' r-cran-%s' "${packages[@]}")"
    exit 1
fi
echo "Using $("$rscript" --version 2>&1) ($rscript)"
if [ ! -e "$("$(dirname "$rscript")/R" RHOME)/lib/libR.so" ]; then
    echo "This R has no shared library (R_HOME/lib/libR.so): its rows run natively only, by Rscript" >&2
    exit
fi
get_rpy2 "$rscript" || echo "rpy2 was not installed: R's rows run natively only" >&2
