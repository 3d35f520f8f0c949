"""A toy framework with one model, and jobs for it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosetta.models import MODELS

from .jobs import a_job

TOY = Path(__file__).parent / "toy"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A copy of the toy that a test may change; its model's file."""
    return Path(shutil.copytree(TOY, tmp_path / "toy")) / "toy.py"


@pytest.fixture
def toy_job(tmp_path: Path, toy: Path) -> Callable[..., dict[str, Any]]:
    """Makes a job for the toy."""

    def make(model: str = "gru", **settings: Any) -> dict[str, Any]:
        return a_job(tmp_path, MODELS[model], toy, {"number": np.ones(1, np.float32)}, **settings)

    return make
