"""CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

Chosen on a CPU: no XLA on TensorFlow (jit_compile takes 4.4 times as long); Keras on JAX is always compiled.
"""

from functools import partial
from types import SimpleNamespace

import keras
import numpy as np
from framework import BatchLoss, LossHistory, test_data, training_data
from keras import layers


# --- model ---
def cnn(job: SimpleNamespace) -> keras.Model:
    channels_first = keras.config.image_data_format() == "channels_first"
    # The given weights take the place of the zeros: to draw random ones first would cost seconds on JAX.
    convolution = partial(layers.Conv2D, kernel_size=3, padding="same", activation="relu", kernel_initializer="zeros")
    return keras.Sequential(
        [
            keras.Input((3, 32, 32), dtype="uint8"),
            layers.Permute((1, 2, 3) if channels_first else (2, 3, 1)),
            layers.Rescaling(1 / 255),
            convolution(50, name="conv1"),
            convolution(50, name="conv2"),
            layers.MaxPooling2D(2),
            layers.Dropout(job.dropout_conv, seed=job.seed),
            convolution(100, name="conv3"),
            convolution(100, name="conv4"),
            layers.MaxPooling2D(2),
            layers.Dropout(job.dropout_conv, seed=job.seed + 1),
            layers.Flatten(),  # to (height, width, channels), whatever comes first in the image
            layers.Dense(512, activation="relu", kernel_initializer="zeros", name="dense1"),
            layers.Dropout(job.dropout_dense, seed=job.seed + 2),
            layers.Dense(
                10, kernel_initializer="zeros", dtype="float32", name="dense2"
            ),  # at any precision: for the loss
        ]
    )


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> keras.Model:
    model = cnn(job)
    for name in ("conv1", "conv2", "conv3", "conv4"):
        kernel = weights[f"{name}.weight"].transpose(2, 3, 1, 0)  # (height, width, inputs, outputs)
        model.get_layer(name).set_weights([kernel, weights[f"{name}.bias"]])
    # The flattened image comes as (channels, height, width) with the weights, as (height, width, channels) here.
    dense1 = weights["dense1.weight"].reshape(512, 100, 64).transpose(2, 1, 0).reshape(6400, 512)
    model.get_layer("dense1").set_weights([dense1, weights["dense1.bias"]])
    model.get_layer("dense2").set_weights([weights["dense2.weight"].T, weights["dense2.bias"]])
    model.compile(
        optimizer=keras.optimizers.SGD(job.learning_rate, job.momentum),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[BatchLoss()],
        jit_compile=job.compile or keras.backend.backend() == "jax",
    )
    model.batch_size = job.batch_size
    return model


# --- training ---
def train(model: keras.Model, inputs: np.ndarray, labels: np.ndarray, batches: np.ndarray) -> np.ndarray:
    history = LossHistory(len(batches))
    data = training_data(inputs, labels, batches)
    model.fit(data, shuffle=False, verbose=0, callbacks=[history])
    return history.losses


# --- prediction ---
def predict(model: keras.Model, inputs: np.ndarray) -> np.ndarray:
    return model.predict(test_data(inputs, model.batch_size), verbose=0)
