"""TensorFlow's jobs: what their process imports, and what is refused."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from harness.errors import UnavailableError
from harness.implementation import import_file
from rosetta.referee import judge, read_reference

from tests.mutants.bench import PYTHON, run_apart

tf = pytest.importorskip("tensorflow")


def test_a_job_runs_in_a_process_without_other_frameworks(prepared: Path, tmp_path: Path) -> None:
    source = (PYTHON / "tensorflow" / "resnet50.py").read_text(encoding="utf-8")
    answers = run_apart("tensorflow", {"resnet50": ("resnet50", source)}, prepared, tmp_path)
    assert answers["resnet50"]["device"] == {"kind": "cpu", "name": "CPU"}
    assert "torch" not in answers["modules"]


@pytest.mark.parametrize("model", ["cnn", "gru"])
def test_a_compiled_model_is_verified(model: str, prepared: Path, tmp_path: Path) -> None:
    source = (PYTHON / "tensorflow" / f"{model}.py").read_text(encoding="utf-8")
    record = run_apart("tensorflow", {model: (model, source)}, prepared, tmp_path, compile=True)[model]
    verdict = judge(read_reference(prepared, model), "float32", "epsilon_hat", record)
    assert verdict.verified == "yes", verdict.reason


def test_tf32_is_refused_on_the_cpu() -> None:
    framework = import_file(PYTHON / "tensorflow" / "framework.py")
    with pytest.raises(UnavailableError, match="TF32 is a number format of CUDA devices"):
        framework.configure(SimpleNamespace(device="cpu", precision="tf32", threads=1))


@pytest.mark.skipif(bool(tf.config.list_physical_devices("GPU")), reason="There is a GPU.")
def test_a_missing_gpu_is_said_and_how_to_get_one() -> None:
    framework = import_file(PYTHON / "tensorflow" / "framework.py")
    with pytest.raises(UnavailableError, match=r"install tensorflow\[and-cuda\]"):
        framework.configure(SimpleNamespace(device="cuda", precision="float32", threads=1))
