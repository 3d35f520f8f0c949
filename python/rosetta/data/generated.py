"""Generated sets: where no real one is at hand. Same shapes and sizes, learnable, the same for a seed everywhere."""

from pathlib import Path

import numpy as np

from rosetta.data.examples import Examples, Origin
from rosetta.data.settings import DataSettings
from rosetta.data.text import INDEX_FROM, LENGTH, PADDING_ID, START_ID, VOCABULARY

IMAGES = {"train": 50_000, "test": 10_000}
REVIEWS = {"train": 25_000, "test": 25_000}
IMAGE_CLASSES = 10
PATTERN_LEVELS = 192  # a class's pattern spans these grey levels, under noise that spans the rest
TELLING_WORDS = 100  # for each label, among the 1,000 most frequent words
TELLING_SHARE = 0.2  # of a review's words
SHORTEST_REVIEW = 30


def images(settings: DataSettings, _downloads: Path) -> Examples:
    """Images of ten classes: each class has a smooth pattern of colours, each image hides it under its own noise."""
    generator = np.random.default_rng(settings.seed)
    patterns = _upsampled(generator.integers(0, PATTERN_LEVELS, (IMAGE_CLASSES, 3, 4, 4)), 8)
    labels = generator.integers(0, IMAGE_CLASSES, sum(IMAGES.values()))
    pixels = generator.integers(0, 256 - PATTERN_LEVELS, (len(labels), 3, 32, 32), np.uint8)
    for number, label in enumerate(labels):
        pixels[number] += patterns[label]
    return Examples(
        dataset="generated-images",
        title="generated images",
        origin=Origin("generated", "built in"),
        columns={"images": pixels, "labels": labels},
        splits=IMAGES,
        layout={"images": "uint8 (channel, row, column), RGB", "labels": "int64"},
        classes=tuple(f"pattern {number}" for number in range(IMAGE_CLASSES)),
    )


def reviews(settings: DataSettings, _downloads: Path) -> Examples:
    """Reviews of two labels: words by Zipf's law, and among them some that tell the label."""
    generator = np.random.default_rng(settings.seed)
    labels = generator.integers(0, 2, sum(REVIEWS.values()))
    shape = (len(labels), LENGTH)
    frequency = np.cumsum(1 / np.arange(1, VOCABULARY - INDEX_FROM))
    ranks = 1 + np.searchsorted(frequency, generator.random(shape) * frequency[-1])
    telling = 1 + generator.permutation(10 * TELLING_WORDS)[: 2 * TELLING_WORDS].reshape(2, TELLING_WORDS)
    told = telling[labels[:, None], generator.integers(0, TELLING_WORDS, shape)]
    ids = INDEX_FROM + np.where(generator.random(shape) < TELLING_SHARE, told, ranks)
    # As with real reviews: the longer ones fill the row, the shorter ones begin with the start mark and are padded.
    start = LENGTH - generator.integers(SHORTEST_REVIEW, 2 * LENGTH, len(labels))
    column = np.arange(LENGTH)
    ids[column == start[:, None]] = START_ID
    ids[column < start[:, None]] = PADDING_ID
    return Examples(
        dataset="generated-reviews",
        title="generated reviews",
        origin=Origin("generated", "built in"),
        columns={"reviews": ids.astype(np.int32), "labels": labels},
        splits=REVIEWS,
        layout={"reviews": f"int32 word ids below {VOCABULARY:,}, padded in front", "labels": "int64"},
        classes=("label 0", "label 1"),
    )


def photos(settings: DataSettings, _downloads: Path) -> Examples:
    """Pictures in a photograph's shape: smooth colours with some noise; they have no labels."""
    generator = np.random.default_rng(settings.seed)
    pixels = generator.integers(0, 32, (settings.photos, 3, 224, 224), np.uint8)
    for picture in pixels:
        picture += _upsampled(generator.integers(0, 224, (3, 7, 7)), 32)
    return Examples(
        dataset="generated-photos",
        title="generated pictures",
        origin=Origin("generated", "built in"),
        columns={"photos": pixels},
        splits={"test": settings.photos},
        layout={"photos": "uint8 (channel, row, column), RGB"},
    )


def _upsampled(coarse: np.ndarray, factor: int) -> np.ndarray:
    """Coarse pictures (..., rows, columns) enlarged by linear interpolation: uint8 (..., factor * rows, ...)."""
    size = coarse.shape[-1]
    place = np.clip((np.arange(size * factor) + 0.5) / factor - 0.5, 0, size - 1)
    weight = np.maximum(0, 1 - np.abs(place[:, None] - np.arange(size)))
    return (weight @ coarse @ weight.T).astype(np.uint8)
