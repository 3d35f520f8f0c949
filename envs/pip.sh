#!/usr/bin/env bash
# Installs a list of packages in .venv. Usage: envs/pip.sh LIST.txt [each]
# With `each`, what cannot be installed together is tried one by one, and what fails is only named.
set -euo pipefail
cd "$(dirname "$0")/.."

quiet=--quiet
if [ -t 1 ]; then quiet=--progress-bar=on; fi
install() { .venv/bin/python -m pip install "$quiet" --disable-pip-version-check "$@"; }

if install --requirement "$1"; then
    exit 0
elif [ "${2:-}" != each ]; then
    exit 1
fi
echo "These packages could not be installed together: trying one by one"
grep -v '^ *\(#\|$\)' "$1" | while read -r package; do
    install "$package" || echo "Not installed: $package"
done
