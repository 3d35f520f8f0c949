"""A framework of NumPy alone. It writes down what it is asked to do, and like a GPU it works in the background."""

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

WORK_S = 0.02  # what each call costs the device

pending_s = 0.0


def tell(step: str, *facts: Any) -> None:
    """Add a line to the diary."""
    with Path(os.environ.get("TOY_DIARY", os.devnull)).open("a") as diary:
        print(json.dumps([step, *facts]), file=diary)


def work() -> None:
    """Leave work to the device."""
    global pending_s
    pending_s += WORK_S


def configure(job: SimpleNamespace) -> None:
    tell("configure", job.device, job.threads)


def load(array: np.ndarray) -> np.ndarray:
    return array


def fetch(value: np.ndarray) -> np.ndarray:
    return value


def synchronize() -> None:
    global pending_s
    time.sleep(pending_s)
    pending_s = 0.0


def describe(job: SimpleNamespace) -> dict[str, Any]:
    return {"device": {"kind": job.device, "name": "toy"}, "threads": job.threads, "precision": job.precision}
