"""The formulas agree with an independent NumPy implementation, with difference quotients and with closed forms."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from rosetta import formulas

from tests.referee import numpy_models

RANDOM = np.random.default_rng(1)
MEAN, DEVIATION, EPSILON = [0.5, 0.4, 0.3], [0.2, 0.3, 0.4], 1e-5


def tiny_cnn() -> dict[str, np.ndarray]:
    shapes = {
        "conv1": (4, 3, 3, 3),
        "conv2": (4, 4, 3, 3),
        "conv3": (5, 4, 3, 3),
        "conv4": (5, 5, 3, 3),
        "dense1": (7, 5 * 2 * 2),
        "dense2": (3, 7),
    }
    weights = {f"{name}.weight": RANDOM.normal(0, 0.4, shape) for name, shape in shapes.items()}
    return weights | {f"{name}.bias": RANDOM.normal(0, 0.4, shape[0]) for name, shape in shapes.items()}


def tiny_gru() -> dict[str, np.ndarray]:
    shapes: dict[str, tuple[int, ...]] = {
        "embedding.weight": (11, 5),
        "gru.weight_ih_l0": (12, 5),
        "gru.weight_hh_l0": (12, 4),
        "gru.bias_ih_l0": (12,),
        "gru.bias_hh_l0": (12,),
        "dense.weight": (2, 4),
        "dense.bias": (2,),
    }
    return {name: RANDOM.normal(0, 0.7, shape) for name, shape in shapes.items()}


def tiny_resnet50() -> dict[str, np.ndarray]:
    weights: dict[str, np.ndarray] = {}

    def norm(name: str, channels: int) -> None:
        for part in ("weight", "bias", "running_mean"):
            weights[f"{name}.{part}"] = RANDOM.normal(0.3, 0.5, channels)
        weights[f"{name}.running_var"] = RANDOM.uniform(0.5, 2, channels)

    def convolution(name: str, outputs: int, inputs: int, size: int) -> None:
        weights[f"{name}.weight"] = RANDOM.normal(0, 1 / math.sqrt(inputs * size * size), (outputs, inputs, size, size))

    convolution("conv1", 2, 3, 7)
    norm("bn1", 2)
    inputs = 2
    for stage, blocks in enumerate(formulas.RESNET50_BLOCKS, start=1):
        for block in range(blocks):
            name, width = f"layer{stage}.{block}", stage + 1
            convolution(f"{name}.conv1", width, inputs, 1)
            convolution(f"{name}.conv2", width, width, 3)
            convolution(f"{name}.conv3", 2 * width, width, 1)
            for number, channels in enumerate((width, width, 2 * width), start=1):
                norm(f"{name}.bn{number}", channels)
            if block == 0:
                convolution(f"{name}.downsample.0", 2 * width, inputs, 1)
                norm(f"{name}.downsample.1", 2 * width)
            inputs = 2 * width
    return weights


def tensors(weights: dict[str, np.ndarray]) -> formulas.Weights:
    return {name: torch.from_numpy(weight) for name, weight in weights.items()}


def test_cnn_logits_are_numpy_s() -> None:
    weights, images = tiny_cnn(), RANDOM.integers(0, 256, (3, 3, 8, 8), dtype=np.uint8)
    found = formulas.cnn_logits(tensors(weights), torch.from_numpy(images))
    np.testing.assert_allclose(found, numpy_models.cnn(weights, images), rtol=1e-12)


def test_gru_logits_are_numpy_s() -> None:
    weights, words = tiny_gru(), RANDOM.integers(0, 11, (3, 6), dtype=np.int32)
    found = formulas.gru_logits(tensors(weights), torch.from_numpy(words))
    np.testing.assert_allclose(found, numpy_models.gru(weights, words), rtol=1e-12)


def test_resnet50_features_are_numpy_s() -> None:
    weights, images = tiny_resnet50(), RANDOM.integers(0, 256, (2, 3, 64, 64), dtype=np.uint8)
    found = formulas.resnet50_features(tensors(weights), torch.from_numpy(images), MEAN, DEVIATION, EPSILON)
    expected = numpy_models.resnet50(weights, images, MEAN, DEVIATION, EPSILON)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_cross_entropy_is_numpy_s() -> None:
    logits, labels = RANDOM.normal(0, 3, (5, 4)), np.array([0, 3, 1, 2, 2])
    found = formulas.cross_entropy(torch.from_numpy(logits), torch.from_numpy(labels))
    assert found.item() == pytest.approx(numpy_models.cross_entropy(logits, labels), rel=1e-13)


@pytest.mark.parametrize("classes", [2, 10])
def test_equal_logits_lose_the_logarithm_of_the_number_of_classes(classes: int) -> None:
    loss = formulas.cross_entropy(torch.full((3, classes), 7.0).double(), torch.tensor([0, 1, 1]))
    assert loss.item() == pytest.approx(math.log(classes))


def test_large_logits_do_not_overflow() -> None:
    loss = formulas.cross_entropy(torch.tensor([[1000.0, 0.0]]).double(), torch.tensor([1]))
    assert loss.item() == 1000


GRADIENTS = [
    (tiny_cnn, formulas.cnn_logits, numpy_models.cnn, RANDOM.integers(0, 256, (3, 3, 8, 8), dtype=np.uint8)),
    (tiny_gru, formulas.gru_logits, numpy_models.gru, RANDOM.integers(0, 11, (3, 6), dtype=np.int32)),
]


@pytest.mark.parametrize(("draw", "logits", "expected", "inputs"), GRADIENTS, ids=["cnn", "gru"])
def test_one_step_goes_down_numpy_s_slope(
    draw: Callable[[], dict[str, np.ndarray]],
    logits: Callable[..., torch.Tensor],
    expected: Callable[..., np.ndarray],
    inputs: np.ndarray,
) -> None:
    weights, labels = draw(), np.array([0, 1, 1])
    batch = (torch.from_numpy(inputs), torch.from_numpy(labels))
    rate = 0.5
    losses, trained = formulas.train(logits, tensors(weights), formulas.Momentum(rate, 0.9), [batch])

    def loss() -> float:
        return numpy_models.cross_entropy(expected(weights, inputs), labels)

    assert losses == [pytest.approx(loss(), rel=1e-12)]
    for name, weight in weights.items():
        place = tuple(int(RANDOM.integers(0, size)) for size in weight.shape)
        gradient = (weight[place] - trained[name][place].item()) / rate
        assert gradient == pytest.approx(numpy_models.slope(loss, weight, place), rel=1e-5, abs=1e-8), name


def test_momentum_in_numbers() -> None:
    optimizer = formulas.Momentum(learning_rate=0.1, momentum=0.5)
    weights, gradients = {"w": torch.tensor([1.0]).double()}, {"w": torch.tensor([2.0]).double()}
    for expected in (0.8, 0.5, 0.15):  # v = 2, 3, 3.5
        weights = optimizer.step(weights, gradients)
        assert weights["w"].item() == pytest.approx(expected)


@pytest.mark.parametrize("epsilon_hat", [False, True])
def test_adam_in_numbers(epsilon_hat: bool) -> None:
    rate, beta1, beta2, epsilon = 0.1, 0.9, 0.99, 0.01
    optimizer = formulas.Adam(rate, beta1, beta2, epsilon, epsilon_hat)
    weights = {"w": torch.tensor([1.0]).double()}
    w, m, v = 1.0, 0.0, 0.0
    for step, g in enumerate((2.0, -0.5, 0.25), start=1):
        weights = optimizer.step(weights, {"w": torch.tensor([g]).double()})
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        if epsilon_hat:
            w -= rate * math.sqrt(1 - beta2**step) / (1 - beta1**step) * m / (math.sqrt(v) + epsilon)
        else:
            w -= rate * (m / (1 - beta1**step)) / (math.sqrt(v / (1 - beta2**step)) + epsilon)
        assert weights["w"].item() == pytest.approx(w, rel=1e-13)


def test_the_two_forms_of_adam_differ_by_where_epsilon_stands() -> None:
    weights, gradients = {"w": torch.zeros(1).double()}, {"w": torch.tensor([1e-8]).double()}
    first, second = (
        formulas.Adam(1e-3, 0.9, 0.999, 1e-8, epsilon_hat).step(weights, gradients)["w"].item()
        for epsilon_hat in (False, True)
    )
    # The first step: -lr g / (|g| + eps) against -lr g / (|g| + eps / sqrt(1 - beta2)).
    assert first == pytest.approx(-1e-3 / 2)
    assert second == pytest.approx(-1e-3 / (1 + 1 / math.sqrt(1e-3)))


def test_dropout_keeps_the_mean() -> None:
    dropped = formulas.dropout(torch.ones(100_000), 0.25, torch.Generator().manual_seed(1))
    assert sorted(set(dropped.tolist())) == [0, pytest.approx(4 / 3)]
    assert dropped.mean().item() == pytest.approx(1, abs=0.01)


def test_batch_norm_in_numbers() -> None:
    weights = {
        f"bn.{name}": torch.tensor([value]).double()
        for name, value in (("weight", 3.0), ("bias", 1.0), ("running_mean", 2.0), ("running_var", 3.75))
    }
    found = formulas.batch_norm(weights, "bn", torch.full((1, 1, 1, 1), 6.0).double(), epsilon=0.25)
    assert found.item() == 3 * (6 - 2) / 2 + 1
