#!/usr/bin/env bash
# Installs a list of packages in .venv. Usage: envs/pip.sh LIST.txt
set -euo pipefail
cd "$(dirname "$0")/.."

quiet=--quiet
if [ -t 1 ]; then quiet=--progress-bar=on; fi
.venv/bin/python -m pip install "$quiet" --disable-pip-version-check --requirement "$1"
