"""A model of one number: it grows by one with each step; the outputs are multiples of it."""

from types import SimpleNamespace

import numpy as np
from framework import tell, work


class Model:
    def __init__(self, number: float, batch_size: int) -> None:
        self.number = number
        self.batch_size = batch_size


def build(job: SimpleNamespace, weights: dict[str, np.ndarray]) -> Model:
    tell("build", job.batch_size)
    work()
    return Model(float(weights["number"][0]), job.batch_size)


def train(model: Model, inputs: np.ndarray, labels: np.ndarray, batches: np.ndarray) -> np.ndarray:
    tell("train", len(inputs), list(batches.shape))
    work()
    losses = np.array([1 / (model.number + step) for step in range(len(batches))], np.float32)
    model.number += len(batches)
    return losses


def predict(model: Model, inputs: np.ndarray) -> np.ndarray:
    tell("predict", len(inputs))
    work()
    outputs = np.array([[0, model.number]] * len(inputs), np.float32)
    return outputs
