"""CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

Chosen on a CPU: tf.function without XLA (jit_compile takes 1.65 times as long).
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace

import tensorflow as tf
from framework import UNTUNED

Weights = dict[str, tf.Tensor]


# --- model ---
class CNN(tf.Module):
    train_step: Callable[..., tf.Tensor]
    predict_step: Callable[..., tf.Tensor]

    def __init__(self, job: SimpleNamespace, weights: Weights) -> None:
        super().__init__()
        self.job = job
        self.conv1 = Conv(weights["conv1.weight"], weights["conv1.bias"])
        self.conv2 = Conv(weights["conv2.weight"], weights["conv2.bias"])
        self.conv3 = Conv(weights["conv3.weight"], weights["conv3.bias"])
        self.conv4 = Conv(weights["conv4.weight"], weights["conv4.bias"])
        # The flattened image comes as (channels, height, width) with the weights, as (height, width, channels) here.
        dense1 = tf.reshape(tf.transpose(tf.reshape(weights["dense1.weight"], (512, 100, 64)), (0, 2, 1)), (512, 6400))
        self.dense1 = Dense(dense1, weights["dense1.bias"])
        self.dense2 = Dense(weights["dense2.weight"], weights["dense2.bias"])

    def __call__(self, images: tf.Tensor, training: bool) -> tf.Tensor:
        x = tf.cast(images, tf.float32) / 255
        x = tf.transpose(x, (0, 2, 3, 1))  # (batch, height, width, channels)
        x = tf.nn.relu(self.conv1(x))
        x = tf.nn.relu(self.conv2(x))
        x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        x = dropout(x, self.job.dropout_conv, training)
        x = tf.nn.relu(self.conv3(x))
        x = tf.nn.relu(self.conv4(x))
        x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        x = dropout(x, self.job.dropout_conv, training)
        x = tf.reshape(x, (-1, 8 * 8 * 100))
        x = tf.nn.relu(self.dense1(x))
        x = dropout(x, self.job.dropout_dense, training)
        return self.dense2(x)


class Conv(tf.Module):
    def __init__(self, weight: tf.Tensor, bias: tf.Tensor) -> None:
        super().__init__()
        self.kernel = tf.Variable(tf.transpose(weight, (2, 3, 1, 0)))  # (height, width, inputs, outputs)
        self.bias = tf.Variable(bias)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(tf.nn.conv2d(x, self.kernel, strides=1, padding="SAME"), self.bias)


class Dense(tf.Module):
    def __init__(self, weight: tf.Tensor, bias: tf.Tensor) -> None:
        super().__init__()
        self.kernel = tf.Variable(tf.transpose(weight))  # (inputs, outputs)
        self.bias = tf.Variable(bias)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(x @ self.kernel, self.bias)


def dropout(x: tf.Tensor, rate: float, training: bool) -> tf.Tensor:
    return tf.nn.dropout(x, rate) if training else x


# --- build ---
def build(job: SimpleNamespace, weights: Weights) -> CNN:
    tf.random.set_seed(job.seed)
    model = CNN(job, weights)
    optimizer = SGD(model.trainable_variables, job.learning_rate, job.momentum)
    model.train_step = tf.function(partial(train_step, model, optimizer), jit_compile=job.compile)
    model.predict_step = tf.function(partial(model, training=False), jit_compile=job.compile)
    return model


# --- training ---
class SGD(tf.Module):
    def __init__(self, weights: Sequence[tf.Variable], learning_rate: float, momentum: float) -> None:
        super().__init__()
        self.weights = weights
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.velocities = [tf.Variable(tf.zeros_like(weight)) for weight in weights]

    def apply(self, gradients: Sequence[tf.Tensor]) -> None:
        for weight, velocity, gradient in zip(self.weights, self.velocities, gradients, strict=True):
            velocity.assign(self.momentum * velocity + gradient)
            weight.assign_sub(self.learning_rate * velocity)


def train_step(model: CNN, optimizer: SGD, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    optimizer.apply(tape.gradient(loss, model.trainable_variables))
    return loss


def train(model: CNN, inputs: tf.Tensor, labels: tf.Tensor, batches: tf.Tensor) -> tf.Tensor:
    data = tf.data.Dataset.from_tensor_slices(batches)
    data = data.map(lambda batch: (tf.gather(inputs, batch), tf.gather(labels, batch)))
    data = data.prefetch(1).with_options(UNTUNED)
    return tf.stack([model.train_step(images, targets) for images, targets in data])


# --- prediction ---
def predict(model: CNN, inputs: tf.Tensor) -> tf.Tensor:
    data = tf.data.Dataset.from_tensor_slices(inputs).batch(model.job.batch_size).prefetch(1).with_options(UNTUNED)
    return tf.concat([model.predict_step(images) for images in data], axis=0)
