#!/usr/bin/env bash
# Makes .venv, with a Python that fits. Usage: envs/python.sh [PYTHON]
set -euo pipefail
cd "$(dirname "$0")/.."

fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }

chosen=""
for candidate in ${1:-python3 python3.13 python3.12 python3.11}; do
    if fits "$candidate"; then
        chosen=$candidate
        break
    fi
done
if [ -z "$chosen" ]; then
    echo "error: no Python 3.11 to 3.13 was found (tried ${1:-python3, python3.13, python3.12, python3.11})." >&2
    echo "Install one (Debian: apt-get install python3 python3-venv) or name it: make PYTHON=/path/to/python3 setup" >&2
    exit 1
fi

echo "Making .venv with $("$chosen" --version) ($(command -v "$chosen"))"
if ! "$chosen" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "This Python lacks its venv module: installing python3-venv"
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
    else
        echo "error: $chosen lacks its venv module. Install it (Debian: sudo apt-get install python3-venv) and try again." >&2
        exit 1
    fi
fi
# --clear: an interrupted start leaves half an environment. The mark says that it is ours to clear.
mark=envs/.cache/made-venv
if [ -e .venv ] && [ ! -e "$mark" ]; then
    echo "error: there is a .venv here that this set-up did not make. Move it away and try again." >&2
    exit 1
fi
mkdir -p "${mark%/*}"
touch "$mark"
"$chosen" -m venv --clear .venv
