"""JAX's three models through the harness's door, on small tensors; tests/mutants proves what they compute."""

import functools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosetta.models import MODELS
from rosetta.weights import draw

from ..harness.jobs import ROOT, a_job, run

FOLDER = ROOT / "python" / "jax"
SMALL: dict[str, dict[str, int]] = {"cnn": {}, "gru": {}, "resnet50": {"test": 1, "check": 2}}
OTHERS = {"torch", "tensorflow", "keras", "onnxruntime"}

pytest.importorskip("flax")


@functools.cache
def answer(model: str, folder: Path, **settings: Any) -> dict[str, Any]:
    folder = folder / "-".join([model, *map(str, settings.values())])
    folder.mkdir()
    return run(job(model, folder, **settings), folder).answer


def job(model: str, folder: Path, **settings: Any) -> dict[str, Any]:
    settings = {"packages": ["jax", "flax", "optax"], **SMALL[model], **settings}
    return a_job(folder, MODELS[model], FOLDER / f"{model}.py", draw(model, seed=1), **settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jax")


@pytest.mark.parametrize("model", ["cnn", "gru"])
def test_trained_model(model: str, folder: Path) -> None:
    record = answer(model, folder)
    assert [len(losses) for losses in record["losses"]["epochs"]] == [2, 2]
    assert np.shape(record["check"]["outputs_after"]) == (70, MODELS[model].outputs)
    assert record["check"]["outputs_before"] != record["check"]["outputs_after"]
    assert record["check"]["repeat_difference"] == 0
    assert (record["threads"], record["precision"], record["device"]["kind"]) == (2, "float32", "cpu")
    assert set(record["versions"]) == {"python", "jax", "flax", "optax"}


def test_features(folder: Path) -> None:
    record = answer("resnet50", folder)
    assert np.shape(record["check"]["outputs_before"]) == (2, 2048)
    assert record["check"]["repeat_difference"] == 0


def test_bf16_is_close_to_float32_but_not_the_same(folder: Path) -> None:
    exact = np.array(answer("gru", folder)["check"]["outputs_before"])
    record = answer("gru", folder, precision="bf16", threads=1)
    difference = np.abs(np.array(record["check"]["outputs_before"]) - exact).max()
    assert (record["precision"], record["threads"]) == ("bf16", 1)
    assert 0 < difference < 0.1 * np.abs(exact).max()


@pytest.mark.parametrize(
    ("settings", "reason"), [({"precision": "tf32"}, "TF32"), ({"device": "cuda"}, "JAX sees no CUDA device")]
)
def test_what_is_not_there(settings: dict[str, str], reason: str, tmp_path: Path) -> None:
    if settings.get("device") == "cuda" and any(Path("/proc/driver/nvidia/gpus").glob("*")):
        pytest.skip("there is a CUDA device")
    refusal = run(job("gru", tmp_path, **settings), tmp_path).refusal
    assert refusal["status"] == "unavailable"
    assert reason in refusal["message"]
    assert refusal["where"].startswith("jax/framework.py:")


def test_no_other_framework_is_imported() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); from pathlib import Path;"
        "from harness.implementation import Implementation; del sys.path[0];"
        f"Implementation(Path({str(FOLDER / 'gru.py')!r})); print(*{OTHERS!r}.intersection(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
