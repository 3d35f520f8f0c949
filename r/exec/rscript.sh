#!/bin/sh
# Starts Rscript so that R and Python get along: `sh r/exec/rscript.sh RSCRIPT PYTHON FILE [ARGUMENT]...`
rscript=$1
python=$2
shift 2

# An R_HOME of another R would only make this one complain.
unset R_HOME
# R puts folders of libraries first for itself and for its child processes. With Debian's among them, a Python that is
# not Debian's would find Debian's libpython. R needs its own folder alone.
R_LD_LIBRARY_PATH=$("$(dirname "$rscript")/R" RHOME)/lib
ROSETTA_R=$(cd "$(dirname "$0")/.." && pwd)
ROSETTA_PYTHON=$python
export R_LD_LIBRARY_PATH ROSETTA_R ROSETTA_PYTHON

# Paths may hold letters that a plain locale cannot spell.
case ${LC_ALL:-${LC_CTYPE:-$LANG}} in
    *UTF-8* | *utf8*) ;;
    *) export LC_ALL=C.UTF-8 ;;
esac

# No start-up file may change what is measured. The files that name variables stay, for they say where packages are.
exec "$rscript" --no-init-file --no-site-file --no-save --no-restore "$@"
