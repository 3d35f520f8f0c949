"""Julia beside other libraries in one process: loaded before them or after, on threads that collect garbage.

PyTorch and Arrow bring C++ exceptions and threads of their own, and share libstdc++ with Julia: elsewhere both orders
have ended in segmentation faults. Rows of Julia are alone in their process; who calls Julia from Python may not be.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rosetta.launch import Outcome

from ..harness.jobs import ROOT
from .conftest import JULIACALL, TOY

SCRIPT = """
import sys


def julia():
    import bridge
    return bridge.load(bridge.ask(sys.argv[2])).Main

def use(name):
    if name == "torch":
        import torch
        torch.ones(300, 300, requires_grad=True).matmul(torch.ones(300, 300)).sum().backward()
    else:
        import pyarrow
        try:
            pyarrow.array([object()])
        except pyarrow.ArrowInvalid:
            pass

name, julia_first = sys.argv[1], sys.argv[4] == "first"
main = julia() if julia_first else None
use(name)
main = main or julia()
main.include(sys.argv[3])
for turn in range(3):
    main.collect_garbage()
    use(name)
    try:
        main.exception_in_thread()
    except Exception as error:
        assert "in part" in str(error), error
    else:
        raise SystemExit("no exception came")
"""


@pytest.mark.parametrize("order", ["first", "second"])
@pytest.mark.parametrize("library", ["torch", "pyarrow"])
def test_julia_lives_beside_another_library(julia: str, library: str, order: str) -> None:
    if not JULIACALL.is_dir():
        pytest.skip("juliacall is not installed. Install it: envs/julia.sh")
    command = [sys.executable, "-c", SCRIPT, library, julia, str(TOY), order]
    variables = {"PYTHONPATH": str(ROOT / "julia" / "bridge"), "JULIA_NUM_THREADS": "2"}
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr


def test_a_row_has_no_framework_of_python_s_beside_it(
    start: Callable[..., Outcome], toy_job: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    outcome = start(toy_job("juliacall", "neighbours"), tmp_path)
    assert outcome.reason.startswith("ErrorException: beside Julia: python ("), outcome.reason
