"""ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only."""

from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import Array


# --- model ---
def convolution(inputs: int, outputs: int, size: int, stride: int, job: SimpleNamespace) -> nnx.Conv:
    dtype = jnp.bfloat16 if job.precision == "bf16" else jnp.float32
    options = {"padding": size // 2, "use_bias": False, "dtype": dtype, "rngs": nnx.Rngs(0)}
    return nnx.Conv(inputs, outputs, (size, size), stride, **options)


def normalization(channels: int, job: SimpleNamespace) -> nnx.BatchNorm:
    dtype = jnp.bfloat16 if job.precision == "bf16" else jnp.float32
    options = {"use_running_average": True, "dtype": dtype, "rngs": nnx.Rngs(0)}
    return nnx.BatchNorm(channels, epsilon=job.batch_norm_epsilon, **options)


class Bottleneck(nnx.Module):
    def __init__(self, inputs: int, width: int, stride: int, job: SimpleNamespace) -> None:
        outputs = 4 * width
        self.conv1 = convolution(inputs, width, 1, 1, job)
        self.bn1 = normalization(width, job)
        self.conv2 = convolution(width, width, 3, stride, job)
        self.bn2 = normalization(width, job)
        self.conv3 = convolution(width, outputs, 1, 1, job)
        self.bn3 = normalization(outputs, job)
        self.downsample = nnx.Sequential()
        if stride != 1 or inputs != outputs:
            self.downsample = nnx.Sequential(
                convolution(inputs, outputs, 1, stride, job),
                normalization(outputs, job),
            )

    def __call__(self, x: Array) -> Array:
        y = nnx.relu(self.bn1(self.conv1(x)))
        y = nnx.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return nnx.relu(y + self.downsample(x))


class ResNet50(nnx.Module):
    def __init__(self, job: SimpleNamespace) -> None:
        self.mean = job.mean
        self.deviation = job.deviation
        self.conv1 = convolution(3, 64, 7, 2, job)
        self.bn1 = normalization(64, job)
        self.layer1 = layer(blocks=3, inputs=64, width=64, stride=1, job=job)
        self.layer2 = layer(blocks=4, inputs=256, width=128, stride=2, job=job)
        self.layer3 = layer(blocks=6, inputs=512, width=256, stride=2, job=job)
        self.layer4 = layer(blocks=3, inputs=1024, width=512, stride=2, job=job)

    def __call__(self, images: Array) -> Array:
        x = images.transpose(0, 2, 3, 1) / 255
        x = (x - jnp.array(self.mean)) / jnp.array(self.deviation)
        x = nnx.relu(self.bn1(self.conv1(x)))
        x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
        x = self.layer1(x)
        x = self.layer2(x)
        x = self.layer3(x)
        x = self.layer4(x)
        return x.mean(axis=(1, 2), dtype=jnp.float32)


def layer(blocks: int, inputs: int, width: int, stride: int, job: SimpleNamespace) -> nnx.Sequential:
    first = Bottleneck(inputs, width, stride, job)
    others = [Bottleneck(4 * width, width, 1, job) for _ in range(blocks - 1)]
    return nnx.Sequential(first, *others)


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> SimpleNamespace:
    model = nnx.eval_shape(lambda: ResNet50(job))  # its shapes alone: the weights are given
    nnx.update(model, parameters(weights))
    features = nnx.jit_partial(ResNet50.__call__, model, graph=False)
    return SimpleNamespace(batch_size=job.batch_size, features=features)


def parameters(weights: dict[str, np.ndarray]) -> dict[str, Any]:
    """The weights under Flax's names; a convolution's are (height, width, inputs, outputs)."""
    names = {"weight": "scale", "bias": "bias", "running_mean": "mean", "running_var": "var"}
    found = {}
    for name, value in weights.items():
        *modules, part = name.split(".")
        path = [key for module in modules for key in (("layers", int(module)) if module.isdigit() else (module,))]
        if value.ndim == 4:
            found[*path, "kernel"] = jnp.array(value.transpose(2, 3, 1, 0))
        else:
            found[*path, names[part]] = jnp.array(value)
    return nnx.traversals.unflatten_mapping(found)


# --- prediction ---
def predict(model: SimpleNamespace, inputs: np.ndarray) -> Array:
    batches = range(0, len(inputs), model.batch_size)
    return jnp.concatenate([model.features(inputs[first : first + model.batch_size]) for first in batches])
