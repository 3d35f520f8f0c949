"""Real data that packages ship: Fashion-MNIST, IMDB's reviews on PyPI, sample photographs."""

import csv
import gzip
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rosetta.data import fashion_mnist, movie_reviews, packages, photos
from rosetta.data.examples import NotHere
from rosetta.data.packages import Package

from tests.data.official import settings


def idx(array: np.ndarray) -> bytes:
    header = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return gzip.compress(header + array.astype(np.uint8).tobytes())


@pytest.fixture
def fashion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with a tiny Fashion-MNIST in it, as Debian installs it; gives the data's folder."""
    generator = np.random.default_rng(1)
    folder = tmp_path / fashion_mnist.FASHION_MNIST
    folder.mkdir(parents=True)
    for prefix, count in (("train", 6), ("t10k", 4)):
        (folder / f"{prefix}-images-idx3-ubyte.gz").write_bytes(idx(generator.integers(0, 256, (count, 28, 28))))
        (folder / f"{prefix}-labels-idx1-ubyte.gz").write_bytes(idx(np.arange(count)))
    changelog = tmp_path / fashion_mnist.CHANGELOG
    changelog.parent.mkdir(parents=True)
    changelog.write_bytes(gzip.compress(b"dataset-fashion-mnist (0.0~git1-1) unstable; urgency=medium\n"))
    monkeypatch.setattr(fashion_mnist, "DEBIAN_ROOTS", (tmp_path / "nowhere", tmp_path))
    return folder


def test_fashion_mnist_gets_the_shapes_of_cifar10(fashion: Path, tmp_path: Path) -> None:
    examples = fashion_mnist.from_package(settings(), tmp_path)
    images, labels = examples.columns["images"], examples.columns["labels"]
    assert (images.shape, images.dtype) == ((10, 3, 32, 32), np.uint8)
    assert examples.splits == {"train": 6, "test": 4}
    assert labels.tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3]
    grey = gzip.decompress((fashion / "train-images-idx3-ubyte.gz").read_bytes())[16:]
    assert images[:6, 1, 2:30, 2:30].tobytes() == grey
    assert (images[:, 0] == images[:, 1]).all()
    assert (images[:, 0] == images[:, 2]).all()
    assert images[:, :, :2].max() == images[:, :, -2:].max() == images[..., :2].max() == images[..., -2:].max() == 0
    assert examples.dataset == "fashion-mnist"
    assert examples.origin == ("package", "dataset-fashion-mnist 0.0~git1-1")


@pytest.mark.parametrize(
    "content",
    [b"", b"no gzip", gzip.compress(b""), gzip.compress(b"\0\0\x0b\x01\0\0\0\x01x"), idx(np.zeros((5, 28, 28)))[:-9]],
)
def test_a_broken_fashion_mnist_is_passed_over(fashion: Path, tmp_path: Path, content: bytes) -> None:
    (fashion / "t10k-images-idx3-ubyte.gz").write_bytes(content)
    with pytest.raises(NotHere, match="fashion-mnist"):
        fashion_mnist.from_package(settings(), tmp_path)


def test_no_fashion_mnist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fashion_mnist, "DEBIAN_ROOTS", (tmp_path,))
    with pytest.raises(NotHere, match="apt-get install dataset-fashion-mnist"):
        fashion_mnist.from_package(settings(), tmp_path)


def test_the_real_fashion_mnist(tmp_path: Path) -> None:
    try:
        examples = fashion_mnist.from_package(settings(), tmp_path)
    except NotHere as reason:
        pytest.skip(str(reason))
    assert examples.splits == {"train": 60_000, "test": 10_000}
    assert set(np.bincount(examples.columns["labels"])) == {7000}
    assert set(examples.columns["labels"][:64]) == set(range(10))


@pytest.fixture
def reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `movie-reviews` with 20 reviews of each label; gives its table."""
    path = tmp_path / "data" / "combined_movie_reviews.csv"
    path.parent.mkdir()
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["text", "label", "source"])
        table.writerows(
            [f'review {number}, "really"\n{"good" * label}', label, "imdb"] for label in (0, 1) for number in range(20)
        )
        table.writerows([f"sentence {number}", number % 2, "rotten_tomatoes"] for number in range(8))
    monkeypatch.setattr(movie_reviews, "installed", lambda *_: Package("movie-reviews 0.0.2", tmp_path))
    monkeypatch.setattr(movie_reviews, "EACH_LABEL", 20)
    return path


def test_the_packages_imdb_reviews_are_split_in_two(reviews: Path, tmp_path: Path) -> None:
    examples = movie_reviews.from_package(settings(), tmp_path)
    ids, labels = examples.columns["reviews"], examples.columns["labels"]
    assert (ids.shape, ids.dtype, labels.dtype) == ((40, 150), np.int32, np.int64)
    assert examples.splits == {"train": 32, "test": 8}
    assert Counter(labels[:32].tolist()) == {0: 16, 1: 16}
    assert Counter(labels[32:].tolist()) == {0: 4, 1: 4}
    assert set(labels[:8]) == {0, 1}
    assert examples.dataset == "movie-reviews"
    assert examples.origin == ("package", "movie-reviews 0.0.2")
    assert np.array_equal(ids, movie_reviews.from_package(settings(), tmp_path).columns["reviews"])
    assert not np.array_equal(ids, movie_reviews.from_package(settings(seed=8), tmp_path).columns["reviews"])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "text,label\na,1\n",
        "text,label,source\na,x,imdb\n",
        "text,label,source\na,1,imdb\n",
        "text,label,source\nimdb\n",
    ],
)
def test_another_version_of_the_package_is_passed_over(reviews: Path, tmp_path: Path, content: str) -> None:
    reviews.write_text(content)
    with pytest.raises(NotHere):
        movie_reviews.from_package(settings(), tmp_path)


def test_the_real_package_holds_imdbs_training_reviews() -> None:
    try:
        package = packages.installed(movie_reviews.PACKAGE, "movie_reviews")
    except NotHere as reason:
        pytest.skip(str(reason))
    found = movie_reviews._read(package.folder / "data" / "combined_movie_reviews.csv")
    assert Counter(label for _, label in found) == {0: 12_500, 1: 12_500}
    train, test = movie_reviews._split(found, np.random.default_rng(7))
    assert Counter(label for _, label in train) == {0: 10_000, 1: 10_000}
    assert Counter(label for _, label in test) == {0: 2_500, 1: 2_500}
    assert Counter(train + test) == Counter(found)


def test_sample_photographs(tmp_path: Path) -> None:
    try:
        examples = photos.from_packages(settings(photos=30), tmp_path)
    except NotHere as reason:
        pytest.skip(str(reason))
    assert examples.dataset == "sample-photos"
    assert examples.columns["photos"].shape == (30, 3, 224, 224)
    assert "sample photographs of scikit-" in examples.title
    assert examples.title.endswith("crops of them")
    assert examples.origin.kind == "package"
    assert examples.columns["photos"].reshape(30, -1).std(axis=1).min() > 5  # none is empty


def test_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotHere, match="rosetta-no-such-thing is not installed"):
        packages.installed("rosetta-no-such-thing", "rosetta_no_such_thing")
    monkeypatch.setattr(photos, "PACKAGES", (("rosetta-no-such-thing", "rosetta_no_such_thing", "data", ()),))
    with pytest.raises(NotHere, match="neither scikit-image nor scikit-learn is installed"):
        photos.from_packages(settings(), tmp_path)
