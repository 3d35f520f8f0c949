"""The referee bites: mistakes put into plain Julia's files are caught, the files themselves are verified."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rosetta import toolchains
from rosetta.jobs import compose
from rosetta.languages import Row, discover
from rosetta.models import MODELS
from rosetta.referee import judge, read_reference

from tests.mutants.bench import ROOT

BASE = ROOT / "julia" / "base"
DRIVER = Path(__file__).with_name("julia_jobs.jl")


@dataclass(frozen=True)
class Mutant:
    """A mistake: what is replaced by what in a file of julia/base, at one place."""

    model: str
    name: str
    file: str
    old: str
    new: str

    def put_into(self, folder: Path) -> None:
        """Make the mistake in a copy of julia/base.

        Raises:
            LookupError: `old` is not there, or not only once: the file has changed, so must the mutant.
        """
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise LookupError(f"{self.name}: julia/base/{self.file} holds {text.count(self.old)} times:\n{self.old}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


STRIDE_IN_SECOND = """\
conv(1; relu = true),
            conv(2; relu = true, stride = step, padding = 1)"""
STRIDE_IN_FIRST = """\
conv(1; relu = true, stride = step),
            conv(2; relu = true, padding = 1)"""

CAUGHT = [
    Mutant(
        "cnn",
        "lines and columns swapped",
        "layers/pixels.jl",
        "images[i, j, colour, image]",
        "images[j, i, colour, image]",
    ),
    Mutant(
        "cnn", "momentum of Nesterov", "layers/optimizers.jl", "rate * v\n", "rate * (gradient[index] + momentum * v)\n"
    ),
    Mutant("cnn", "the kernel not turned for the gradient", "layers/convolution.jl", "kernel + 1 - i", "i"),
    Mutant("cnn", "dropout left on", "layers/dropout.jl", "!training || ", ""),
    Mutant("gru", "reset gate left out", "layers/gru.jl", "+ r * inner", "+ inner"),
    Mutant("gru", "repeated words count once", "layers/embedding.jl", "word + 1] +=", "word + 1] ="),
    Mutant("gru", "first moment not corrected", "layers/optimizers.jl", " / (1 - optimizer.beta1^optimizer.steps)", ""),
    Mutant("resnet50", "stride in the first 1x1", "resnet50.jl", STRIDE_IN_SECOND, STRIDE_IN_FIRST),
    Mutant(
        "resnet50",
        "maximum pool padded on one side",
        "layers/pooling.jl",
        "max(2j - 2, 1), 2j - 1, min(2j, height)",
        "2j - 1, 2j, min(2j + 1, height)",
    ),
]


def named(mutant: Mutant) -> str:
    return f"{mutant.model}: {mutant.name}"


@pytest.fixture(scope="module")
def records(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The records of the models as they are (by their names) and of the mutants (by theirs), from one Julia."""
    language = discover(ROOT)["julia"]
    found = toolchains.find(language, language.frameworks["base"])
    if found.interpreter is None or found.problem:
        pytest.skip(f"{found.problem}. Install it: {language.install}")
    runs: dict[str, Path] = {}
    for name, mutant in {**dict.fromkeys(MODELS), **{named(mutant): mutant for mutant in CAUGHT}}.items():
        folder = tmp_path_factory.mktemp("julia")
        source = shutil.copytree(BASE, folder / "base") / f"{mutant.model if mutant else name}.jl"
        if mutant:
            mutant.put_into(folder / "base")
        settings = {
            "device": "cpu",
            "precision": "float32",
            "compile": False,
            "threads": 2,
            "evaluate": False,
            "seed": 1,
            "test_examples": "all",
        }
        job = compose(
            language, language.frameworks["base"], Row("julia", "base", source.stem, "native"), settings, prepared
        )
        (folder / "job.json").write_text(json.dumps(job | {"source": str(source)}))
        runs[name] = folder
    arguments = [str(folder / file) for folder in runs.values() for file in ("job.json", "record.json")]
    # Little is computed here, so the compiler's full effort would cost more than it gains.
    command = [found.interpreter, "--startup-file=no", "-O1", str(DRIVER), *arguments]
    subprocess.run(command, check=True, env={**os.environ, "JULIA_NUM_THREADS": "2"}, stdout=subprocess.DEVNULL)
    return {name: json.loads((folder / "record.json").read_text()) for name, folder in runs.items()}


@pytest.mark.parametrize("model", MODELS)
def test_the_implementation_is_verified(records: dict[str, dict[str, Any]], model: str, prepared: Path) -> None:
    verdict = judge(read_reference(prepared, model), "float32", "bias_corrected", records[model])
    assert verdict.verified == "yes", verdict.reason


@pytest.mark.parametrize("mutant", CAUGHT, ids=named)
def test_a_mistake_is_caught(records: dict[str, dict[str, Any]], mutant: Mutant, prepared: Path) -> None:
    record = records[named(mutant)]
    assert "error" not in record, record
    verdict = judge(read_reference(prepared, mutant.model), "float32", "bias_corrected", record)
    assert verdict.verified == "no", verdict.reason
