"""The float64 reference that every row is measured against: computed once per model, by formulas.py.

`folder/reference/MODEL.arrow` holds what the check works on, and what must come out of it (docs/referee.md).
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rosetta.models import MODELS, Model
from rosetta.tensors import Sheet, sha256, write_tensors

Arrays = dict[str, np.ndarray]

# The optimizers that a model may be trained with: a framework keeps the form of Adam that it has. The last is a known
# deviation (formulas.train_repeats_apart), by which a row is recognised, but never verified.
OPTIMIZERS = {
    "cnn": ("momentum",),
    "gru": ("bias_corrected", "epsilon_hat", "epsilon_hat_repeats_apart"),
    "resnet50": (),
}

# Steps of the timed run whose losses are told in advance: the first step, then the beginning of the first epoch.
TIMED_STEPS = 3

# Seeded dropout masks, from which the mean and the deviation of the first loss with dropout are taken.
DROPOUT_MASKS = 24


def write_reference(model: str, folder: Path, seed: int) -> Sheet:
    """Compute a model's reference and write it to `folder/reference/`.

    Args:
        folder: of the prepared tensors: the sheets of the data, the weights and the batches are read.
        seed: chooses the check's examples, and draws dropout masks.

    Returns:
        The sheet written. Tensors: the check's `inputs`, `labels` (examples), `batches` (steps, batch_size);
        `outputs_before` (examples, outputs); `test_chosen`, places of some test inputs, and `test_means`, the mean of
        each one's outputs before training (places); for each optimizer NAME `losses.NAME` (steps),
        `outputs_after.NAME` (examples, outputs) and `timed_losses.NAME`: the first losses of the timed run, without
        dropout.
        Facts: the timed run's `epochs` and `steps`, and with dropout the mean and the standard deviation of its first
        loss, `dropout_mean` and `dropout_deviation`.

    Raises:
        RosettaError: a sheet is missing or broken.
    """
    # Read when PyTorch is imported: threads that wait leave their core to others. On a busy machine it halves the time.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    described = MODELS[model]
    data = _mapped(folder / f"{model}.json")
    weights = _mapped(folder / "weights" / f"{model}.json")
    facts: dict[str, Any] = {"model": model, "seed": seed}
    if described.trains:
        timed = _mapped(folder / "batches" / f"{model}.json")["batches"]
        facts |= {"epochs": timed.shape[0], "steps": timed.shape[1]}
        arrays, _ = choose_check(described, data["train_inputs"], data["train_labels"], seed)
        with _one_thread() if model == "gru" else contextlib.nullcontext():
            arrays |= train_reference(described, weights, arrays, first_timed(data, timed))
            first = data["test_inputs"][: described.check_examples]
            test_chosen, test_outputs = np.arange(len(first)), predict(described, _as_float64(weights), first)
        if "dropout_conv" in described.hyperparameters:
            first = timed[0, 0]
            losses = dropout_losses(described, weights, data["train_inputs"][first], data["train_labels"][first], seed)
            facts |= {"dropout_mean": float(losses.mean()), "dropout_deviation": float(losses.std(ddof=1))}
    else:
        arrays, test_chosen = choose_check(described, data["test_inputs"], None, seed)
        test_outputs = arrays["outputs_before"] = predict(described, _as_float64(weights), arrays["inputs"])
    arrays |= {"test_chosen": test_chosen, "test_means": test_outputs.mean(axis=1)}
    facts["sha256"] = sha256(arrays)
    sheet = Sheet(write_tensors(folder / "reference" / f"{model}.arrow", arrays, facts), facts)
    sheet.write(folder / "reference" / f"{model}.json")
    return sheet


def choose_check(model: Model, inputs: np.ndarray, labels: np.ndarray | None, seed: int) -> tuple[Arrays, np.ndarray]:
    """Choose what the check works on: examples of all classes, in random order; repeated if there are too few.

    Returns:
        inputs, and where something is trained labels, int64 (examples), and batches, int64 (steps, batch_size);
        and the places of the inputs in what they are chosen from.
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(inputs))
    if labels is not None:
        _, firsts = np.unique(labels[order], return_index=True)
        order = np.concatenate([order[firsts], np.delete(order, firsts)])
    chosen = generator.permutation(np.resize(order, model.check_examples))
    arrays = {"inputs": inputs[chosen]}
    if labels is not None:
        batch_size = model.hyperparameters["batch_size"]
        steps = [generator.permutation(model.check_examples)[:batch_size] for _ in range(model.check_steps)]
        arrays |= {"labels": labels[chosen], "batches": np.stack(steps).astype(np.int64)}
    return arrays, chosen


def first_timed(data: Mapping[str, np.ndarray], batches: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Inputs and labels of the timed run's first steps.

    The harness trains on the first batch once, then epoch by epoch (docs/contract.md, section 4).
    """
    steps = np.concatenate([batches[0][:1], batches[0][: TIMED_STEPS - 1]])
    return [(data["train_inputs"][step], data["train_labels"][step]) for step in steps]


def train_reference(
    model: Model,
    weights: Mapping[str, np.ndarray],
    check: Mapping[str, np.ndarray],
    timed: list[tuple[np.ndarray, np.ndarray]],
) -> Arrays:
    """All that `write_reference` says of a model that is trained: outputs and losses, with each optimizer."""
    from rosetta import formulas

    initial = _as_float64(weights)
    steps = [(check["inputs"][batch], check["labels"][batch]) for batch in check["batches"]]
    arrays = {"outputs_before": predict(model, initial, check["inputs"])}
    for name in OPTIMIZERS[model.name]:
        train: Callable[..., Any] = partial(formulas.train, _outputs(model))
        if name.endswith("repeats_apart"):
            train = formulas.train_repeats_apart
        losses, trained = train(initial, _optimizer(model, name), _as_tensors(steps))
        timed_losses, _ = train(initial, _optimizer(model, name), _as_tensors(timed))
        arrays[f"losses.{name}"] = np.array(losses)
        arrays[f"outputs_after.{name}"] = predict(model, trained, check["inputs"])
        arrays[f"timed_losses.{name}"] = np.array(timed_losses)
    return arrays


def predict(model: Model, weights: Mapping[str, Any], inputs: np.ndarray) -> np.ndarray:
    """Logits or features (examples, outputs) in the precision of the weights, which are PyTorch tensors."""
    import torch

    batches = torch.from_numpy(np.ascontiguousarray(inputs)).split(model.hyperparameters["batch_size"])
    with torch.inference_mode():
        return torch.cat([_outputs(model)(weights, batch) for batch in batches]).numpy()


def dropout_losses(
    model: Model, weights: Mapping[str, np.ndarray], images: np.ndarray, labels: np.ndarray, seed: int
) -> np.ndarray:
    """The CNN's loss for one batch under each of a few dozen dropout masks; float32 is enough for their statistics."""
    import torch

    from rosetta import formulas

    generator = torch.Generator().manual_seed(seed)
    drop_conv, drop_dense = (
        partial(formulas.dropout, rate=model.hyperparameters[name], generator=generator)
        for name in ("dropout_conv", "dropout_dense")
    )
    prepared = {name: torch.from_numpy(weight) for name, weight in weights.items()}
    inputs, targets = torch.from_numpy(images), torch.from_numpy(labels)
    with torch.inference_mode():
        losses = [
            formulas.cross_entropy(formulas.cnn_logits(prepared, inputs, drop_conv, drop_dense), targets).item()
            for _ in range(DROPOUT_MASKS)
        ]
    return np.array(losses)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Compute in one thread: more only get in the way of the GRU's small matrices, badly so on a busy machine."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _outputs(model: Model) -> Callable[..., Any]:
    """The model's formula: weights and inputs to outputs."""
    from rosetta import formulas

    if model.name == "resnet50":
        return partial(
            formulas.resnet50_features,
            mean=model.hyperparameters["mean"],
            deviation=model.hyperparameters["deviation"],
            epsilon=model.hyperparameters["batch_norm_epsilon"],
        )
    return formulas.cnn_logits if model.name == "cnn" else formulas.gru_logits


def _optimizer(model: Model, name: str) -> Any:
    from rosetta import formulas

    own = model.hyperparameters
    if name == "momentum":
        return formulas.Momentum(own["learning_rate"], own["momentum"])
    return formulas.Adam(
        own["learning_rate"], own["beta1"], own["beta2"], own["epsilon"], epsilon_hat=name.startswith("epsilon_hat")
    )


def _mapped(sheet: Path) -> Arrays:
    return {name: tensor.map() for name, tensor in Sheet.read(sheet).tensors.items()}


def _as_float64(weights: Mapping[str, np.ndarray]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(np.asarray(weight, np.float64)) for name, weight in weights.items()}


def _as_tensors(steps: list[tuple[np.ndarray, np.ndarray]]) -> list[tuple[Any, Any]]:
    import torch

    return [(torch.from_numpy(inputs), torch.from_numpy(labels)) for inputs, labels in steps]
