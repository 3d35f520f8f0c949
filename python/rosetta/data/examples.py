"""A data set in memory: what every source gives, whatever it read."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosetta.errors import RosettaError

# Single bad images are skipped and counted, up to this share of all.
MAX_SKIPPED_SHARE = 0.01


class NotHere(Exception):  # noqa: N818 (no error: the next source is tried)
    """A source has nothing for the model; the message says why, in a line."""


class Origin(NamedTuple):
    """Where a data set came from.

    Attributes:
        kind: `user files`, `download`, `package` or `generated`.
        source: the path, URL, or package with its version.
    """

    kind: str
    source: str


@dataclass(frozen=True)
class Examples:
    """A data set: all its examples in one table, split by split.

    Attributes:
        dataset: the set's own short name, also its file's.
        title: one line for people.
        origin: where it came from.
        columns: name -> array (examples, ...); the first is the model's input, then `labels` (int64) if there are any.
        splits: name -> number of examples, in the order in which they lie in the columns.
        layout: what a row of each column holds.
        classes: the names of the labels 0, 1, ...; none where there are no labels.
        warnings: sentences that the user should read.
    """

    dataset: str
    title: str
    origin: Origin
    columns: dict[str, np.ndarray]
    splits: dict[str, int]
    layout: dict[str, str]
    classes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Split(NamedTuple):
    """One split: its inputs (examples, ...) and labels (examples)."""

    inputs: np.ndarray
    labels: np.ndarray


def shuffled(split: Split, generator: np.random.Generator) -> Split:
    """The split in a random order, so that its first rows hold all classes."""
    order = generator.permutation(len(split.labels))
    return Split(split.inputs[order], split.labels[order])


def join(train: Split, test: Split) -> tuple[np.ndarray, np.ndarray]:
    """Both splits, one after the other: inputs and labels (int64)."""
    return np.concatenate([train.inputs, test.inputs]), np.concatenate([train.labels, test.labels]).astype(np.int64)


def described(
    title: str, train: Split, test: Split, official: dict[str, int], warnings: tuple[str, ...] = ()
) -> tuple[str, dict[str, int], tuple[str, ...]]:
    """Title, splits and warnings of a set that may be there in part only: then it says so."""
    splits = {"train": len(train.labels), "test": len(test.labels)}
    if splits == official:
        return title, splits, warnings
    whole = " + ".join(f"{count:,}" for count in official.values())
    there = " + ".join(f"{count:,}" for count in splits.values())
    return f"part of {title}", splits, (f"{title} is not complete: {there} examples instead of {whole}.", *warnings)


def skipped(bad: list[str], total: int, what: str) -> tuple[str, ...]:
    """The warning about images that were left out.

    Args:
        bad: for each one its name and what is wrong with it.
        total: how many there were in all.
        what: where they are, for the message.

    Raises:
        RosettaError: they are more than `MAX_SKIPPED_SHARE` of all.
    """
    if not bad:
        return ()
    named = "; ".join(bad[:3]) + ("; ..." if len(bad) > 3 else "")
    if len(bad) > MAX_SKIPPED_SHARE * total:
        raise RosettaError(
            f"{what}: {len(bad)} of {total} images cannot be used ({named}). "
            f"At most {MAX_SKIPPED_SHARE:.0%} may be left out: mend or remove them."
        )
    return (f"{len(bad)} of {total} images were left out: {named}.",)
