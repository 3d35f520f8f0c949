"""ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

Chosen on a CPU: channels first on PyTorch (1.2 times as long with channels last), last elsewhere; no XLA on TensorFlow
(jit_compile takes 0.97 to 1.1 times as long, and seconds to compile); Keras on JAX is always compiled.
"""

from types import SimpleNamespace

import keras
import numpy as np
from framework import test_data
from keras import KerasTensor as Tensor
from keras import layers


# --- model ---
def resnet50(job: SimpleNamespace) -> keras.Model:
    images = keras.Input((3, None, None), dtype="uint8")
    x = layers.Permute((1, 2, 3) if channel_axis() == 1 else (2, 3, 1))(images)
    x = layers.Rescaling(1 / 255)(x)
    x = layers.Normalization(channel_axis(), mean=job.mean, variance=np.square(job.deviation))(x)
    x = convolution(x, 64, 7, stride=2, name="conv1")
    x = layers.ReLU()(normalization(x, job, name="bn1"))
    x = layers.ZeroPadding2D(1)(x)  # zero is no more than any x
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = stage(x, job, blocks=3, width=64, stride=1, name="layer1")
    x = stage(x, job, blocks=4, width=128, stride=2, name="layer2")
    x = stage(x, job, blocks=6, width=256, stride=2, name="layer3")
    x = stage(x, job, blocks=3, width=512, stride=2, name="layer4")
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(images, x)


def stage(x: Tensor, job: SimpleNamespace, blocks: int, width: int, stride: int, name: str) -> Tensor:
    shortcut = convolution(x, 4 * width, 1, stride, name=f"{name}_0_downsample_0")
    shortcut = normalization(shortcut, job, name=f"{name}_0_downsample_1")
    x = bottleneck(x, shortcut, job, width, stride, name=f"{name}_0")
    for block in range(1, blocks):
        x = bottleneck(x, x, job, width, stride=1, name=f"{name}_{block}")
    return x


def bottleneck(x: Tensor, shortcut: Tensor, job: SimpleNamespace, width: int, stride: int, name: str) -> Tensor:
    x = convolution(x, width, 1, stride=1, name=f"{name}_conv1")
    x = layers.ReLU()(normalization(x, job, name=f"{name}_bn1"))
    x = convolution(x, width, 3, stride, name=f"{name}_conv2")
    x = layers.ReLU()(normalization(x, job, name=f"{name}_bn2"))
    x = convolution(x, 4 * width, 1, stride=1, name=f"{name}_conv3")
    x = normalization(x, job, name=f"{name}_bn3")
    return layers.ReLU()(layers.Add()([x, shortcut]))


def convolution(x: Tensor, filters: int, size: int, stride: int, name: str) -> Tensor:
    if size > 1:
        x = layers.ZeroPadding2D(size // 2)(x)  # "same" would pad an even image on two sides only
    return layers.Conv2D(filters, size, stride, use_bias=False, kernel_initializer="zeros", name=name)(x)


def normalization(x: Tensor, job: SimpleNamespace, name: str) -> Tensor:
    return layers.BatchNormalization(channel_axis(), epsilon=job.batch_norm_epsilon, name=name)(x)


def channel_axis() -> int:
    return 1 if keras.config.image_data_format() == "channels_first" else 3


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> keras.Model:
    model = resnet50(job)
    weights = {name.replace(".", "_"): weight for name, weight in weights.items()}
    for layer in model.layers:
        if isinstance(layer, layers.Conv2D):
            layer.set_weights([weights[f"{layer.name}_weight"].transpose(2, 3, 1, 0)])  # (height, width, in, out)
        elif isinstance(layer, layers.BatchNormalization):
            parts = ("weight", "bias", "running_mean", "running_var")
            layer.set_weights([weights[f"{layer.name}_{part}"] for part in parts])
    model.compile(jit_compile=job.compile or keras.backend.backend() == "jax")
    model.batch_size = job.batch_size
    return model


# --- prediction ---
def predict(model: keras.Model, inputs: np.ndarray) -> np.ndarray:
    return model.predict(test_data(inputs, model.batch_size), verbose=0)
