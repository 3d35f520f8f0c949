"""ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

The graph names the photographs' size, which takes 0.9 of the time: only then ONNX Runtime adds shortcuts in place.
"""

from types import SimpleNamespace

import numpy as np
from framework import open_session
from onnxscript import OpBuilder, ir, nn
from onnxscript.ir import Value


# --- model ---
class Convolution(nn.Module):
    def __init__(self, inputs: int, outputs: int, size: int, stride: int) -> None:
        super().__init__()
        self.weight = nn.Parameter([outputs, inputs, size, size])
        self.strides = [stride, stride]
        self.pads = 4 * [size // 2]

    def forward(self, op: OpBuilder, x: Value) -> Value:
        return op.Conv(x, self.weight, strides=self.strides, pads=self.pads)


class BatchNorm(nn.Module):
    def __init__(self, channels: int, epsilon: float) -> None:
        super().__init__()
        self.epsilon = epsilon
        self.weight = nn.Parameter([channels])
        self.bias = nn.Parameter([channels])
        self.running_mean = nn.Parameter([channels])
        self.running_var = nn.Parameter([channels])

    def forward(self, op: OpBuilder, x: Value) -> Value:
        statistics = (self.running_mean, self.running_var)
        return op.BatchNormalization(x, self.weight, self.bias, *statistics, epsilon=self.epsilon)


class Bottleneck(nn.Module):
    def __init__(self, inputs: int, width: int, stride: int, epsilon: float) -> None:
        super().__init__()
        outputs = 4 * width
        self.conv1 = Convolution(inputs, width, 1, 1)
        self.bn1 = BatchNorm(width, epsilon)
        self.conv2 = Convolution(width, width, 3, stride)
        self.bn2 = BatchNorm(width, epsilon)
        self.conv3 = Convolution(width, outputs, 1, 1)
        self.bn3 = BatchNorm(outputs, epsilon)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            convolution = Convolution(inputs, outputs, 1, stride)
            self.downsample = nn.Sequential(convolution, BatchNorm(outputs, epsilon))

    def forward(self, op: OpBuilder, x: Value) -> Value:
        y = op.Relu(self.bn1(op, self.conv1(op, x)))
        y = op.Relu(self.bn2(op, self.conv2(op, y)))
        y = self.bn3(op, self.conv3(op, y))
        if self.downsample is not None:
            x = self.downsample(op, x)
        return op.Relu(op.Add(y, x))


class ResNet50(nn.Module):
    def __init__(self, job: SimpleNamespace) -> None:
        super().__init__()
        epsilon = job.batch_norm_epsilon
        self.mean = np.float32(job.mean).reshape(3, 1, 1)
        self.deviation = np.float32(job.deviation).reshape(3, 1, 1)
        self.conv1 = Convolution(3, 64, 7, 2)
        self.bn1 = BatchNorm(64, epsilon)
        self.layer1 = layer(blocks=3, inputs=64, width=64, stride=1, epsilon=epsilon)
        self.layer2 = layer(blocks=4, inputs=256, width=128, stride=2, epsilon=epsilon)
        self.layer3 = layer(blocks=6, inputs=512, width=256, stride=2, epsilon=epsilon)
        self.layer4 = layer(blocks=3, inputs=1024, width=512, stride=2, epsilon=epsilon)

    def forward(self, op: OpBuilder, images: Value) -> Value:
        x = op.Div(op.Cast(images, to=ir.DataType.FLOAT), 255.0)
        x = op.Div(op.Sub(x, op.Constant(value=ir.tensor(self.mean))), op.Constant(value=ir.tensor(self.deviation)))
        x = op.Relu(self.bn1(op, self.conv1(op, x)))
        x = op.MaxPool(x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        x = self.layer1(op, x)
        x = self.layer2(op, x)
        x = self.layer3(op, x)
        x = self.layer4(op, x)
        return op.Flatten(op.GlobalAveragePool(x))


def layer(blocks: int, inputs: int, width: int, stride: int, epsilon: float) -> nn.Sequential:
    first = Bottleneck(inputs, width, stride, epsilon)
    others = [Bottleneck(4 * width, width, 1, epsilon) for _ in range(blocks - 1)]
    return nn.Sequential(first, *others)


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> SimpleNamespace:
    model = ResNet50(job)
    model.load_state_dict({name: ir.tensor(weight) for name, weight in weights.items()})

    images = Value(name="inputs", type=ir.TensorType(ir.DataType.UINT8), shape=ir.Shape(["batch", 3, 224, 224]))
    return SimpleNamespace(batch_size=job.batch_size, session=open_session(model, images, job))


# --- prediction ---
def predict(model: SimpleNamespace, inputs: np.ndarray) -> np.ndarray:
    batches = range(0, len(inputs), model.batch_size)
    features = [model.session.run(None, {"inputs": inputs[first : first + model.batch_size]})[0] for first in batches]
    return np.concatenate(features)
