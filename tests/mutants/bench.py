"""Runs an implementation, whole or with one mistake put in, through Python's harness in this process."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from harness.run import work
from rosetta.jobs import compose
from rosetta.languages import Row, discover
from rosetta.tensors import Sheet, write_examples

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
PYTORCH = PYTHON / "pytorch"

TEST_EXAMPLES = 24


@dataclass(frozen=True)
class Mutant:
    """A mistake: what is replaced by what in python/FOLDER/MODEL.py, at one place; FOLDER is the framework's."""

    model: str
    name: str
    old: str
    new: str
    framework: str = "pytorch"

    def source(self) -> str:
        """The implementation with the mistake in it.

        Raises:
            LookupError: `old` is not there, or not only once: the implementation has changed, so must the mutant.
        """
        path = files_of(self.framework) / f"{self.model}.py"
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise LookupError(f"{self.name}: {path.relative_to(ROOT)} holds {text.count(self.old)} times:\n{self.old}")
        return text.replace(self.old, self.new)


def files_of(framework: str) -> Path:
    """The folder of a framework's files."""
    return discover(ROOT)["python"].frameworks[framework].folder


def write_data(folder: Path, seed: int, photo_size: int = 224) -> None:
    """Write small data sets that mistakes show in: their colours differ, reviews are padded, some words are rare."""
    generator = np.random.default_rng(seed)
    # Smooth random images, each colour around its own brightness.
    coarse = generator.normal([[[[90]], [[120]], [[150]]]], 60, (160, 3, 8, 8))
    images = np.clip(np.kron(coarse, np.ones((4, 4))) + generator.normal(0, 8, (160, 3, 32, 32)), 0, 255)
    reviews = np.minimum(generator.zipf(1.3, (160, 150)), 29_999)
    for review, length in zip(reviews, generator.integers(20, 250, 160), strict=True):
        review[: max(0, 150 - length)] = 0
    photos = np.kron(generator.normal([[[[90]], [[120]], [[150]]]], 60, (32, 3, 8, 8)), np.ones((photo_size // 8,) * 2))
    _write(folder, "cnn", images.astype(np.uint8), np.arange(160) % 10)
    _write(folder, "gru", reviews.astype(np.int32), np.arange(160) % 2)
    _write(folder, "resnet50", np.clip(photos, 0, 255).astype(np.uint8), None)


def _write(folder: Path, model: str, inputs: np.ndarray, labels: np.ndarray | None) -> None:
    facts = {"dataset": "random", "title": "random"}
    if labels is None:
        tensors = write_examples(folder / f"{model}.arrow", {"test_inputs": inputs}, facts)
    else:
        tensors = write_examples(folder / f"{model}.arrow", {"train_inputs": inputs, "train_labels": labels}, facts)
        tensors |= {f"test_{kind}": tensors[f"train_{kind}"].rows(0, TEST_EXAMPLES) for kind in ("inputs", "labels")}
    Sheet(tensors, facts).write(folder / f"{model}.json")


def run(
    model: str, source: str, data: Path, folder: Path, precision: str = "float32", framework: str = "pytorch"
) -> dict[str, Any]:
    """Run an implementation's source text through the harness and give its record, as JSON spells it."""
    job = write_job(model, source, data, folder, framework, precision=precision)
    record: dict[str, Any] = json.loads(json.dumps(work(job, time.monotonic_ns()), allow_nan=False))
    return record


def run_apart(
    framework: str, sources: Mapping[str, tuple[str, str]], data: Path, folder: Path, **settings: Any
) -> dict[str, Any]:
    """Run implementations in one process of their own, which imports what the framework needs and nothing else.

    Args:
        sources: a name -> model and source text.
        settings: the jobs' own: precision, compile.

    Returns:
        Name -> record, as JSON spells it; and under `modules` the names of all modules that were imported.
    """
    for name, (model, source) in sources.items():
        (folder / name).mkdir()
        job = write_job(model, source, data, folder / name, framework, **settings)
        (folder / name / "job.json").write_text(json.dumps(job), encoding="utf-8")
    environment = discover(ROOT)["python"].frameworks[framework].environment
    subprocess.run(
        [sys.executable, "-c", APART, str(PYTHON), *(str(folder / name) for name in sources)],
        env={**os.environ, **environment},
        cwd=folder,
        check=True,
    )
    records = {name: json.loads((folder / name / "record.json").read_text(encoding="utf-8")) for name in sources}
    return {**records, "modules": json.loads((folder / "modules.json").read_text(encoding="utf-8"))}


APART = """
import json, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from harness.run import run
del sys.path[0]
for folder in map(Path, sys.argv[2:]):
    run(folder / "job.json", folder / "record.json", time.monotonic_ns())
Path("modules.json").write_text(json.dumps(sorted(sys.modules)))
"""


def small_settings(**changed: Any) -> dict[str, Any]:
    """The settings of a job on the CPU, as the plan gives them, with some changed."""
    settings = {
        "device": "cpu",
        "precision": "float32",
        "compile": False,
        "threads": 2,
        "evaluate": False,
        "seed": 1,
        "test_examples": "all",
    }
    return {**settings, **changed}


def write_job(
    model: str, source: str, data: Path, folder: Path, framework: str, precision: str = "float32", compile: bool = False
) -> dict[str, Any]:
    """Write an implementation's files to `folder` and give the job that runs them."""
    (folder / f"{model}.py").write_text(source, encoding="utf-8")
    shutil.copy(files_of(framework) / "framework.py", folder)
    python = discover(ROOT)["python"]
    settings = small_settings(precision=precision, compile=compile, threads=1)
    row = Row("python", framework, model, "native")
    job = compose(python, python.frameworks[framework], row, settings, data)
    return {**job, "source": str(folder / f"{model}.py")}
