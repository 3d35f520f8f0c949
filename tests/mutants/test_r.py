"""The referee bites: mistakes put into R's files are caught, the files themselves are verified."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rosetta import toolchains
from rosetta.jobs import compose
from rosetta.languages import Row, discover
from rosetta.models import MODELS
from rosetta.referee import judge, read_reference

from tests.mutants.bench import ROOT, small_settings

KERAS = ROOT / "r" / "keras"
DRIVER = Path(__file__).with_name("r_jobs.R")


@dataclass(frozen=True)
class Mutant:
    """A mistake: what is replaced by what in r/keras/MODEL.R, at one place."""

    model: str
    name: str
    old: str
    new: str

    def put_into(self, folder: Path) -> None:
        """Make the mistake in a copy of r/keras.

        Raises:
            LookupError: `old` is not there, or not only once: the file has changed, so must the mutant.
        """
        path = folder / f"{self.model}.R"
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise LookupError(f"{self.name}: r/keras/{path.name} holds {text.count(self.old)} times:\n{self.old}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


FLATTENED = "$reshape(512L, 100L, 64L)$transpose(2L, 1L, 0L)$reshape(6400L, 512L)"
STRIDE_IN_SECOND = """\
    convolution(width, 1L, stride = 1L, name = paste0(name, "_conv1")) |>
    normalization(job, paste0(name, "_bn1")) |>
    layer_activation_relu() |>
    convolution(width, 3L, stride, paste0(name, "_conv2"))"""
STRIDE_IN_FIRST = STRIDE_IN_SECOND.replace("stride = 1L", "stride = stride").replace("3L, stride", "3L, 1L")

CAUGHT = [
    Mutant("cnn", "channels first when flattened", FLATTENED, "$T"),
    Mutant("cnn", "momentum forgotten", "optimizer_sgd(job$learning_rate, job$momentum)", "optimizer_sgd(0.01)"),
    Mutant(
        "cnn",
        "batches in another order",
        "inputs, labels, batches)\n  model",
        "inputs, labels, numpy$flipud(batches))\n  model",
    ),
    Mutant("gru", "gates in PyTorch's order", "c(100:199, 0:99, 200:299)", "0:299"),
    Mutant("gru", "the default epsilon of Adam", "job$beta2, job$epsilon)", "job$beta2)"),
    Mutant("resnet50", "stride in the first 1x1", STRIDE_IN_SECOND, STRIDE_IN_FIRST),
    Mutant("resnet50", "deviation taken for variance", "job$deviation^2", "job$deviation"),
]


def named(mutant: Mutant) -> str:
    return f"{mutant.model}: {mutant.name}"


Runs = Mapping[str, tuple[str, Mutant | None]]


def run(backend: str, runs: Runs, prepared: Path, factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The records of models, with a mistake or without, by their names; from one R."""
    language = discover(ROOT)["r"]
    framework = language.frameworks["keras-tensorflow"]
    found = toolchains.find(language, framework)
    if found.interpreter is None or found.problem:
        pytest.skip(f"{found.problem}. Install it: {language.install}")
    folders = {}
    for name, (model, mutant) in runs.items():
        folder = folders[name] = factory.mktemp("r")
        shutil.copytree(KERAS, folder / "keras")
        if mutant:
            mutant.put_into(folder / "keras")
        job = compose(language, framework, Row("r", framework.name, model, "native"), small_settings(), prepared)
        (folder / "job.json").write_text(json.dumps(job | {"source": str(folder / "keras" / f"{model}.R")}))
    paths = [str(folder / file) for folder in folders.values() for file in ("job.json", "record.json")]
    command = ["sh", str(ROOT / "r/exec/rscript.sh"), found.interpreter, sys.executable, str(DRIVER), *paths]
    environment = {**os.environ, **framework.environment, "KERAS_BACKEND": backend}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: json.loads((folder / "record.json").read_text()) for name, folder in folders.items()}


@pytest.fixture(scope="module")
def records(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The models and the mutants on PyTorch, where nothing has to be compiled."""
    pytest.importorskip("torch")
    mutants = {named(mutant): (mutant.model, mutant) for mutant in CAUGHT}
    return run("torch", {**{model: (model, None) for model in MODELS}, **mutants}, prepared, tmp_path_factory)


@pytest.mark.parametrize("model", MODELS)
def test_the_implementation_is_verified(records: dict[str, dict[str, Any]], model: str, prepared: Path) -> None:
    verdict = judge(read_reference(prepared, model), "float32", "epsilon_hat", records[model])
    assert verdict.verified == "yes", verdict.reason


@pytest.mark.parametrize("mutant", CAUGHT, ids=named)
def test_a_mistake_is_caught(records: dict[str, dict[str, Any]], mutant: Mutant, prepared: Path) -> None:
    record = records[named(mutant)]
    assert "error" not in record, record
    verdict = judge(read_reference(prepared, mutant.model), "float32", "epsilon_hat", record)
    assert verdict.verified == "no", verdict.reason


def test_a_deviation_of_keras_is_declared_for_both_languages() -> None:
    python, r = (discover(ROOT)[language].frameworks["keras-tensorflow"] for language in ("python", "r"))
    assert r.deviations == python.deviations
    assert r.adam == python.adam
