"""The referee bites: mistakes put into plain Julia's files are caught; the files of all frameworks are verified."""

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

from tests.mutants.bench import ROOT, small_settings

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


def run(framework: str, sources: dict[str, Path], prepared: Path) -> dict[str, dict[str, Any]]:
    """The record of each source, by its name; all run in one Julia. A skip, if the framework is not installed."""
    language = discover(ROOT)["julia"]
    declared = language.frameworks[framework]
    found = toolchains.find(language, declared)
    if found.interpreter is None or found.problem:
        pytest.skip(f"{declared.title}: {found.problem}. Install it: {declared.install}")
    folders = {name: prepared / "julia" / framework / str(number) for number, name in enumerate(sources)}
    for name, source in sources.items():
        job = compose(language, declared, Row("julia", framework, source.stem, "native"), small_settings(), prepared)
        folders[name].mkdir(parents=True)
        (folders[name] / "job.json").write_text(json.dumps(job | {"source": str(source)}))
    arguments = [str(folder / file) for folder in folders.values() for file in ("job.json", "record.json")]
    # Little is computed here, so the compiler's full effort would cost more than it gains.
    command = [found.interpreter, "--startup-file=no", "-O1", str(DRIVER), *arguments]
    subprocess.run(command, check=True, env={**os.environ, "JULIA_NUM_THREADS": "2"}, stdout=subprocess.DEVNULL)
    return {name: json.loads((folder / "record.json").read_text()) for name, folder in folders.items()}


@pytest.fixture(scope="module")
def records(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The records of the models as they are (by their names) and of the mutants (by theirs)."""
    sources = {model: BASE / f"{model}.jl" for model in MODELS}
    for mutant in CAUGHT:
        folder = tmp_path_factory.mktemp("julia") / "base"
        shutil.copytree(BASE, folder)
        mutant.put_into(folder)
        sources[named(mutant)] = folder / f"{mutant.model}.jl"
    return run("base", sources, prepared)


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


@pytest.mark.parametrize("framework", ["flux", "knet"])
def test_the_implementations_of_a_framework_with_packages_are_verified(framework: str, prepared: Path) -> None:
    sources = {model: ROOT / "julia" / framework / f"{model}.jl" for model in MODELS}
    for model, record in run(framework, sources, prepared).items():
        assert "error" not in record, record
        verdict = judge(read_reference(prepared, model), "float32", "bias_corrected", record)
        assert verdict.verified == "yes", verdict.reason
