"""Judges what an implementation gave: an answer of the wrong shape or with a number that is none is refused."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_losses(losses: np.ndarray, steps: int) -> None:
    """Refuse losses that are not one finite number for each step."""
    if losses.shape != (steps,):
        raise ValueError(f"train gave losses of shape {losses.shape}; {steps} batches make shape ({steps},).")
    if not np.isfinite(losses).all():
        step = int(np.flatnonzero(~np.isfinite(losses))[0])
        raise ValueError(f"train gave {losses[step]} as the loss of step {step + 1} of {steps}.")


def require_outputs(outputs: np.ndarray, examples: int) -> None:
    """Refuse outputs that are not a row of finite numbers for each example."""
    if outputs.ndim != 2 or len(outputs) != examples:
        raise ValueError(f"predict gave outputs of shape {outputs.shape}; {examples} inputs make {examples} rows.")
    if not np.isfinite(outputs).all():
        row = int(np.flatnonzero(~np.isfinite(outputs).all(axis=1))[0])
        raise ValueError(f"predict gave a number that is not finite for input {row + 1} of {examples}.")


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Share of examples whose largest logit is the label's."""
    return float((logits.argmax(axis=1) == labels).mean())


def digest(features: np.ndarray) -> dict[str, Any]:
    """Mean and population standard deviation over all features of all examples, and the mean of each example's."""
    return {
        "mean": float(features.mean(dtype=np.float64)),
        "deviation": float(features.std(dtype=np.float64)),
        "means": features.mean(axis=1, dtype=np.float64).tolist(),
    }
