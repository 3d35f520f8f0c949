"""The referee: judges from a run's record whether it computed what the float64 reference computed.

It takes data and gives a verdict; docs/referee.md says what it proves, and where the tolerances come from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rosetta.tensors import Sheet


@dataclass(frozen=True)
class Tolerances:
    """How far a row may be from the reference, each as a share of the reference's own size (see `Finding`)."""

    outputs_before: float
    losses: float = 0.0
    outputs_after: float = 0.0


# Measured, then multiplied by a margin: docs/referee.md has the figures. Nothing widens them for a single framework.
TOLERANCES: dict[str, dict[str, Tolerances]] = {
    "cnn": {
        "float32": Tolerances(outputs_before=3e-5, losses=1e-5, outputs_after=1e-2),
        "tf32": Tolerances(outputs_before=1e-2, losses=1e-4, outputs_after=5e-2),
        "bf16": Tolerances(outputs_before=1e-1, losses=2e-3, outputs_after=1e-1),
    },
    "resnet50": {
        "float32": Tolerances(outputs_before=1e-4),
        "tf32": Tolerances(outputs_before=3e-2),
        "bf16": Tolerances(outputs_before=3e-1),
    },
    "gru": {
        "float32": Tolerances(outputs_before=2e-5, losses=2e-6, outputs_after=1e-4),
        "tf32": Tolerances(outputs_before=5e-3, losses=2e-5, outputs_after=3e-3),
        "bf16": Tolerances(outputs_before=4e-1, losses=3e-3, outputs_after=2e-1),
    },
}

# Largest difference between two predictions by one trained model. Dropout that is on makes 0.1 or more.
REPEAT_TOLERANCE = {"float32": 1e-4, "tf32": 1e-3, "bf16": 1e-2}

# The timed run's first loss is within as many standard deviations of the mean over dropout masks, but for one run in
# 200,000 (Student's distribution, since both are estimated from two dozen masks).
DROPOUT_DEVIATIONS = 6.0


@dataclass(frozen=True)
class Training:
    """The reference of training with one optimizer.

    Attributes:
        losses: of the check's steps, (steps).
        outputs_after: of the check, (examples, outputs).
        timed_losses: the timed run's first losses, without dropout: the first step's, then the first epoch's.
    """

    losses: np.ndarray
    outputs_after: np.ndarray
    timed_losses: np.ndarray


@dataclass(frozen=True)
class Reference:
    """What must come out of a model.

    Attributes:
        model: its name.
        outputs_before: (examples, outputs).
        test_chosen: places of some test inputs, (places).
        test_means: the mean of the outputs of each of them before training, (places).
        trainings: by optimizer; empty where nothing is trained.
        epochs, steps: of the timed run; 0 where nothing is trained.
        dropout: mean and standard deviation of the timed run's first loss over dropout masks; None without dropout.
    """

    model: str
    outputs_before: np.ndarray
    test_chosen: np.ndarray
    test_means: np.ndarray
    trainings: Mapping[str, Training]
    epochs: int = 0
    steps: int = 0
    dropout: tuple[float, float] | None = None

    def training(self, adam: str) -> Training | None:
        """The training that a framework with this form of Adam is measured against."""
        return self.trainings.get("momentum") or self.trainings.get(adam)

    def untrained(self) -> "Reference":
        """What must come out of a framework that only predicts."""
        return replace(self, trainings={}, epochs=0, steps=0, dropout=None)


@dataclass(frozen=True)
class Verdict:
    """A judgement.

    Attributes:
        verified: `yes`, `no`, or `deviates`: off by just the deviation that the framework declares.
        distance: of the quantity that is furthest from the reference in terms of its tolerance; None if the record
            cannot be compared.
        reason: one sentence for people.
        tolerance: what is allowed of that distance; None if there is none.
    """

    verified: str
    distance: float | None
    reason: str
    tolerance: float | None = None


@dataclass(frozen=True)
class Finding:
    """How far a quantity is from the reference.

    Attributes:
        quantity: its name, as people read it.
        distance: the largest difference, as a share of the root mean square of the reference.
        tolerance: what is allowed.
        hint: what is probably wrong if it is more.
        trained: whether training brought it about; only such a quantity can be explained by a declared deviation.
    """

    quantity: str
    distance: float
    tolerance: float
    hint: str
    trained: bool = False

    @property
    def is_off(self) -> bool:
        return not self.distance <= self.tolerance  # so that NaN is off

    @property
    def excess(self) -> float:
        return self.distance / self.tolerance

    def __str__(self) -> str:
        return f"{self.quantity} off by {self.distance:.1e} (tolerance {self.tolerance:.0e})"


def read_reference(folder: Path, model: str) -> Reference:
    """Read what `reference.write_reference` wrote in `folder`.

    Raises:
        RosettaError: the sheet is missing or broken.
    """
    sheet = Sheet.read(folder / "reference" / f"{model}.json")
    arrays = {name: tensor.map() for name, tensor in sheet.tensors.items()}
    optimizers = [name.removeprefix("losses.") for name in arrays if name.startswith("losses.")]
    facts = sheet.facts
    return Reference(
        model=model,
        outputs_before=arrays["outputs_before"],
        test_chosen=arrays["test_chosen"],
        test_means=arrays["test_means"],
        trainings={
            name: Training(*(arrays[f"{part}.{name}"] for part in ("losses", "outputs_after", "timed_losses")))
            for name in optimizers
        },
        epochs=facts.get("epochs", 0),
        steps=facts.get("steps", 0),
        dropout=(facts["dropout_mean"], facts["dropout_deviation"]) if "dropout_mean" in facts else None,
    )


def judge(
    reference: Reference,
    precision: str,
    adam: str,
    record: Mapping[str, Any],
    deviation: Mapping[str, Any] | None = None,
) -> Verdict:
    """Judge an answer.

    Args:
        reference: of the record's model; its `untrained` part for a framework that only predicts.
        precision: that was asked for.
        adam: the framework's form of Adam, `bias_corrected` or `epsilon_hat`.
        record: an answer that fits record.schema.json.
        deviation: the framework's declared deviation for this model: the `formula` that it follows instead, and a
            `reason`. It explains a row only if the row agrees with that formula as well as others do with theirs.
    """
    complaint = _incomplete(reference, precision, adam, record)
    if complaint:
        return Verdict("no", None, complaint)
    findings = _findings(reference, TOLERANCES[reference.model][precision], precision, adam, record)
    worst = max(findings, key=lambda finding: finding.excess)
    off = [finding for finding in findings if finding.is_off]
    if not off and _lacks_dropout(reference, TOLERANCES[reference.model][precision], record):
        return Verdict(
            "no", worst.distance, "the timed run's losses are those without dropout: it is left out", worst.tolerance
        )
    if not off:
        return Verdict("yes", worst.distance, f"agrees with the reference: at most, {worst}", worst.tolerance)
    if deviation and all(finding.trained for finding in off):
        explained = judge(reference, precision, deviation["formula"], record)
        if explained.verified == "yes":
            return Verdict("deviates", worst.distance, f"{deviation['reason']} ({worst})", worst.tolerance)
    return Verdict("no", worst.distance, f"{'; '.join(map(str, off))}: {off[0].hint}", worst.tolerance)


def _incomplete(reference: Reference, precision: str, adam: str, record: Mapping[str, Any]) -> str:
    """Why a record cannot be compared: numbers are missing, or other work was done than was asked for; "" if it can."""
    if record["precision"] != precision:
        return (
            f"ran in {record['precision']}, not in {precision}: the framework's precision setting did not take effect"
        )
    check = record["check"]
    expected = {"outputs_before": reference.outputs_before.shape}
    training = reference.training(adam)
    if reference.trainings:
        if training is None:
            return f"there is no reference for the form of Adam {adam!r}: correct `adam` in language.yaml"
        if "losses" not in record:
            return "the record holds no losses of the timed run"
        expected |= {"losses": training.losses.shape, "outputs_after": training.outputs_after.shape}
        steps = [len(epoch) for epoch in record["losses"]["epochs"]]
        if steps != [reference.steps] * reference.epochs:
            return (
                f"the timed run made {_counted(steps)}, not {_counted([reference.steps] * reference.epochs)}: "
                "train must make one step for each of the given batches"
            )
    for name, shape in expected.items():
        found = _shape(check.get(name))
        if found != shape:
            return f"the check's {name} have shape {found}, not {shape}: each input must be answered"
    return ""


def _findings(
    reference: Reference, tolerances: Tolerances, precision: str, adam: str, record: Mapping[str, Any]
) -> list[Finding]:
    """All quantities, in the order in which a mistake shows first."""
    check = record["check"]
    repeat = Finding(
        "two predictions for the same inputs",
        check["repeat_difference"],
        REPEAT_TOLERANCE[precision],
        "prediction is random, or keeps something from call to call: dropout left on, or a state that is not reset",
    )
    findings = [
        repeat,
        Finding(
            "outputs before training",
            distance(check["outputs_before"], reference.outputs_before),
            tolerances.outputs_before,
            "the forward pass differs: a layer, its padding, stride or activation, the layout of the weights, "
            "or how the inputs are read and scaled",
        ),
    ]
    training = reference.training(adam)
    if training is None:
        means = np.array(record["features"]["means"])
        predicted = reference.test_chosen < len(means)  # the timed run may predict fewer
        prediction = Finding(
            "means of the timed prediction",
            distance(means[reference.test_chosen[predicted]], reference.test_means[predicted]),
            tolerances.outputs_before,
            "the timed prediction computes otherwise than the check: its batches are larger, and the last is not full",
        )
        return [*findings, prediction]
    losses = np.array(check["losses"])
    findings += [
        Finding(
            "losses",
            distance(losses, training.losses),
            tolerances.losses,
            _training_hint(reference, adam, losses, tolerances.losses),
            trained=True,
        ),
        Finding(
            "outputs after training",
            distance(check["outputs_after"], training.outputs_after),
            tolerances.outputs_after,
            "the losses agree but the trained weights do not: weight decay, or a part of the weights trained otherwise",
            trained=True,
        ),
    ]
    timed = _timed_losses(record, training)
    if reference.dropout is None:
        timed_run = Finding(
            "first losses of the timed run",
            distance(timed, training.timed_losses),
            tolerances.losses,
            "the timed run trains otherwise than the check: other batches, or state that outlives a call of train",
            trained=True,
        )
    else:
        mean, deviation = reference.dropout
        timed_run = Finding(
            "first loss of the timed run, in standard deviations over dropout masks,",
            abs(timed[0] - mean) / deviation,
            DROPOUT_DEVIATIONS,
            "dropout has other rates, or the first batch is another",
        )
    return [*findings, timed_run]


def _lacks_dropout(reference: Reference, tolerances: Tolerances, record: Mapping[str, Any]) -> bool:
    """Whether the timed run's first losses are all the very ones that training without dropout gives."""
    if reference.dropout is None:
        return False
    (training,) = reference.trainings.values()
    return distance(_timed_losses(record, training), training.timed_losses) <= tolerances.losses


def _training_hint(reference: Reference, adam: str, losses: np.ndarray, tolerance: float) -> str:
    """What the losses say of what is wrong."""
    expected = reference.trainings
    for name in ("bias_corrected", "epsilon_hat"):
        if name in expected and name != adam and distance(losses, expected[name].losses) <= tolerance:
            return f"this is the other form of Adam: declare `adam: {name}` in language.yaml"
    training = reference.training(adam)
    assert training is not None
    differs = np.abs(losses - training.losses) > tolerance * size(training.losses)
    first = int(differs.argmax())
    if first == 0:
        return "the first loss differs: its formula (a sum, not a mean?), the labels, or which examples are in a batch"
    if first == 1:
        return "the first loss agrees, the second does not: the gradient, or the optimizer's formula or settings"
    return f"the losses agree up to step {first}: the optimizer's formula or settings, such as momentum or epsilon"


def distance(found: Any, expected: np.ndarray) -> float:
    """The largest difference, as a share of the expected values' root mean square."""
    return float(np.abs(np.asarray(found) - expected).max() / size(expected))


def size(expected: np.ndarray) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(np.square(expected))))


def _timed_losses(record: Mapping[str, Any], training: Training) -> np.ndarray:
    """The record's losses of those steps of the timed run that the reference knows."""
    losses = record["losses"]
    return np.array([losses["first_step"], *losses["epochs"][0]][: len(training.timed_losses)])


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of nested lists; None if they are missing or ragged."""
    try:
        return np.shape(value) if value is not None else None
    except ValueError:
        return None


def _counted(steps: Sequence[int]) -> str:
    return f"{len(steps)} epochs of {'/'.join(str(count) for count in sorted(set(steps))) or 0} steps"
