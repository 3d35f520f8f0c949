"""Small jobs, and the harness's door: a process of its own that is given a job and leaves a record."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
from rosetta.models import MODELS, Model
from rosetta.tensors import write_examples, write_tensors

ROOT = Path(__file__).parents[2]
HARNESS = ROOT / "python" / "harness"
SCHEMAS = {
    name: json.loads((ROOT / "config" / "schemas" / f"{name}.schema.json").read_text()) for name in ("job", "record")
}


@dataclass(frozen=True)
class Run:
    """How a run ended: its record (None: there is none), exit code, what it printed and how long it took."""

    record: dict[str, Any] | None
    exit_code: int
    output: str
    errors: str
    wall_s: float

    @property
    def answer(self) -> dict[str, Any]:
        """The record of a run that went well."""
        assert self.exit_code == 0, self.errors
        assert self.record is not None
        return self.record

    @property
    def refusal(self) -> dict[str, Any]:
        """The error of a run that was refused."""
        assert self.exit_code == 1, self.errors
        assert self.record is not None
        return self.record["error"]


def examples(model: Model, count: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Inputs and labels of the model's shapes, without any meaning."""
    if model.name == "gru":
        inputs = random.integers(0, 30_000, (count, 150), dtype=np.int32)
    else:
        side = 32 if model.name == "cnn" else 224
        inputs = random.integers(0, 256, (count, 3, side, side), dtype=np.uint8)
    return {"inputs": inputs, "labels": random.integers(0, model.outputs, count)}


def a_job(
    folder: Path,
    model: Model,
    source: Path,
    weights: Mapping[str, np.ndarray],
    *,
    train: int = 128,
    test: int = 70,
    check: int = 70,
    trains: bool = True,
    **settings: Any,
) -> dict[str, Any]:
    """Write a job's tensors to `folder` and give the job: 2 epochs where the model is trained, a check of one step.

    With `trains` false it is the job of a framework that only predicts.
    """
    trains = trains and model.trains
    random = np.random.default_rng(2018)
    batch_size = model.hyperparameters["batch_size"]
    tested = write_examples(folder / "test.arrow", examples(model, test, random), {})
    checked = write_examples(folder / "check.arrow", examples(model, check, random), {})
    tensors = {"test_inputs": tested["inputs"]}
    check_tensors = {"inputs": checked["inputs"]}
    if trains:
        trained = write_examples(folder / "train.arrow", examples(model, train, random), {})
        steps = train // batch_size
        epochs = np.stack([random.permutation(train)[: steps * batch_size] for _ in range(2)])
        orders = {
            "batches": epochs.reshape(2, steps, batch_size),
            "check_batches": random.permutation(check)[:batch_size].reshape(1, batch_size),
        }
        batches = write_tensors(folder / "batches.arrow", orders, {})
        tensors["test_labels"] = tested["labels"]
        tensors["train_inputs"] = trained["inputs"]
        tensors["train_labels"] = trained["labels"]
        tensors["batches"] = batches["batches"]
        check_tensors["labels"] = checked["labels"]
        check_tensors["batches"] = batches["check_batches"]
    job = {
        "contract": 1,
        "language": "python",
        "framework": source.parent.name,
        "model": model.name,
        "bridge": "native",
        "source": str(source),
        "packages": ["numpy"],
        "device": "cpu",
        "precision": "float32",
        "compile": False,
        "threads": 2,
        "seed": 1,
        "epochs": 2 if trains else 0,
        "hyperparameters": model.hyperparameters,
        "tensors": {name: tensor.as_json() for name, tensor in tensors.items()},
        "weights": {
            name: tensor.as_json() for name, tensor in write_tensors(folder / "weights.arrow", weights, {}).items()
        },
        "check": {
            "hyperparameters": {**model.hyperparameters, **model.check_hyperparameters},
            **{name: tensor.as_json() for name, tensor in check_tensors.items()},
        },
        **settings,
    }
    jsonschema.validate(job, SCHEMAS["job"])
    return job


def start(job: dict[str, Any], folder: Path) -> subprocess.Popen[str]:
    """Start the harness as the runner does; the record will be `record.json` in `folder`."""
    (folder / "job.json").write_text(json.dumps(job))
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": str(job["threads"]),
        "ROSETTA_SPAWNED_MONOTONIC_NS": str(time.monotonic_ns()),
    }
    command = [sys.executable, str(HARNESS), str(folder / "job.json"), str(folder / "record.json")]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(job: dict[str, Any], folder: Path) -> Run:
    """Run the job to its end; a record that breaks the schema fails the test."""
    begun = time.monotonic()
    process = start(job, folder)
    output, errors = process.communicate()
    wall_s = time.monotonic() - begun
    path = folder / "record.json"
    record = json.loads(path.read_text()) if path.exists() else None
    if record is not None:
        jsonschema.validate(record, SCHEMAS["record"])
    return Run(record, process.returncode, output, errors, wall_s)


TRAINED = MODELS["gru"]
NOT_TRAINED = MODELS["resnet50"]
