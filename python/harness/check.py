"""The check: what proves that the row computed the same as all others (docs/contract.md, section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.answers import require_losses, require_outputs
from harness.implementation import Implementation
from harness.job import options


def check(
    implementation: Implementation,
    job: dict[str, Any],
    model: Any,
    weights: dict[str, Any],
    tensors: dict[str, Any],
) -> dict[str, Any]:
    """Work through the check.

    Args:
        implementation: the framework and the model.
        job: the job.
        model: as the timed work left it.
        weights: the initial weights, loaded.
        tensors: the check's tensors, loaded.

    Returns:
        The record's `check`.
    """
    as_timed = options(job, job["hyperparameters"])
    as_checked = options(job, job["check"]["hyperparameters"])

    def predict(model: Any) -> np.ndarray:
        outputs = implementation.predict(model, tensors["inputs"])
        require_outputs(outputs, job["check"]["inputs"]["shape"][0])
        return outputs

    repeat_difference = np.abs(predict(model) - predict(model)).max()
    trains = "batches" in tensors
    answer = {
        "outputs_before": predict(implementation.build(as_timed if trains else as_checked, weights)).tolist(),
        "repeat_difference": float(repeat_difference),
    }
    if trains:
        model = implementation.build(as_checked, weights)
        losses = implementation.train(model, tensors["inputs"], tensors["labels"], tensors["batches"])
        require_losses(losses, len(tensors["batches"]))
        answer["losses"] = losses.tolist()
        answer["outputs_after"] = predict(model).tolist()
    return answer
