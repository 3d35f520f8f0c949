"""A toy harness, jobs for it, and limits that end a test soon."""

import sys
from pathlib import Path
from typing import Any

from rosetta.launch import Limits

TOY = Path(__file__).parent / "toy.py"
LIMITS = Limits(wall_s=20, memory_bytes=2**30, exit_grace_s=0.3)


def tensor(*shape: int) -> dict[str, Any]:
    return {"path": "/nowhere/tensors.arrow", "offset": 64, "dtype": "int64", "shape": list(shape)}


def a_job(model: str = "gru", epochs: int = 2, steps: int = 3) -> dict[str, Any]:
    """A small job; gru and cnn are trained, resnet50 is not."""
    job: dict[str, Any] = {
        "contract": 1,
        "language": "toy",
        "framework": "toy",
        "model": model,
        "bridge": "native",
        "source": "/nowhere/toy.py",
        "packages": ["toy"],
        "device": "cpu",
        "precision": "float32",
        "compile": False,
        "threads": 2,
        "seed": 1,
        "epochs": epochs,
        "hyperparameters": {"batch_size": 4},
        "tensors": {"test_inputs": tensor(8, 150)},
        "weights": {"dense.weight": tensor(2, 100)},
        "check": {"hyperparameters": {"batch_size": 4}, "inputs": tensor(5, 150)},
    }
    if model == "resnet50":
        job["epochs"] = 0
    else:
        job["tensors"] |= {"test_labels": tensor(8), "batches": tensor(epochs, steps, 4)}
        job["check"] |= {"labels": tensor(5), "batches": tensor(2, 4)}
    return job


def toy_command(behaviour: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(TOY), behaviour]
