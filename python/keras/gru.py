"""GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam.

Chosen on a CPU: no XLA on TensorFlow (jit_compile takes 1.16 times as long on two threads, 0.68 on one); Keras on JAX
is always compiled.
"""

from types import SimpleNamespace

import keras
import numpy as np
from framework import BatchLoss, LossHistory, test_data, training_data
from keras import layers


# --- model ---
def gru() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((150,), dtype="int32"),
            layers.Embedding(30_000, 125, name="embedding"),
            layers.GRU(100, reset_after=True, name="gru"),
            layers.Dense(2, dtype="float32", name="dense"),  # at any precision: for the loss
        ]
    )


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> keras.Model:
    model = gru()
    model.get_layer("embedding").set_weights([weights["embedding.weight"]])
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    input_kernel, state_kernel, input_bias, state_bias = (update_first(weights[f"gru.{name}"]) for name in names)
    model.get_layer("gru").set_weights([input_kernel.T, state_kernel.T, np.stack([input_bias, state_bias])])
    model.get_layer("dense").set_weights([weights["dense.weight"].T, weights["dense.bias"]])
    model.compile(
        optimizer=keras.optimizers.Adam(job.learning_rate, job.beta1, job.beta2, job.epsilon),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[BatchLoss()],
        jit_compile=job.compile or keras.backend.backend() == "jax",
    )
    model.batch_size = job.batch_size
    return model


def update_first(gates: np.ndarray) -> np.ndarray:
    """The gates in Keras's order: update, reset, new; the weights come as reset, update, new."""
    reset, update, new = np.split(gates, 3)
    return np.concatenate([update, reset, new])


# --- training ---
def train(model: keras.Model, inputs: np.ndarray, labels: np.ndarray, batches: np.ndarray) -> np.ndarray:
    history = LossHistory(len(batches))
    data = training_data(inputs, labels, batches)
    model.fit(data, shuffle=False, verbose=0, callbacks=[history])
    return history.losses


# --- prediction ---
def predict(model: keras.Model, inputs: np.ndarray) -> np.ndarray:
    return model.predict(test_data(inputs, model.batch_size), verbose=0)
