"""Prepare a model's data: try its sources in order, write what the first one gives."""

import sys
from collections.abc import Callable
from pathlib import Path

from rosetta.data import cifar10, fashion_mnist, generated, imdb, movie_reviews, photos
from rosetta.data.examples import Examples, NotHere
from rosetta.data.settings import DataSettings
from rosetta.errors import RosettaError
from rosetta.tensors import Sheet, sha256, write_examples

Source = Callable[[DataSettings, Path], Examples]

# For each model its sources, best first: the user's files, the official download, what packages ship, generated.
SOURCES: dict[str, tuple[Source, ...]] = {
    "cnn": (cifar10.from_user, cifar10.from_download, fashion_mnist.from_package, generated.images),
    "gru": (imdb.from_user, imdb.from_download, movie_reviews.from_package, generated.reviews),
    "resnet50": (photos.from_user, photos.from_packages, generated.photos),
}


def prepare(model: str, folder: Path, settings: DataSettings) -> Sheet:
    """Write a model's data set, `folder/DATASET.arrow`, and the sheet that names its tensors, `folder/MODEL.json`.

    The same source and settings give the same bytes. What was tried and why it did not apply goes to standard error.

    Args:
        model: `cnn`, `gru` or `resnet50`.
        folder: where to write; downloads are kept in `folder/downloads`.
        settings: the user's choices.

    Returns:
        The sheet: `train_inputs`, `train_labels`, `test_inputs`, `test_labels` (resnet50: `test_inputs` only).

    Raises:
        RosettaError: the user's files are broken, or `data_dir` does not exist; the message names the file.
    """
    if settings.data_dir is not None and not settings.data_dir.exists():
        raise RosettaError(f"The data folder {settings.data_dir} does not exist. Correct data_dir or ROSETTA_DATA.")
    try:
        examples = _first(model, settings, folder / "downloads")
        counts = " + ".join(f"{count:,} {split}" for split, count in examples.splits.items())
        _say(f"{model}: {examples.title} ({counts}), from {examples.origin.source}")
        for warning in examples.warnings:
            _say(f"{model}: warning: {warning}")
        sheet = _write(examples, folder, settings)
        sheet.write(folder / f"{model}.json")
    except OSError as error:  # no permission, no space, a disk that fails
        raise RosettaError(f"The data of {model} cannot be prepared: {error}.") from None
    return sheet


def _first(model: str, settings: DataSettings, downloads: Path) -> Examples:
    """What the first source gives that has something; the last one always has."""
    *sources, generated_set = SOURCES[model]
    for source in sources:
        try:
            return source(settings, downloads)
        except NotHere as reason:
            _say(f"{model}: {reason}")
    return generated_set(settings, downloads)


def _write(examples: Examples, folder: Path, settings: DataSettings) -> Sheet:
    starts, stop = {}, 0
    for split, count in examples.splits.items():
        starts[split] = [stop, stop + count]
        stop += count
    facts = {
        "dataset": examples.dataset,
        "title": examples.title,
        "origin": examples.origin.kind,
        "source": examples.origin.source,
        "layout": examples.layout,
        "splits": starts,
        "classes": list(examples.classes),
        "seed": settings.seed,
        "sha256": sha256(examples.columns),
        "warnings": list(examples.warnings),
    }
    columns = write_examples(folder / f"{examples.dataset}.arrow", examples.columns, facts)
    inputs = next(iter(columns))
    tensors = {}
    for split, (start, stop) in starts.items():
        tensors[f"{split}_inputs"] = columns[inputs].rows(start, stop)
        if "labels" in columns:
            tensors[f"{split}_labels"] = columns["labels"].rows(start, stop)
    return Sheet(tensors, facts)


def _say(line: str) -> None:
    print(f"data: {line}", file=sys.stderr, flush=True)
