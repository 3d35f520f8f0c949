"""Reads the job, and spells it as implementations see it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

CONTRACT = 1


def read_job(path: Path) -> dict[str, Any]:
    """Read a job.

    Raises:
        ValueError: the job speaks another version of the contract.
    """
    job = json.loads(path.read_text(encoding="utf-8"))
    if job["contract"] != CONTRACT:
        raise ValueError(f"The job is of contract {job['contract']}; this harness speaks contract {CONTRACT}.")
    return job


def options(job: dict[str, Any], hyperparameters: dict[str, Any]) -> SimpleNamespace:
    """What an implementation is given as `job`: the job's settings and each hyperparameter as an attribute."""
    settings = {name: job[name] for name in ("device", "precision", "compile", "threads", "seed")}
    return SimpleNamespace(**settings, **hyperparameters)
