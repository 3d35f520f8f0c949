"""Loads juliacall, and with it Julia, in this process: with its own settings and none of the user's environments."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "envs/.cache/juliacall"
OLDEST_FOR_CURRENT = (1, 10)  # before that the older pair of juliacall and juliapkg is used (envs/julia/README.md)
OLDEST_FOR_REGISTRY = (1, 6)  # before that the registry has no PythonCall that juliacall could use
ASK = 'print(VERSION, " ", get(ENV, "OPENBLAS_CORETYPE", ""))'


@dataclass(frozen=True)
class Julia:
    """A Julia as it tells of itself.

    Attributes:
        executable: its path.
        version: such as 1.5.3.
        openblas_coretype: the kernels that its start script chooses for its BLAS; "" where it leaves that to the BLAS.
    """

    executable: str
    version: str
    openblas_coretype: str

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor version."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    @property
    def juliacall(self) -> str:
        """Which juliacall fits: the folder's name in the cache."""
        return "current" if self.release >= OLDEST_FOR_CURRENT else "old"

    @property
    def needs_standins(self) -> bool:
        """Whether PythonCall and what it needs come from this project's cache instead of the registry."""
        return self.release < OLDEST_FOR_REGISTRY


def ask(executable: str) -> Julia:
    """Start a Julia to ask what it is."""
    command = [executable, "--startup-file=no", "-e", ASK]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    version, _, coretype = told.partition(" ")
    return Julia(executable, version, coretype)


def environment(julia: Julia, offline: bool = True) -> dict[str, str]:
    """The variables under which juliacall starts.

    Args:
        julia: the Julia to start.
        offline: whether packages must be there already; if not, they are installed.
    """
    load_path = ["@", "@stdlib"]
    if julia.needs_standins:
        load_path[1:1] = [str(CACHE / "packages"), str(ROOT / "envs/julia/standins")]
    variables = {
        "JULIA_LOAD_PATH": ":".join(load_path),
        # Julia writes to the first depot only; packages of the user's are found in the others.
        "JULIA_DEPOT_PATH": f"{CACHE / 'depot'}:{os.environ.get('JULIA_DEPOT_PATH', '')}",
        "PYTHON_JULIAPKG_EXE": julia.executable,
        "PYTHON_JULIAPKG_PROJECT": str(CACHE / "project-{}.{}".format(*julia.release)),
        "PYTHON_JULIAPKG_OFFLINE": "yes" if offline or julia.needs_standins else "no",
        "PYTHON_JULIACALL_STARTUP_FILE": "no",
        "PYTHON_JULIACALL_THREADS": os.environ.get("JULIA_NUM_THREADS", "1"),
        # Several Julia threads stop one another for garbage collection with signals. Were Python to handle them, that
        # would be a segmentation fault (JuliaPy/PythonCall.jl, issue 219).
        "PYTHON_JULIACALL_HANDLE_SIGNALS": "yes",
    }
    if julia.openblas_coretype:
        variables["OPENBLAS_CORETYPE"] = julia.openblas_coretype
    return variables


def load(julia: Julia, offline: bool = True) -> Any:
    """Start Julia in this process.

    Args:
        julia: the Julia to start.
        offline: as for `environment`.

    Returns:
        juliacall, imported.

    Raises:
        ModuleNotFoundError: the juliacall that fits is not installed.
    """
    folder = CACHE / julia.juliacall
    if not folder.is_dir():
        raise ModuleNotFoundError(f"juliacall for Julia {julia.version} is not installed")
    os.environ.update(environment(julia, offline))
    sys.path.insert(0, str(folder))
    import juliacall

    return juliacall
