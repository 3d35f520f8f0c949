"""What the launcher's tests share: a launcher that knows the toy harness."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rosetta.launch import Outcome, launch
from rosetta.launch.keeper import children

from .toys import LIMITS, a_job, toy_command


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "run.log"


@pytest.fixture
def run(log: Path) -> Callable[..., Outcome]:
    """Launch the toy, or any command, with all that is not given set to something sensible."""
    before = children(os.getpid())

    def run_toy(behaviour: str = "", **changes: Any) -> Outcome:
        arguments: dict[str, Any] = {
            "command": toy_command(behaviour),
            "job": a_job(),
            "environment": {},
            "limits": LIMITS,
            "log": log,
            "label": "toy/toy/gru run 1",
            "install": "make toy",
        }
        outcome = launch(**arguments | changes)
        assert children(os.getpid()) == before
        return outcome

    return run_toy
