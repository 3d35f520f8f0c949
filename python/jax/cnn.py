"""CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

On a CPU convolutions are matrix products (see `convolve_neighbours`): a training step takes 0.53 of the time, a
prediction 3 times as long.
"""

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax import Array


# --- model ---
class CNN(nnx.Module):
    def __init__(self, job: SimpleNamespace, rngs: nnx.Rngs) -> None:
        dtype = jnp.bfloat16 if job.precision == "bf16" else jnp.float32
        convolve = convolve_neighbours if job.device == "cpu" else jax.lax.conv_general_dilated
        options = {"padding": "SAME", "dtype": dtype, "conv_general_dilated": convolve, "rngs": rngs}
        self.conv1 = nnx.Conv(3, 50, (3, 3), **options)
        self.conv2 = nnx.Conv(50, 50, (3, 3), **options)
        self.conv3 = nnx.Conv(50, 100, (3, 3), **options)
        self.conv4 = nnx.Conv(100, 100, (3, 3), **options)
        self.dense1 = nnx.Linear(8 * 8 * 100, 512, dtype=dtype, rngs=rngs)
        self.dense2 = nnx.Linear(512, 10, dtype=dtype, rngs=rngs)
        self.dropout_conv = nnx.Dropout(job.dropout_conv)
        self.dropout_dense = nnx.Dropout(job.dropout_dense)

    def __call__(self, images: Array, rngs: nnx.Rngs | None = None) -> Array:
        """Logits; with random numbers given, dropout is on."""
        off = rngs is None
        x = images.transpose(0, 2, 3, 1) / 255  # channels last
        x = nnx.relu(self.conv1(x))
        x = nnx.relu(self.conv2(x))
        x = nnx.max_pool(x, (2, 2), strides=(2, 2))
        x = self.dropout_conv(x, deterministic=off, rngs=rngs)
        x = nnx.relu(self.conv3(x))
        x = nnx.relu(self.conv4(x))
        x = nnx.max_pool(x, (2, 2), strides=(2, 2))
        x = self.dropout_conv(x, deterministic=off, rngs=rngs)
        x = x.reshape(len(x), -1)
        x = nnx.relu(self.dense1(x))
        x = self.dropout_dense(x, deterministic=off, rngs=rngs)
        return self.dense2(x).astype(jnp.float32)


def convolve_neighbours(images: Array, kernel: Array, *_arguments: Any, **_options: Any) -> Array:
    """The same 3x3 convolution as a matrix product, of each pixel's neighbourhood with the kernel.

    A CPU spends most of a step in XLA's gradient of a convolution's kernel; that of a product is fast.
    """
    _, height, width, _ = images.shape
    padded = jnp.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    neighbours = [padded[:, row : row + height, column : column + width] for row in range(3) for column in range(3)]
    return jnp.concatenate(neighbours, axis=-1) @ kernel.reshape(-1, kernel.shape[-1])


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> SimpleNamespace:
    model = nnx.eval_shape(lambda: CNN(job, nnx.Rngs(0)))  # its shapes alone: the weights are given
    nnx.update(model, parameters(weights))
    optimizer = nnx.Optimizer(model, optax.sgd(job.learning_rate, job.momentum), wrt=nnx.Param)
    rngs = nnx.Rngs(job.seed)
    return SimpleNamespace(
        batch_size=job.batch_size,
        train_step=nnx.jit_partial(train_step, model, optimizer, rngs, donate_argnums=0, graph=False),
        logits=nnx.jit_partial(CNN.__call__, model, graph=False),
    )


def parameters(weights: dict[str, np.ndarray]) -> dict[str, Any]:
    """The weights under Flax's names and in its layouts: (height, width, inputs, outputs) and (inputs, outputs)."""
    w = {name: jnp.array(weight) for name, weight in weights.items()}
    w["dense1.weight"] = w["dense1.weight"].reshape(512, 100, 8, 8).transpose(0, 2, 3, 1).reshape(512, 6400)
    convolutions = {
        name: {"kernel": w[f"{name}.weight"].transpose(2, 3, 1, 0), "bias": w[f"{name}.bias"]}
        for name in ("conv1", "conv2", "conv3", "conv4")
    }
    dense = {name: {"kernel": w[f"{name}.weight"].T, "bias": w[f"{name}.bias"]} for name in ("dense1", "dense2")}
    return {**convolutions, **dense}


# --- training ---
def train_step(model: CNN, optimizer: nnx.Optimizer, rngs: nnx.Rngs, images: Array, labels: Array) -> Array:
    def loss_of(model: CNN, rngs: nnx.Rngs) -> Array:
        return optax.softmax_cross_entropy_with_integer_labels(model(images, rngs), labels).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model, rngs)
    optimizer.update(model, gradients)
    return loss


def train(model: SimpleNamespace, inputs: np.ndarray, labels: np.ndarray, batches: np.ndarray) -> Array:
    return jnp.stack([model.train_step(inputs[batch], labels[batch]) for batch in batches])


# --- prediction ---
def predict(model: SimpleNamespace, inputs: np.ndarray) -> Array:
    batches = range(0, len(inputs), model.batch_size)
    return jnp.concatenate([model.logits(inputs[first : first + model.batch_size]) for first in batches])
