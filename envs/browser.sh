#!/usr/bin/env bash
# Finds a Chromium or gets one into envs/.cache/browser, for the report's tests: no root needed, and nothing else on this
# machine is changed. In this order: the user's own, Debian's, Playwright's.
# Exit code 1, with the reason, where none can be had: it is optional.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$PWD/envs/.cache/browser

for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
        echo "Using $(command -v "$name")"
        exit 0
    fi
done

# A command that starts the program $1 with the libraries and letters that are unpacked beside it.
write_command() {
    local prefix=$cache/debian
    cat >"$cache/chromium" <<END
#!/bin/sh
export LD_LIBRARY_PATH="$(echo "$prefix"/usr/lib/*-linux-gnu | tr ' ' ':'):$(echo "$prefix"/usr/lib/*-linux-gnu/pulseaudio | tr ' ' ':')"
export XDG_DATA_HOME="$prefix/usr/share"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="$prefix/etc/fonts"
exec "$1" "\$@"
END
    chmod +x "$cache/chromium"
    "$cache/chromium" --version
}

mkdir -p "$cache"
if envs/debian.sh --into browser/debian --needed chromium fonts-dejavu-core &&
    write_command "$cache/debian/usr/lib/chromium/chromium" 2>/dev/null; then
    exit 0
fi
rm -rf "$cache/debian" "$cache/chromium"
echo "Debian's Chromium cannot be had: trying Playwright's"
if ! PLAYWRIGHT_BROWSERS_PATH=$cache .venv/bin/python -m playwright install chromium-headless-shell >/dev/null 2>&1; then
    echo "Playwright's cannot be downloaded either" >&2
    exit 1
fi
write_command "$(echo "$cache"/chromium_headless_shell-*/*/*headless*shell)"
