"""What R's tests share: a real R, or a reason to skip; jobs, and the launcher that runs them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosetta import toolchains
from rosetta.languages import Language, discover
from rosetta.launch import Limits, Outcome, launch
from rosetta.models import MODELS

from ..harness.jobs import ROOT, a_job
from ..mutants.conftest import prepared

__all__ = ["prepared"]

TOY = Path(__file__).parent / "toy" / "toy.R"
RPY2 = ROOT / "envs" / ".cache" / "rpy2"
LIMITS = Limits(wall_s=240, memory_bytes=8 * 2**30)


@pytest.fixture(scope="session")
def rscript() -> str:
    """The path of the Rscript that the runner finds."""
    language = discover(ROOT)["r"]
    found = toolchains.find(language, language.frameworks["keras-tensorflow"])
    if found.interpreter is None or found.problem:
        pytest.skip(f"{found.problem}. Install it: {language.install}")
    return found.interpreter


@pytest.fixture(scope="session")
def start(rscript: str) -> Callable[..., Outcome]:
    """Launches a job by one of the bridges."""

    def run(
        job: dict[str, Any],
        folder: Path,
        environment: dict[str, str] | None = None,
        limits: Limits = LIMITS,
        language: Language | None = None,
    ) -> Outcome:
        language = language or discover(ROOT)["r"]
        if job["bridge"] == "rpy2" and not RPY2.is_dir():
            pytest.skip(f"rpy2 is not installed. Install it: {language.install}")
        return launch(
            command=toolchains.expand(language.bridges[job["bridge"]], rscript, language.folder),
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
        model = replace(MODELS["gru"], hyperparameters={"batch_size": 64, "fault": fault})
        weights = {"number": np.ones(1, np.float32)}
        settings = {"packages": [], **settings}
        return a_job(tmp_path, model, TOY, weights, language="r", bridge=bridge, **settings)

    return make
