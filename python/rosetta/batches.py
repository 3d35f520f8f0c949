"""The shared order of the batches: which training examples make up each step, the same for every row."""

from pathlib import Path

import numpy as np

from rosetta.errors import RosettaError
from rosetta.models import MODELS
from rosetta.tensors import Sheet, sha256, write_tensors


def batch_order(available: int, chosen: int, epochs: int, batch_size: int, seed: int) -> np.ndarray:
    """Draw the order of the batches.

    Args:
        available: training examples that there are.
        chosen: training examples to use; if fewer, a random subset, the same in all epochs.
        epochs: passes over the chosen examples, each in a new order.
        batch_size: examples of a batch; those left over at the end of an epoch are not used in it.
        seed: of NumPy's PCG64.

    Returns:
        Example indices, int64 (epochs, steps, batch_size).
    """
    generator = np.random.default_rng(seed)
    subset = generator.permutation(available)[:chosen]
    steps = len(subset) // batch_size
    orders = [generator.permutation(subset)[: steps * batch_size] for _ in range(epochs)]
    return np.stack(orders).reshape(epochs, steps, batch_size).astype(np.int64)


def write_batches(
    model: str, folder: Path, seed: int, epochs: int, train_examples: int | str, test_examples: int | str = "all"
) -> Sheet:
    """Write the order of a model's batches to `folder/batches/`.

    Args:
        folder: of the prepared data; its sheet of the model is read.
        train_examples: how many to train on, or "all".
        test_examples: how many will be predicted, or "all"; only checked here.

    Returns:
        The sheet written: the tensor `batches`.

    Raises:
        RosettaError: there are fewer examples than asked for, or than fill a batch.
    """
    batch_size = MODELS[model].hyperparameters["batch_size"]
    data = Sheet.read(folder / f"{model}.json")
    available = data.tensors["train_labels"].shape[0]
    chosen = _count(model, "train_examples", train_examples, available)
    if test_examples != "all":
        _count(model, "test_examples", test_examples, data.tensors["test_labels"].shape[0])
    if chosen < batch_size:
        raise RosettaError(
            f"config: models.{model}.train_examples: {chosen} do not fill one batch of {batch_size}. Ask for more."
        )
    batches = batch_order(available, chosen, epochs, batch_size, seed)
    facts = {"model": model, "seed": seed, "train_examples": chosen, "sha256": sha256({"batches": batches})}
    tensors = write_tensors(folder / "batches" / f"{model}.arrow", {"batches": batches}, facts)
    sheet = Sheet(tensors, facts)
    sheet.write(folder / "batches" / f"{model}.json")
    return sheet


def _count(model: str, name: str, asked: int | str, available: int) -> int:
    """How many examples are asked for, if there are as many."""
    if asked == "all":
        return available
    if int(asked) > available:
        raise RosettaError(
            f"config: models.{model}.{name}: {asked} are asked for, but the data set has {available}. "
            "Ask for fewer, or for `all`."
        )
    return int(asked)
