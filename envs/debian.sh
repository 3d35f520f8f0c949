#!/usr/bin/env bash
# Unpacks Debian packages in envs/.cache/debian: no root needed, and nothing else on this machine is changed.
# Usage: envs/debian.sh PACKAGE...
# Exit code 1, with the reason, where there is no apt or no package: what they are for is optional.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$PWD/envs/.cache
prefix=$cache/debian
apt=$cache/apt

for tool in apt-get dpkg-deb; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not on this machine" >&2
        exit 1
    fi
done
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$prefix"

# Apt's ordinary client and sources, with state folders of our own. Apt checks the signature of the lists and
# the checksum of each package.
own=(
    -o "Dir::State::lists=$apt/lists"
    -o "Dir::Cache=$apt"
    -o "Acquire::Retries=2"
    -o "Acquire::http::Timeout=20"
    -o "Acquire::https::Timeout=20"
    -o "APT::Sandbox::User=$(id -un)"
)
apt-get "${own[@]}" update -qq
cd "$apt/archives"
apt-get "${own[@]}" download -qq "$@"
for package in "$@"; do
    dpkg-deb --extract "$package"_*.deb "$prefix"
    rm -f "$package"_*.deb
done
rm -rf "$apt"
