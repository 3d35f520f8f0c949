"""Verdicts on made-up records: what is off is found, named, and explained where it can be."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rosetta.models import MODELS
from rosetta.referee import TOLERANCES, Reference, Training, judge

RANDOM = np.random.default_rng(1)


def training(shift: float = 0.0) -> Training:
    return Training(
        losses=np.array([0.70, 0.69, 0.68]) + shift * np.array([0, 0, 1]),
        outputs_after=OUTPUTS_AFTER + shift,
        timed_losses=np.array([0.71, 0.70]),
    )


OUTPUTS = RANDOM.normal(size=(5, 2))
CHOSEN = np.array([2, 0, 3, 1, 5])  # of six test inputs
OUTPUTS_AFTER = RANDOM.normal(size=(5, 2))
PREDICTED = ("gru", OUTPUTS, CHOSEN, OUTPUTS.mean(axis=1))
GRU = Reference(*PREDICTED, {"bias_corrected": training(), "epsilon_hat": training(1e-3)}, epochs=2, steps=3)
CNN = replace(GRU, model="cnn", trainings={"momentum": training()}, dropout=(0.75, 0.01))
RESNET50 = replace(GRU.untrained(), model="resnet50")


def a_record(reference: Reference, precision: str = "float32") -> dict[str, Any]:
    """What a row answers that computes the reference exactly, and applies dropout where there is any."""
    check: dict[str, Any] = {"outputs_before": reference.outputs_before.tolist(), "repeat_difference": 0.0}
    record: dict[str, Any] = {"precision": precision, "check": check}
    if not reference.trainings:
        means = np.zeros(6)
        means[CHOSEN] = reference.outputs_before.mean(axis=1)
        record["features"] = {"means": means.tolist()}
    if reference.trainings:
        trained = next(iter(reference.trainings.values()))
        check |= {"losses": trained.losses.tolist(), "outputs_after": trained.outputs_after.tolist()}
        first, second = (0.752, 0.744) if reference.dropout else trained.timed_losses.tolist()
        record["losses"] = {"first_step": first, "epochs": [[second, 0.69, 0.68], [0.67, 0.66, 0.65]]}
    return record


def changed(reference: Reference, path: str, value: Any) -> dict[str, Any]:
    """The record of `a_record` with another value at a place such as `check.losses.0`."""
    record = copy.deepcopy(a_record(reference))
    *parents, last = path.split(".")
    holder: Any = record
    for key in parents:
        holder = holder[int(key) if isinstance(holder, list) else key]
    holder[int(last) if isinstance(holder, list) else last] = value
    return record


def verdict(reference: Reference, record: dict[str, Any], **settings: Any) -> Any:
    return judge(reference, **{"precision": "float32", "adam": "bias_corrected", **settings}, record=record)


@pytest.mark.parametrize("reference", [GRU, CNN, RESNET50, CNN.untrained()], ids=["gru", "cnn", "resnet50", "predicts"])
@pytest.mark.parametrize("precision", ["float32", "tf32", "bf16"])
def test_the_reference_itself_is_verified(reference: Reference, precision: str) -> None:
    found = verdict(reference, a_record(reference, precision), precision=precision)
    assert found.verified == "yes", found.reason
    assert found.distance is not None


OFF = [
    (GRU, "check.outputs_before.4.1", 9.0, "outputs before training off by"),
    (RESNET50, "check.outputs_before.0.0", 9.0, "the forward pass differs"),
    (CNN.untrained(), "features.means.3", 9.0, "the timed prediction computes otherwise than the check"),
    (RESNET50, "features.means.5", 9.0, "the timed prediction computes otherwise than the check"),
    (GRU, "check.repeat_difference", 0.1, "dropout left on"),
    (GRU, "check.losses.0", 44.8, "a sum, not a mean?"),
    (GRU, "check.losses.1", 0.691, "the first loss agrees, the second does not"),
    (GRU, "check.losses.2", 0.685, "the losses agree up to step 2"),
    (GRU, "check.outputs_after.0.0", 9.0, "the losses agree but the trained weights do not"),
    (GRU, "losses.first_step", 0.72, "the timed run trains otherwise than the check"),
    (GRU, "losses.epochs.0.0", 0.72, "the timed run trains otherwise than the check"),
    (CNN, "losses.first_step", 0.9, "dropout has other rates"),
    (GRU, "check.outputs_before.0.0", float("nan"), "outputs before training off by nan"),
]


@pytest.mark.parametrize(("reference", "place", "value", "reason"), OFF, ids=[place for _, place, _, _ in OFF])
def test_what_is_off_is_named(reference: Reference, place: str, value: float, reason: str) -> None:
    found = verdict(reference, changed(reference, place, value))
    assert found.verified == "no"
    assert reason in found.reason


UNFIT = [
    ("check.outputs_before", [[1.0, 2.0]] * 4, "outputs_before have shape (4, 2), not (5, 2)"),
    ("check.outputs_before", [[1.0], [1.0, 2.0]], "outputs_before have shape None"),
    ("check.losses", [0.7, 0.69], "losses have shape (2,), not (3,)"),
    ("check.outputs_after", None, "outputs_after have shape None"),
    ("losses.epochs", [[0.7, 0.69, 0.68]], "made 1 epochs of 3 steps, not 2 epochs of 3 steps"),
    ("losses.epochs.1", [0.7], "made 2 epochs of 1/3 steps"),
    ("losses.epochs", [], "made 0 epochs of 0 steps"),
    ("precision", "tf32", "ran in tf32, not in float32"),
]


@pytest.mark.parametrize(("place", "value", "reason"), UNFIT, ids=[f"{place} {value}" for place, value, _ in UNFIT])
def test_what_cannot_be_compared_is_named(place: str, value: Any, reason: str) -> None:
    found = verdict(GRU, changed(GRU, place, value))
    assert (found.verified, found.distance) == ("no", None)
    assert reason in found.reason


def test_a_record_without_losses_is_not_verified() -> None:
    record = a_record(GRU)
    del record["losses"]
    assert "no losses of the timed run" in verdict(GRU, record).reason


def test_dropout_that_is_left_out_is_seen() -> None:
    record = a_record(CNN)
    record["losses"]["first_step"], record["losses"]["epochs"][0][0] = 0.71, 0.70
    found = verdict(CNN, record)
    assert found.verified == "no"
    assert "without dropout" in found.reason


def test_the_other_form_of_adam_is_recognised() -> None:
    found = verdict(GRU, a_record(GRU), adam="epsilon_hat")
    assert found.verified == "no"
    assert "declare `adam: bias_corrected`" in found.reason


def test_an_unknown_form_of_adam_is_refused() -> None:
    assert "correct `adam`" in verdict(GRU, a_record(GRU), adam="another").reason


DEVIATION = {"formula": "epsilon_hat", "reason": "The framework's known error."}


def test_a_declared_deviation_explains_just_what_it_predicts() -> None:
    found = verdict(GRU, a_record(GRU), adam="epsilon_hat", deviation={**DEVIATION, "formula": "bias_corrected"})
    assert found.verified == "deviates"
    assert found.reason.startswith("The framework's known error.")


@pytest.mark.parametrize("place", ["check.losses.1", "check.outputs_after.0.0", "losses.first_step"])
def test_a_declared_deviation_explains_nothing_else(place: str) -> None:
    found = verdict(GRU, changed(GRU, place, 0.5), deviation=DEVIATION)
    assert found.verified == "no"


def test_a_deviation_excuses_no_wrong_forward_pass() -> None:
    record = changed(GRU, "check.outputs_before.0.0", 9.0)
    found = verdict(GRU, record, adam="epsilon_hat", deviation={**DEVIATION, "formula": "bias_corrected"})
    assert found.verified == "no"


def test_a_row_that_agrees_does_not_deviate() -> None:
    assert verdict(GRU, a_record(GRU), deviation=DEVIATION).verified == "yes"


def test_tolerances_are_there_for_each_model_and_precision() -> None:
    assert set(TOLERANCES) == set(MODELS)
    for by_precision in TOLERANCES.values():
        assert by_precision["float32"].outputs_before < by_precision["tf32"].outputs_before
        assert by_precision["tf32"].outputs_before < by_precision["bf16"].outputs_before
