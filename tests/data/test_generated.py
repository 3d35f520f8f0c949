"""The generated sets: right shapes, the same every time, and learnable."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rosetta.data import generated
from rosetta.data.examples import Examples

from tests.data.official import settings


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "IMAGES", {"train": 2000, "test": 1000})
    monkeypatch.setattr(generated, "REVIEWS", {"train": 2000, "test": 1000})


def test_images_can_be_learned() -> None:
    examples = generated.images(settings(), Path())
    pixels, labels = examples.columns["images"], examples.columns["labels"]
    assert (pixels.shape, pixels.dtype, labels.dtype) == ((3000, 3, 32, 32), np.uint8, np.int64)
    assert np.bincount(labels[:2000]).min() > 150
    features = pixels.reshape(3000, -1).astype(np.float32)
    means = np.stack([features[:2000][labels[:2000] == label].mean(axis=0) for label in range(10)])
    # The nearest class mean: the distance without the part that is the same for all.
    guesses = (2 * features[2000:] @ means.T - (means**2).sum(axis=1)).argmax(axis=1)
    assert (guesses == labels[2000:]).mean() > 0.9  # chance: 0.1


def test_reviews_can_be_learned() -> None:
    examples = generated.reviews(settings(), Path())
    ids, labels = examples.columns["reviews"], examples.columns["labels"]
    assert (ids.shape, ids.dtype, labels.dtype) == ((3000, 150), np.int32, np.int64)
    assert 0 <= ids.min() < 4
    assert 20_000 < ids.max() < 30_000
    # Naive Bayes: each word votes by how much more often it stood in reviews of one label than of the other.
    counts = [np.bincount(ids[:2000][labels[:2000] == label].ravel(), minlength=30_000) for label in (0, 1)]
    votes = np.log(counts[1] + 1) - np.log(counts[0] + 1)
    votes[:4] = 0
    assert ((votes[ids[2000:]].sum(axis=1) > 0) == labels[2000:]).mean() > 0.8  # chance: 0.5


def test_reviews_are_padded_in_front() -> None:
    ids = generated.reviews(settings(), Path()).columns["reviews"]
    words = (ids > 3).sum(axis=1)
    short = words < 150
    assert 0.2 < short.mean() < 0.8
    assert words.min() >= 29
    for row, count in zip(ids[short], words[short], strict=True):
        assert (row[: 149 - count] == 0).all()
        assert row[149 - count] == 1
    assert not (ids == 3).any()


def test_photos() -> None:
    examples = generated.photos(settings(photos=5), Path())
    pixels = examples.columns["photos"]
    assert (pixels.shape, pixels.dtype) == ((5, 3, 224, 224), np.uint8)
    assert len({picture.tobytes() for picture in pixels}) == 5


@pytest.mark.parametrize("make", [generated.images, generated.reviews, generated.photos])
def test_the_seed_alone_decides(make: Callable[..., Examples]) -> None:
    def columns(seed: int) -> dict[str, np.ndarray]:
        examples = make(settings(seed=seed), Path())
        assert examples.dataset.startswith("generated-")
        assert examples.title.startswith("generated ")
        assert examples.origin == ("generated", "built in")
        return examples.columns

    first, again, other = columns(7), columns(7), columns(8)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not any(np.array_equal(first[name], other[name]) for name in first)
