"""Whether an answer that fits the schema is the answer to its job: all that was asked for, in the asked shapes."""

from collections.abc import Iterator
from typing import Any

from rosetta.models import MODELS

CLOCK_TOLERANCE_S = 1.0
LARGEST_LOSS = 3.4e38  # of a float32


def mismatch(answer: dict[str, Any], job: dict[str, Any]) -> str:
    """The first thing in the answer that does not fit the job, as a sentence without subject; "" if all fits."""
    for what, found, asked in _comparisons(answer, job):
        if found != asked:
            return f"answered something else than was asked: {what} is {found}, not {asked}"
    return ""


def impossible(answer: dict[str, Any], wall_s: float) -> str:
    """What cannot be true of the times and losses in the answer, as a sentence without subject; "" if all can.

    Args:
        wall_s: how long the process lived.
    """
    timed = [*answer["phases"]["epoch_s"], answer["phases"]["predict_s"]]
    if min(timed) <= 0:
        return "answered that an epoch or a prediction took no time"
    losses = answer.get("losses", {"first_step": 0.0, "epochs": []})
    if any(abs(loss) > LARGEST_LOSS for epoch in [[losses["first_step"]], *losses["epochs"]] for loss in epoch):
        return "answered with a loss that is no float32"
    phases_s = sum(sum(value) if isinstance(value, list) else value for value in answer["phases"].values())
    if phases_s > wall_s + CLOCK_TOLERANCE_S:
        return f"answered that its phases took {phases_s:.1f} s, but it lived for {wall_s:.1f} s"
    return ""


def _comparisons(answer: dict[str, Any], job: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Pairs to compare: what, as found, as asked."""
    tensors, check, asked_check = job["tensors"], answer["check"], job["check"]
    trained = "batches" in tensors
    yield "device.kind", answer["device"]["kind"], job["device"]
    yield "precision", answer["precision"], job["precision"]
    yield "the length of phases.epoch_s", len(answer["phases"]["epoch_s"]), job["epochs"]
    for part, key, expected in (
        (answer, "losses", trained),
        (answer, "accuracy", "test_labels" in tensors),
        (answer, "features", not trained),
        (check, "losses", trained),
        (check, "outputs_after", trained),
    ):
        name = f"check.{key}" if part is check else key
        yield name, "present" if key in part else "absent", "present" if expected else "absent"
    if not trained and "features" in answer:
        yield "the length of features.means", len(answer["features"]["means"]), tensors["test_inputs"]["shape"][0]
    outputs = [asked_check["inputs"]["shape"][0], MODELS[job["model"]].outputs]
    yield "the shape of check.outputs_before", _shape(check["outputs_before"]), outputs
    if trained:
        yield "the shape of losses.epochs", _shape(answer["losses"]["epochs"]), tensors["batches"]["shape"][:2]
        evaluations = job["epochs"] if job.get("evaluate") else 0
        yield "the length of phases.evaluate_s", len(answer["phases"].get("evaluate_s", [])), evaluations
        yield "the length of epoch_accuracy", len(answer.get("epoch_accuracy", [])), evaluations
        yield "the length of check.losses", len(check["losses"]), asked_check["batches"]["shape"][0]
        yield "the shape of check.outputs_after", _shape(check["outputs_after"]), outputs


def _shape(matrix: list[list[float]]) -> list[int] | str:
    columns = {len(row) for row in matrix}
    return [len(matrix), *columns] if len(columns) <= 1 else "ragged"
