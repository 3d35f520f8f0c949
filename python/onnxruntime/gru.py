"""GRU on IMDB reviews: word embedding, one recurrent layer, words to logits; trained elsewhere, so forward only."""

from types import SimpleNamespace

import numpy as np
from framework import open_session
from onnxscript import OpBuilder, ir, nn
from onnxscript.ir import Value


# --- model ---
class Embedding(nn.Module):
    def __init__(self, words: int, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter([words, size])

    def forward(self, op: OpBuilder, words: Value) -> Value:
        return op.Gather(self.weight, words)


class Recurrence(nn.Module):
    """One direction; the gates are update, reset, new, and the reset gate acts after the matrix product."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.units = units
        self.weight = nn.Parameter([1, 3 * units, inputs])
        self.recurrence = nn.Parameter([1, 3 * units, units])
        self.bias = nn.Parameter([1, 6 * units])

    def forward(self, op: OpBuilder, x: Value) -> Value:
        _, last = op.GRU(
            x, self.weight, self.recurrence, self.bias, hidden_size=self.units, linear_before_reset=1, _outputs=2
        )
        return op.Squeeze(last, [0])  # its one direction


class Dense(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter([outputs, inputs])
        self.bias = nn.Parameter([outputs])

    def forward(self, op: OpBuilder, x: Value) -> Value:
        return op.Gemm(x, self.weight, self.bias, transB=1)


class GRU(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = Embedding(30_000, 125)
        self.gru = Recurrence(125, 100)
        self.dense = Dense(100, 2)

    def forward(self, op: OpBuilder, words: Value) -> Value:
        x = self.embedding(op, op.Transpose(words, perm=[1, 0]))  # (150 words, batch, 125): time first
        return self.dense(op, self.gru(op, x))


# --- build ---
def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> SimpleNamespace:
    biases = [update_first(weights[name]) for name in ("gru.bias_ih_l0", "gru.bias_hh_l0")]
    model = GRU()
    model.load_state_dict(
        {
            "embedding.weight": ir.tensor(weights["embedding.weight"]),
            "gru.weight": ir.tensor(update_first(weights["gru.weight_ih_l0"])[np.newaxis]),
            "gru.recurrence": ir.tensor(update_first(weights["gru.weight_hh_l0"])[np.newaxis]),
            "gru.bias": ir.tensor(np.concatenate(biases)[np.newaxis]),
            "dense.weight": ir.tensor(weights["dense.weight"]),
            "dense.bias": ir.tensor(weights["dense.bias"]),
        }
    )
    words = Value(name="inputs", type=ir.TensorType(ir.DataType.INT32), shape=ir.Shape(["batch", 150]))
    return SimpleNamespace(batch_size=job.batch_size, session=open_session(model, words, job))


def update_first(weight: np.ndarray) -> np.ndarray:
    reset, update, new = np.split(weight, 3)
    return np.concatenate([update, reset, new])


# --- prediction ---
def predict(model: SimpleNamespace, inputs: np.ndarray) -> np.ndarray:
    batches = range(0, len(inputs), model.batch_size)
    logits = [model.session.run(None, {"inputs": inputs[first : first + model.batch_size]})[0] for first in batches]
    return np.concatenate(logits)
