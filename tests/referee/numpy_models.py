"""The same formulas once more, in NumPy alone and step by step: what rosetta.formulas is checked against."""

from collections.abc import Callable

import numpy as np

Arrays = dict[str, np.ndarray]


def convolution(x: np.ndarray, weight: np.ndarray, stride: int, padding: int) -> np.ndarray:
    """Cross-correlation of x (examples, channels, height, width) with weight (outputs, channels, rows, columns)."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    outputs, _, rows, columns = weight.shape
    height, width = (x.shape[2] - rows) // stride + 1, (x.shape[3] - columns) // stride + 1
    y = np.empty((len(x), outputs, height, width))
    for row in range(height):
        for column in range(width):
            top, left = row * stride, column * stride
            patch = x[:, :, top : top + rows, left : left + columns]
            y[:, :, row, column] = np.tensordot(patch, weight, axes=((1, 2, 3), (1, 2, 3)))
    return y


def maximum_pool(x: np.ndarray, size: int, stride: int, padding: int) -> np.ndarray:
    """Maximum over windows; what is outside of the image does not count."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=-np.inf)
    height, width = (x.shape[2] - size) // stride + 1, (x.shape[3] - size) // stride + 1
    y = np.empty((*x.shape[:2], height, width))
    for row in range(height):
        for column in range(width):
            top, left = row * stride, column * stride
            y[:, :, row, column] = x[:, :, top : top + size, left : left + size].max(axis=(2, 3))
    return y


def cnn(w: Arrays, images: np.ndarray) -> np.ndarray:
    """Logits of the CNN."""

    def layer(name: str, x: np.ndarray) -> np.ndarray:
        return np.maximum(convolution(x, w[f"{name}.weight"], 1, 1) + w[f"{name}.bias"].reshape(1, -1, 1, 1), 0)

    x = images / 255.0
    x = maximum_pool(layer("conv2", layer("conv1", x)), 2, 2, 0)
    x = maximum_pool(layer("conv4", layer("conv3", x)), 2, 2, 0)
    x = np.maximum(x.reshape(len(x), -1) @ w["dense1.weight"].T + w["dense1.bias"], 0)
    return x @ w["dense2.weight"].T + w["dense2.bias"]


def gru(w: Arrays, words: np.ndarray) -> np.ndarray:
    """Logits of the GRU, one review and one word after the other."""

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))

    logits = []
    for review in words:
        h = np.zeros(w["gru.weight_hh_l0"].shape[1])
        for word in review:
            x = w["embedding.weight"][word]
            (w_r, w_z, w_n), (u_r, u_z, u_n) = np.split(w["gru.weight_ih_l0"], 3), np.split(w["gru.weight_hh_l0"], 3)
            (b_r, b_z, b_n), (c_r, c_z, c_n) = np.split(w["gru.bias_ih_l0"], 3), np.split(w["gru.bias_hh_l0"], 3)
            r = sigmoid(w_r @ x + b_r + u_r @ h + c_r)
            z = sigmoid(w_z @ x + b_z + u_z @ h + c_z)
            n = np.tanh(w_n @ x + b_n + r * (u_n @ h + c_n))
            h = (1 - z) * n + z * h
        logits.append(w["dense.weight"] @ h + w["dense.bias"])
    return np.array(logits)


def resnet50(w: Arrays, images: np.ndarray, mean: list[float], deviation: list[float], epsilon: float) -> np.ndarray:
    """Features of ResNet-50 v1.5."""

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        gamma, beta, mu, variance = (
            w[f"{name}.{part}"][:, None, None] for part in ("weight", "bias", "running_mean", "running_var")
        )
        return (x - mu) / (variance + epsilon) ** 0.5 * gamma + beta

    def convolved(name: str, x: np.ndarray, stride: int = 1, padding: int = 0) -> np.ndarray:
        return convolution(x, w[f"{name}.weight"], stride, padding)

    x = (images / 255.0 - np.reshape(mean, (3, 1, 1))) / np.reshape(deviation, (3, 1, 1))
    x = np.maximum(norm("bn1", convolved("conv1", x, 2, 3)), 0)
    x = maximum_pool(x, 3, 2, 1)
    for stage, blocks in enumerate((3, 4, 6, 3), start=1):
        for block in range(blocks):
            name = f"layer{stage}.{block}"
            stride = 2 if stage > 1 and block == 0 else 1
            y = np.maximum(norm(f"{name}.bn1", convolved(f"{name}.conv1", x)), 0)
            y = np.maximum(norm(f"{name}.bn2", convolved(f"{name}.conv2", y, stride, 1)), 0)
            y = norm(f"{name}.bn3", convolved(f"{name}.conv3", y))
            if block == 0:
                x = norm(f"{name}.downsample.1", convolved(f"{name}.downsample.0", x, stride))
            x = np.maximum(x + y, 0)
    return x.mean(axis=(2, 3))


def cross_entropy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Mean of -log of the probability of the label."""
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return float(np.mean([-np.log(row[label]) for row, label in zip(probabilities, labels, strict=True)]))


def slope(loss: Callable[[], float], parameter: np.ndarray, place: tuple[int, ...], step: float = 1e-5) -> float:
    """The central difference quotient of a loss with respect to one element of a parameter."""
    kept = parameter[place]
    parameter[place] = kept + step
    above = loss()
    parameter[place] = kept - step
    below = loss()
    parameter[place] = kept
    return (above - below) / (2 * step)
