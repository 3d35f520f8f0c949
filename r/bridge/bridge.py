"""Loads rpy2, and with it R, in this process: with its own settings and no start-up file of the user's."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[1]
CACHE = FOLDER.parent / "envs/.cache/rpy2"
# rpy2-rinterface 3.6.6 and later ask an R before 4.5 for functions that it does not have.
CURRENT_R = (4, 5)
CURRENT_RPY2 = (3, 6, 6)
OPTIONS = ("rpy2", "--quiet", "--no-save", "--no-restore", "--no-init-file", "--no-site-file")


@dataclass(frozen=True)
class R:
    """An R as it tells of itself.

    Attributes:
        home: its folder, R_HOME.
        version: such as 4.2.2.
    """

    home: Path
    version: str

    @property
    def is_current(self) -> bool:
        """Whether the newest rpy2 fits."""
        return numbers(self.version) >= CURRENT_R

    @property
    def rpy2(self) -> Path:
        """Where the set-up installs the rpy2 that fits this R and this Python."""
        return CACHE / f"{'current' if self.is_current else 'old'}-{sys.implementation.cache_tag}"

    @property
    def library(self) -> Path:
        """R as a shared library, which not every R brings."""
        return self.home / "lib/libR.so"


def ask(rscript: str) -> R:
    """Ask the R beside an Rscript where it is at home; its version stands there, so it need not be started.

    Raises:
        OSError, subprocess.CalledProcessError: there is no such R.
    """
    environment = {name: value for name, value in os.environ.items() if name != "R_HOME"}
    command = [str(Path(rscript).with_name("R")), "RHOME"]
    home = Path(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    lines = (home / "library/base/DESCRIPTION").read_text(encoding="utf-8").splitlines()
    return R(home, next(line.removeprefix("Version: ") for line in lines if line.startswith("Version: ")))


def environment(r: R) -> dict[str, str]:
    """The variables under which rpy2 starts R; an R_HOME of another R has no say."""
    language = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or ""
    # Paths may hold letters that a plain locale cannot spell.
    locale = {} if language.lower().replace("-", "").endswith("utf8") else {"LC_ALL": "C.UTF-8"}
    return {
        **locale,
        "R_HOME": str(r.home),
        # Else R's own start script, which rpy2 asks, puts folders of libraries first for child processes.
        "R_LD_LIBRARY_PATH": str(r.library.parent),
        # rpy2 starts another R, to ask it for its variables.
        "R_PROFILE": os.devnull,
        "R_PROFILE_USER": os.devnull,
        "ROSETTA_R": str(FOLDER),
        "ROSETTA_PYTHON": sys.executable,
    }


def find(r: R) -> ModuleType:
    """Import rpy2's interface to R: the one that the set-up has installed for this R, else this Python's own.

    Raises:
        ModuleNotFoundError: there is neither.
    """
    os.environ.update(environment(r))
    if r.rpy2.is_dir():
        sys.path.insert(0, str(r.rpy2))
        os.environ["RPY2_CFFI_MODE"] = "ABI"  # installed without compiled code, so that it needs no compiler
    # An R built from its sources brings its own BLAS, and its library does not say where it lies.
    for name in ("libRblas.so", "libRlapack.so"):
        if r.library.with_name(name).is_file():
            ctypes.CDLL(str(r.library.with_name(name)), ctypes.RTLD_GLOBAL)
    import rpy2.rinterface

    return rpy2.rinterface


class Embedded:
    """R in this process."""

    def __init__(self, r: R) -> None:
        """Start R.

        Raises:
            ModuleNotFoundError: rpy2 is not installed.
            OSError: this R has no shared library.
        """
        rinterface = find(r)
        from rpy2.rinterface_lib import callbacks, embedded

        callbacks.consolewrite_print = lambda text: print(text, end="", flush=True)
        callbacks.consolewrite_warnerror = lambda text: print(text, end="", flush=True, file=sys.stderr)
        # R's quit(): else R would end the process without its status.
        callbacks.cleanup = lambda save, status, run_last: leave(status)
        embedded.set_initoptions(OPTIONS)
        rinterface.initr()
        # Neither Python nor R looks for an interrupt while the other works.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self.library = ctypes.PyDLL(str(r.library))
        self.library.R_ParseEvalString.restype = ctypes.c_void_p
        self.library.R_ParseEvalString.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        self.library.Rf_asInteger.argtypes = [ctypes.c_void_p]
        self.globals = ctypes.c_void_p.in_dll(self.library, "R_GlobalEnv")

    def evaluate(self, code: str) -> int:
        """Evaluate R code that gives a whole number and throws nothing.

        Python's lock is held meanwhile (`ctypes.PyDLL`; rpy2 lets it go): R collects garbage whenever it likes, and
        frees Python's objects then, which is fatal without the lock in reticulate before 1.31.
        """
        return int(self.library.Rf_asInteger(self.library.R_ParseEvalString(code.encode(), self.globals)))


def describe(r: R) -> str:
    """Which rpy2 would load this R, and whether they fit each other: a sentence for `make doctor`."""
    path = [str(r.rpy2)] if r.rpy2.is_dir() else sys.path
    found = next(iter(metadata.distributions(name="rpy2-rinterface", path=path)), None)
    if found is None:
        return "rpy2 is not installed: no rows by rpy2. Mend it: envs/r.sh"
    if not r.library.is_file():
        return f"rpy2 {found.version} cannot load this R, which was built without its shared library, {r.library}"
    if numbers(found.version) >= CURRENT_RPY2 and not r.is_current:
        return f"rpy2 {found.version} does not fit R {r.version}. Mend it: envs/r.sh installs one that does"
    return f"rpy2 {found.version} fits this R"


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparison."""
    return tuple(int(number) for number in version.split(".")[:3] if number.isdigit())


def leave(status: int) -> None:
    """End the process at once: rpy2's and R's own ways out end in a crash or a hang where TensorFlow or PyTorch is."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    print(describe(ask(sys.argv[1])))
