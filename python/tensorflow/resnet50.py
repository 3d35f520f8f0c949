"""ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

Chosen on a CPU: tf.function without XLA (jit_compile takes 0.97 to 1.1 times as long, and seconds to compile).
"""

from collections.abc import Callable
from types import SimpleNamespace

import tensorflow as tf
from framework import UNTUNED

Weights = dict[str, tf.Tensor]


# --- model ---
class ResNet50(tf.Module):
    predict_step: Callable[[tf.Tensor], tf.Tensor]

    def __init__(self, job: SimpleNamespace, weights: Weights) -> None:
        super().__init__()
        self.job = job
        self.stem = ConvNorm(job, weights, conv="conv1", norm="bn1", stride=2)
        self.layer1 = layer(job, weights, "layer1", blocks=3, stride=1)
        self.layer2 = layer(job, weights, "layer2", blocks=4, stride=2)
        self.layer3 = layer(job, weights, "layer3", blocks=6, stride=2)
        self.layer4 = layer(job, weights, "layer4", blocks=3, stride=2)

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        x = tf.transpose(tf.cast(images, tf.float32), (0, 2, 3, 1))  # (batch, height, width, channels)
        x = (x / 255 - self.job.mean) / self.job.deviation
        x = tf.nn.relu(self.stem(x))
        x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])  # with zeros: x is nowhere below 0
        x = tf.nn.max_pool2d(x, ksize=3, strides=2, padding="VALID")
        for block in [*self.layer1, *self.layer2, *self.layer3, *self.layer4]:
            x = block(x)
        return tf.reduce_mean(x, axis=(1, 2))


class Bottleneck(tf.Module):
    def __init__(self, job: SimpleNamespace, weights: Weights, name: str, stride: int) -> None:
        super().__init__()
        self.conv1 = ConvNorm(job, weights, conv=f"{name}.conv1", norm=f"{name}.bn1")
        self.conv2 = ConvNorm(job, weights, conv=f"{name}.conv2", norm=f"{name}.bn2", stride=stride)
        self.conv3 = ConvNorm(job, weights, conv=f"{name}.conv3", norm=f"{name}.bn3")
        self.downsample: Callable[[tf.Tensor], tf.Tensor] = tf.identity
        if f"{name}.downsample.0.weight" in weights:
            self.downsample = ConvNorm(
                job, weights, conv=f"{name}.downsample.0", norm=f"{name}.downsample.1", stride=stride
            )

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        y = tf.nn.relu(self.conv1(x))
        y = tf.nn.relu(self.conv2(y))
        y = self.conv3(y)
        return tf.nn.relu(y + self.downsample(x))


class ConvNorm(tf.Module):
    def __init__(self, job: SimpleNamespace, weights: Weights, conv: str, norm: str, stride: int = 1) -> None:
        super().__init__()
        self.stride = stride
        self.epsilon = job.batch_norm_epsilon
        self.kernel = tf.Variable(tf.transpose(weights[f"{conv}.weight"], (2, 3, 1, 0)))  # (height, width, in, out)
        self.scale = tf.Variable(weights[f"{norm}.weight"])
        self.offset = tf.Variable(weights[f"{norm}.bias"])
        self.mean = tf.Variable(weights[f"{norm}.running_mean"])
        self.variance = tf.Variable(weights[f"{norm}.running_var"])

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        border = self.kernel.shape[0] // 2  # on all sides: "SAME" would leave out the first row of an even image
        padding = [[0, 0], [border, border], [border, border], [0, 0]]
        x = tf.nn.conv2d(x, self.kernel, self.stride, padding)
        return tf.nn.batch_normalization(x, self.mean, self.variance, self.offset, self.scale, self.epsilon)


def layer(job: SimpleNamespace, weights: Weights, name: str, blocks: int, stride: int) -> list[Bottleneck]:
    return [Bottleneck(job, weights, f"{name}.{i}", stride if i == 0 else 1) for i in range(blocks)]


# --- build ---
def build(job: SimpleNamespace, weights: Weights) -> ResNet50:
    model = ResNet50(job, weights)
    model.predict_step = tf.function(model, jit_compile=job.compile)
    return model


# --- prediction ---
def predict(model: ResNet50, inputs: tf.Tensor) -> tf.Tensor:
    data = tf.data.Dataset.from_tensor_slices(inputs).batch(model.job.batch_size).prefetch(1).with_options(UNTUNED)
    return tf.concat([model.predict_step(images) for images in data], axis=0)
