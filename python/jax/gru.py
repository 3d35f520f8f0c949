"""GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam."""

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax import Array


# --- model ---
class GRULayer(nnx.Module):
    """cuDNN's variant: the reset gate acts after the matrix product, so there are two biases. nnx.GRUCell has fewer."""

    def __init__(self, inputs: int, units: int, dtype: jnp.dtype, rngs: nnx.Rngs) -> None:
        self.from_input = nnx.Linear(inputs, 3 * units, dtype=dtype, rngs=rngs)
        self.from_state = nnx.Linear(units, 3 * units, dtype=dtype, rngs=rngs)

    def __call__(self, x: Array) -> Array:
        """The last state of a sequence (time, batch, inputs)."""

        def step(state: Array, from_input: Array) -> tuple[Array, None]:
            reset_x, update_x, new_x = jnp.split(from_input, 3, axis=-1)
            reset_h, update_h, new_h = jnp.split(self.from_state(state), 3, axis=-1)
            reset = nnx.sigmoid(reset_x + reset_h)
            update = nnx.sigmoid(update_x + update_h)
            new = jnp.tanh(new_x + reset * new_h)
            return (1 - update) * new + update * state, None

        start = jnp.zeros((x.shape[1], self.from_state.in_features))
        last, _ = jax.lax.scan(step, start, self.from_input(x))
        return last


class GRU(nnx.Module):
    def __init__(self, job: SimpleNamespace, rngs: nnx.Rngs) -> None:
        dtype = jnp.bfloat16 if job.precision == "bf16" else jnp.float32
        self.embedding = nnx.Embed(30_000, 125, dtype=dtype, rngs=rngs)
        self.gru = GRULayer(125, 100, dtype, rngs)
        self.dense = nnx.Linear(100, 2, dtype=dtype, rngs=rngs)

    def __call__(self, words: Array) -> Array:
        x = self.embedding(words.T)  # (150 words, batch, 125): time first, as lax.scan reads it
        return self.dense(self.gru(x)).astype(jnp.float32)


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> SimpleNamespace:
    model = nnx.eval_shape(lambda: GRU(job, nnx.Rngs(0)))  # its shapes alone: the weights are given
    nnx.update(model, parameters(weights))
    adam = optax.adam(job.learning_rate, job.beta1, job.beta2, job.epsilon)
    optimizer = nnx.Optimizer(model, adam, wrt=nnx.Param)
    return SimpleNamespace(
        batch_size=job.batch_size,
        train_step=nnx.jit_partial(train_step, model, optimizer, donate_argnums=0, graph=False),
        logits=nnx.jit_partial(GRU.__call__, model, graph=False),
    )


def parameters(weights: dict[str, np.ndarray]) -> dict[str, Any]:
    """The weights under Flax's names and in its layout (inputs, outputs)."""
    w = {name: jnp.array(weight) for name, weight in weights.items()}
    return {
        "embedding": {"embedding": w["embedding.weight"]},
        "gru": {
            "from_input": {"kernel": w["gru.weight_ih_l0"].T, "bias": w["gru.bias_ih_l0"]},
            "from_state": {"kernel": w["gru.weight_hh_l0"].T, "bias": w["gru.bias_hh_l0"]},
        },
        "dense": {"kernel": w["dense.weight"].T, "bias": w["dense.bias"]},
    }


# --- training ---
def train_step(model: GRU, optimizer: nnx.Optimizer, words: Array, labels: Array) -> Array:
    def loss_of(model: GRU) -> Array:
        return optax.softmax_cross_entropy_with_integer_labels(model(words), labels).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(model: SimpleNamespace, inputs: np.ndarray, labels: np.ndarray, batches: np.ndarray) -> Array:
    return jnp.stack([model.train_step(inputs[batch], labels[batch]) for batch in batches])


# --- prediction ---
def predict(model: SimpleNamespace, inputs: np.ndarray) -> Array:
    batches = range(0, len(inputs), model.batch_size)
    return jnp.concatenate([model.logits(inputs[first : first + model.batch_size]) for first in batches])
