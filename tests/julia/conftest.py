"""What Julia's tests share: a real Julia, or a reason to skip; jobs, and the launcher that runs them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosetta import toolchains
from rosetta.languages import discover
from rosetta.launch import Limits, Outcome, launch
from rosetta.models import MODELS

from ..harness.jobs import ROOT, a_job

TOY = Path(__file__).parent / "toy" / "toy.jl"
JULIACALL = ROOT / "envs" / ".cache" / "juliacall" / "depot"
LIMITS = Limits(wall_s=240, memory_bytes=8 * 2**30)


@pytest.fixture(scope="session")
def julia() -> str:
    """The path of the Julia that the runner finds."""
    language = discover(ROOT)["julia"]
    found = toolchains.find(language, language.frameworks["base"])
    if found.interpreter is None or found.problem:
        pytest.skip(f"{found.problem}. Install it: {language.install}")
    return found.interpreter


@pytest.fixture(scope="session")
def start(julia: str) -> Callable[..., Outcome]:
    """Launches a job by one of the bridges."""
    language = discover(ROOT)["julia"]

    def run(
        job: dict[str, Any], folder: Path, environment: dict[str, str] | None = None, limits: Limits = LIMITS
    ) -> Outcome:
        if job["bridge"] == "juliacall" and not JULIACALL.is_dir():
            pytest.skip(f"juliacall is not installed. Install it: {language.install}")
        return launch(
            command=toolchains.expand(language.bridges[job["bridge"]], julia, language.folder),
            job=job,
            environment=environment or {},
            limits=limits,
            log=folder / "run.log",
            label="test",
            install=language.install,
        )

    return run


@pytest.fixture
def toy_job(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Makes a job for the toy."""

    def make(bridge: str = "native", fault: str = "", **settings: Any) -> dict[str, Any]:
        hyperparameters = {"batch_size": 64, "fault": fault}
        weights = {"number": np.ones(1, np.float32)}
        settings = {"packages": [], "hyperparameters": hyperparameters, **settings}
        return a_job(tmp_path, MODELS["gru"], TOY, weights, language="julia", bridge=bridge, **settings)

    return make
