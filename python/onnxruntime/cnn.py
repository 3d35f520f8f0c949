"""CNN on CIFAR-10: four convolutions and two dense layers, images to logits; trained elsewhere, so forward only."""

from types import SimpleNamespace

import numpy as np
from framework import open_session
from onnxscript import OpBuilder, ir, nn
from onnxscript.ir import Value


# --- model ---
class Convolution(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter([outputs, inputs, 3, 3])
        self.bias = nn.Parameter([outputs])

    def forward(self, op: OpBuilder, x: Value) -> Value:
        return op.Conv(x, self.weight, self.bias, auto_pad="SAME_UPPER")


class Dense(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter([outputs, inputs])
        self.bias = nn.Parameter([outputs])

    def forward(self, op: OpBuilder, x: Value) -> Value:
        return op.Gemm(x, self.weight, self.bias, transB=1)


class CNN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = Convolution(3, 50)
        self.conv2 = Convolution(50, 50)
        self.conv3 = Convolution(50, 100)
        self.conv4 = Convolution(100, 100)
        self.dense1 = Dense(100 * 8 * 8, 512)
        self.dense2 = Dense(512, 10)

    def forward(self, op: OpBuilder, images: Value) -> Value:
        x = op.Div(op.Cast(images, to=ir.DataType.FLOAT), 255.0)
        x = op.Relu(self.conv1(op, x))
        x = op.Relu(self.conv2(op, x))
        x = op.MaxPool(x, kernel_shape=[2, 2], strides=[2, 2])
        x = op.Relu(self.conv3(op, x))
        x = op.Relu(self.conv4(op, x))
        x = op.MaxPool(x, kernel_shape=[2, 2], strides=[2, 2])
        x = op.Relu(self.dense1(op, op.Flatten(x)))
        return self.dense2(op, x)


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> SimpleNamespace:
    model = CNN()
    model.load_state_dict({name: ir.tensor(weight) for name, weight in weights.items()})
    images = Value(name="inputs", type=ir.TensorType(ir.DataType.UINT8), shape=ir.Shape(["batch", 3, 32, 32]))
    return SimpleNamespace(batch_size=job.batch_size, session=open_session(model, images, job))


# --- prediction ---
def predict(model: SimpleNamespace, inputs: np.ndarray) -> np.ndarray:
    batches = range(0, len(inputs), model.batch_size)
    logits = [model.session.run(None, {"inputs": inputs[first : first + model.batch_size]})[0] for first in batches]
    return np.concatenate(logits)
