"""PyTorch's three models through the harness's door, on small tensors without meaning."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rosetta.models import MODELS

from ..harness.jobs import ROOT, a_job, run

FOLDER = ROOT / "python" / "pytorch"
SMALL: dict[str, dict[str, int]] = {"cnn": {}, "gru": {}, "resnet50": {"test": 5, "check": 10}}
CONVOLUTIONS = {"conv1": (50, 3), "conv2": (50, 50), "conv3": (100, 50), "conv4": (100, 100)}
RESNET50_LAYERS = {"layer1": (64, 3), "layer2": (128, 4), "layer3": (256, 6), "layer4": (512, 3)}


def shapes(model: str) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the weights, written out from docs/models.md."""
    if model == "gru":
        return {
            "embedding.weight": (30_000, 125),
            "gru.weight_ih_l0": (300, 125),
            "gru.weight_hh_l0": (300, 100),
            "gru.bias_ih_l0": (300,),
            "gru.bias_hh_l0": (300,),
            "dense.weight": (2, 100),
            "dense.bias": (2,),
        }
    if model == "cnn":
        found: dict[str, tuple[int, ...]] = {}
        for name, (outputs, inputs) in CONVOLUTIONS.items():
            found |= {f"{name}.weight": (outputs, inputs, 3, 3), f"{name}.bias": (outputs,)}
        found |= {"dense1.weight": (512, 6400), "dense1.bias": (512,)}
        return found | {"dense2.weight": (10, 512), "dense2.bias": (10,)}
    found = convolution_and_norm("conv1", "bn1", (64, 3, 7, 7))
    inputs = 64
    for layer, (width, blocks) in RESNET50_LAYERS.items():
        for block in range(blocks):
            name = f"{layer}.{block}"
            found |= convolution_and_norm(f"{name}.conv1", f"{name}.bn1", (width, inputs, 1, 1))
            found |= convolution_and_norm(f"{name}.conv2", f"{name}.bn2", (width, width, 3, 3))
            found |= convolution_and_norm(f"{name}.conv3", f"{name}.bn3", (4 * width, width, 1, 1))
            if block == 0:
                shortcut = (4 * width, inputs, 1, 1)
                found |= convolution_and_norm(f"{name}.downsample.0", f"{name}.downsample.1", shortcut)
            inputs = 4 * width
    return found


def convolution_and_norm(convolution: str, norm: str, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    parts = ("weight", "bias", "running_mean", "running_var")
    return {f"{convolution}.weight": shape} | {f"{norm}.{part}": (shape[0],) for part in parts}


def weights(model: str) -> dict[str, np.ndarray]:
    """He initialisation; normalisations that change nothing; biases of 0."""
    random = np.random.default_rng(0)

    def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if len(shape) > 1:
            return random.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)
        return np.full(shape, name.endswith(("running_var", "bn1.weight", "bn2.weight", "downsample.1.weight")), "f4")

    made = {name: weight(name, shape) for name, shape in shapes(model).items()}
    return {name: np.full_like(value, 0.2) if name.endswith("bn3.weight") else value for name, value in made.items()}


@functools.cache
def answer(model: str, folder: Path, **settings: Any) -> dict[str, Any]:
    folder = folder / "-".join([model, *map(str, settings.values())])
    folder.mkdir()
    return run(job(model, folder, **settings), folder).answer


def job(model: str, folder: Path, **settings: Any) -> dict[str, Any]:
    # One thread: with several, the order of sums may differ from run to run.
    settings = {"packages": ["torch"], "threads": 1, **SMALL[model], **settings}
    return a_job(folder, MODELS[model], FOLDER / f"{model}.py", weights(model), **settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pytorch")


@pytest.mark.parametrize("model", ["cnn", "gru"])
def test_trained_model(model: str, folder: Path) -> None:
    record = answer(model, folder)
    assert [len(losses) for losses in record["losses"]["epochs"]] == [2, 2]
    assert np.shape(record["check"]["outputs_before"]) == (70, MODELS[model].outputs)
    assert np.shape(record["check"]["outputs_after"]) == (70, MODELS[model].outputs)
    assert record["check"]["outputs_before"] != record["check"]["outputs_after"]
    assert len(record["check"]["losses"]) == 1
    assert record["check"]["repeat_difference"] == 0
    assert record["precision"] == "float32"
    assert record["versions"]["torch"] == torch.__version__


def test_features(folder: Path) -> None:
    record = answer("resnet50", folder)
    assert np.shape(record["check"]["outputs_before"]) == (10, 2048)
    assert record["check"]["repeat_difference"] == 0
    assert record["features"]["deviation"] > 0


def test_a_seed_gives_the_same_numbers_again(folder: Path) -> None:
    first, second = answer("gru", folder), answer("gru", folder, bridge="again")
    assert first["check"] == second["check"]
    assert first["losses"] == second["losses"]


def test_dropout_follows_the_seed_but_is_off_in_the_check(folder: Path) -> None:
    first, second = answer("cnn", folder), answer("cnn", folder, seed=2)
    assert first["losses"] != second["losses"]
    assert first["check"] == second["check"]


@pytest.mark.parametrize("model", ["cnn", "gru", "resnet50"])
def test_bf16_is_close_to_float32_but_not_the_same(model: str, folder: Path) -> None:
    exact = np.array(answer(model, folder)["check"]["outputs_before"])
    record = answer(model, folder, precision="bf16")
    rounded = np.array(record["check"]["outputs_before"])
    assert record["precision"] == "bf16"
    assert 0 < np.abs(rounded - exact).max() < 0.05 * np.abs(exact).max()


def test_compiled(folder: Path) -> None:
    exact, compiled = answer("gru", folder), answer("gru", folder, compile=True, threads=2)
    assert (exact["threads"], compiled["threads"]) == (1, 2)
    np.testing.assert_allclose(compiled["check"]["outputs_after"], exact["check"]["outputs_after"], atol=1e-5)


def test_tf32_needs_cuda(tmp_path: Path) -> None:
    refusal = run(job("gru", tmp_path, precision="tf32"), tmp_path).refusal
    assert refusal["status"] == "unavailable"
    assert "TF32" in refusal["message"]
    assert refusal["where"].startswith("pytorch/framework.py:")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_that_is_not_there(tmp_path: Path) -> None:
    refusal = run(job("gru", tmp_path, device="cuda"), tmp_path).refusal
    assert refusal["status"] == "unavailable"
    assert refusal["message"].startswith("UnavailableError: PyTorch sees no CUDA device")
