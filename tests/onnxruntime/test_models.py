"""ONNX Runtime's models through the harness's door; tests/mutants proves what they compute."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosetta.models import MODELS
from rosetta.weights import draw

from ..harness.jobs import ROOT, a_job, run

FOLDER = ROOT / "python" / "onnxruntime"
OTHERS = {"torch", "tensorflow", "keras", "jax"}

onnxruntime = pytest.importorskip("onnxruntime")


def job(folder: Path, name: str = "resnet50", **settings: Any) -> dict[str, Any]:
    settings = {"packages": ["onnxruntime", "onnxscript"], "trains": False, "test": 3, "check": 10, **settings}
    return a_job(folder, MODELS[name], FOLDER / f"{name}.py", draw(name, seed=1), **settings)


@pytest.mark.parametrize("name", MODELS)
def test_prediction(name: str, tmp_path: Path) -> None:
    record = run(job(tmp_path, name, threads=1), tmp_path).answer
    assert np.shape(record["check"]["outputs_before"]) == (10, MODELS[name].outputs)
    assert "losses" not in record
    assert "accuracy" not in record
    assert record["check"]["repeat_difference"] == 0
    assert record["features"]["deviation"] > 0
    assert (record["threads"], record["precision"], record["device"]["kind"]) == (1, "float32", "cpu")
    assert set(record["versions"]) == {"python", "onnxruntime", "onnxscript"}


def test_tf32_needs_cuda(tmp_path: Path) -> None:
    refusal = run(job(tmp_path, precision="tf32"), tmp_path).refusal
    assert refusal["status"] == "unavailable"
    assert "TF32" in refusal["message"]


@pytest.mark.skipif("CUDAExecutionProvider" in onnxruntime.get_available_providers(), reason="this build has CUDA")
def test_a_build_without_cuda(tmp_path: Path) -> None:
    refusal = run(job(tmp_path, device="cuda"), tmp_path).refusal
    assert refusal["status"] == "unavailable"
    assert "onnxruntime-gpu" in refusal["message"]
    assert refusal["where"].startswith("onnxruntime/framework.py:")


def test_no_other_framework_is_imported() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); from pathlib import Path;"
        "from harness.implementation import Implementation; del sys.path[0];"
        f"[Implementation(path) for path in Path({str(FOLDER)!r}).glob('*.py') if path.stem != 'framework'];"
        f"print(*{OTHERS!r}.intersection(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
