#!/usr/bin/env bash
# Unpacks Debian packages in envs/.cache: no root needed, and nothing else on this machine is changed.
# Usage: envs/debian.sh [--release RELEASE] [--into FOLDER] [--needed] PACKAGE...
#   --release  take them from this release of Debian, such as bullseye, instead of apt's own sources
#   --into     the folder in envs/.cache (default: debian)
#   --needed   and whatever they depend on that this machine lacks
# Exit code 1, with the reason, where there is no apt or no package: what they are for is optional.
set -euo pipefail
cd "$(dirname "$0")/.."

release=""
into=debian
needed=""
while [[ "${1-}" == --* ]]; do
    case $1 in
        --release) release=$2 && shift ;;
        --into) into=$2 && shift ;;
        --needed) needed=yes ;;
        *) echo "unknown option $1" >&2 && exit 2 ;;
    esac
    shift
done
cache=$PWD/envs/.cache
prefix=$cache/$into
apt=$cache/apt-$into

for tool in apt-get dpkg-deb; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not on this machine" >&2
        exit 1
    fi
done
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$prefix"

# Apt's ordinary client, with state folders of our own. Apt checks the signature of the lists and the checksum of
# each package.
own=(
    -o "Dir::State::lists=$apt/lists"
    -o "Dir::Cache=$apt"
    -o "Acquire::Retries=2"
    -o "Acquire::http::Timeout=20"
    -o "Acquire::https::Timeout=20"
    -o "APT::Sandbox::User=$(id -un)"
)
if [ -n "$release" ]; then
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    if [ ! -r "$keyring" ]; then
        echo "$keyring is not on this machine (package debian-archive-keyring)" >&2
        exit 1
    fi
    echo "deb [signed-by=$keyring] http://deb.debian.org/debian $release main" >"$apt/sources.list"
    # An empty status, or apt would look for the versions that this machine has installed.
    : >"$apt/status"
    own+=(
        -o "Dir::Etc::sourcelist=$apt/sources.list"
        -o "Dir::Etc::sourceparts=-"
        -o "Dir::State::status=$apt/status"
    )
fi
apt-get "${own[@]}" update -qq
cd "$apt/archives"
if [ -n "$needed" ]; then
    # Nothing is installed: without root there is no lock to take either.
    apt-get "${own[@]}" -o Debug::NoLocking=1 install --download-only --no-install-recommends --yes -qq "$@" >/dev/null
else
    apt-get "${own[@]}" download -qq "$@"
fi
for archive in *.deb; do
    dpkg-deb --extract "$archive" "$prefix"
    rm -f "$archive"
done
rm -rf "$apt"
