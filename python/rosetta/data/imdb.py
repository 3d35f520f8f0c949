"""IMDB reviews (Maas et al. 2011): Keras's `imdb.npz`, or the raw text of `aclImdb`."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from rosetta.data.archives import find, members
from rosetta.data.download import Download, fetch
from rosetta.data.examples import Examples, NotHere, Origin, Split, described, join, shuffled
from rosetta.data.pickles import load_plain
from rosetta.data.progress import progress
from rosetta.data.settings import DataSettings
from rosetta.data.text import LENGTH, VOCABULARY, ranks, row, rows, words
from rosetta.errors import RosettaError

CLASSES = ("negative", "positive")
OFFICIAL_SPLITS = {"train": 25_000, "test": 25_000}
# https://ai.stanford.edu/~amaas/data/sentiment/
RAW_ARCHIVE = Download(
    "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz", "7c2ac02c03563afcf9b574c7e56c153a", 84_125_825
)
LAYOUT = {"reviews": f"int32 word ids below {VOCABULARY:,}, padded in front", "labels": "int64, index into classes"}

_NAMED = re.compile(r"aclimdb|^imdb$|imdb.*\.(?:tar|t[gx]z|tbz2|zip)", re.IGNORECASE)
_INSIDE = ("train/pos", "train/neg")
_REVIEW = re.compile(r"(?:^|/)(train|test)/(pos|neg)/[^/]+\.txt$")
_RATING = re.compile(r"_(\d+)\.txt$")
_ARRAY = re.compile(r"^[xy]_(train|test)\.npy$")
_RATINGS = {"neg": range(1, 5), "pos": range(7, 11)}  # in the order of the labels
_MAX_REVIEW_BYTES = 1024**2  # the longest has 14 kB
_MAX_ARRAY_BYTES = 256 * 1024**2  # Keras's have about 25 MB each


def from_user(settings: DataSettings, _downloads: Path) -> Examples:
    """IMDB among the user's files: `imdb.npz` rather than raw text."""
    if settings.data_dir is None:
        raise NotHere("no folder with IMDB's reviews was named (data_dir or ROSETTA_DATA)")
    given = settings.data_dir
    arrays = [given, *(given / folder / "imdb.npz" for folder in (".", "imdb"))]
    keras = next((path for path in arrays if path.name == "imdb.npz" and path.is_file()), None)
    if keras:
        return load_npz(keras, Origin("user files", str(keras)), settings.seed)
    found = find(given, _NAMED, _INSIDE)
    if not found:
        raise NotHere(f"{given} holds no IMDB reviews (docs/data.md tells the accepted files)")
    path = min(found, key=lambda path: (path.is_file(), path.name))  # an archive takes longer than a folder
    return load_raw(path, Origin("user files", str(path)), settings.seed)


def from_download(settings: DataSettings, downloads: Path) -> Examples:
    """IMDB from its official page."""
    path = fetch(RAW_ARCHIVE, downloads, settings.download)
    return load_raw(path, Origin("download", RAW_ARCHIVE.url), settings.seed)


def load_raw(path: Path, origin: Origin, seed: int) -> Examples:
    """Read `aclImdb`: a folder or archive of `SPLIT/pos|neg/ID_RATING.txt`.

    Raises:
        RosettaError: a review is empty, no UTF-8 or in the wrong folder, or a folder is missing; the message names it.
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = {
        (split, side): [] for split in OFFICIAL_SPLITS for side in _RATINGS
    }
    for name, content in progress(members(path, _REVIEW, _MAX_REVIEW_BYTES), "reading IMDB", "review"):
        split, side = name.split("/")[-3:-1]
        found[split, side].append((name, _text(f"{path}: {name}", side, content)))
    missing = [f"{split}/{side}" for (split, side), reviews in found.items() if not reviews]
    if missing:
        raise RosettaError(f"{path} is no complete aclImdb: no reviews in {', '.join(missing)}. Get it again.")
    # By name, so that a folder and an archive in any order give the same.
    train, test = (
        [(text, label) for label, side in enumerate(_RATINGS) for _, text in sorted(found[split, side])]
        for split in OFFICIAL_SPLITS
    )
    return _examples(origin, *encode(train, test), seed)


def encode(train: list[tuple[str, int]], test: list[tuple[str, int]]) -> tuple[Split, Split]:
    """Reviews (text, label) as word ids; the vocabulary is that of the training split."""
    vocabulary = ranks(text for text, _ in progress(train, "counting words", "review"))
    train_split, test_split = (
        Split(rows([text for text, _ in reviews], vocabulary), np.array([label for _, label in reviews], np.int64))
        for reviews in (train, test)
    )
    return train_split, test_split


def load_npz(path: Path, origin: Origin, seed: int) -> Examples:
    """Read Keras's `imdb.npz`: the reviews as ranks of words, numbered as `keras.datasets.imdb.load_data` does.

    Raises:
        RosettaError: an array is missing or not as it should be; the message names it.
    """
    contents = dict(members(path, _ARRAY, _MAX_ARRAY_BYTES))
    missing = [
        name for split in OFFICIAL_SPLITS for name in (f"x_{split}.npy", f"y_{split}.npy") if name not in contents
    ]
    if missing:
        raise RosettaError(f"{path} is not Keras's imdb.npz: {', '.join(missing)} is missing. Get it again.")
    train, test = (
        _ranked_split(path, split, contents.pop(f"x_{split}.npy"), contents.pop(f"y_{split}.npy"))
        for split in OFFICIAL_SPLITS
    )
    return _examples(origin, train, test, seed)


def _examples(origin: Origin, train: Split, test: Split, seed: int) -> Examples:
    title, splits, warnings = described("IMDB reviews", train, test, OFFICIAL_SPLITS)
    mixed = (shuffled(split, np.random.default_rng([seed, number])) for number, split in enumerate((train, test)))
    reviews, labels = join(*mixed)
    return Examples("imdb", title, origin, {"reviews": reviews, "labels": labels}, splits, LAYOUT, CLASSES, warnings)


def _text(where: str, side: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RosettaError(f"{where} is no UTF-8 text ({error.reason} at byte {error.start}). Get it again.") from None
    if not words(text):
        raise RosettaError(f"{where} is an empty review. Remove it or get the set again.")
    rating = _RATING.search(where)
    if rating and int(rating[1]) not in _RATINGS[side]:
        raise RosettaError(f"{where} has the rating {rating[1]}, which is wrong for {side}. Get the set again.")
    return text


def _ranked_split(path: Path, split: str, reviews: bytes, labels: bytes) -> Split:
    all_ranks, all_labels = _array(f"{path}: x_{split}", reviews), _array(f"{path}: y_{split}", labels)
    if all_ranks.ndim != 1 or all_labels.shape != all_ranks.shape or not len(all_ranks):
        shapes = f"x_{split} {all_ranks.shape}, y_{split} {all_labels.shape}"
        raise RosettaError(f"{path} is not Keras's imdb.npz: it holds {shapes}. Get it again.")
    if not np.isin(all_labels, range(len(CLASSES))).all():
        raise RosettaError(f"{path}: y_{split} holds labels other than 0 and 1. Get it again.")
    ids = np.empty((len(all_ranks), LENGTH), np.int32)
    for number, review in enumerate(progress(all_ranks, "reading IMDB", "review")):
        ids[number] = row(_ranks(f"{path}: review {number} of x_{split}", review))
    return Split(ids, all_labels.astype(np.int64))


def _ranks(where: str, review: Any) -> list[int]:
    """A review's ranks, checked."""
    if not isinstance(review, list) or not all(type(rank) is int and rank > 0 for rank in review):
        raise RosettaError(f"{where} is no list of positive numbers. Get it again.")
    if not review:
        raise RosettaError(f"{where} is empty. Get it again.")
    return review


def _array(where: str, content: bytes) -> np.ndarray:
    """An array in NumPy's file format; one of Python objects is read without calling any code it names."""
    file = io.BytesIO(content)
    try:
        version = npy.read_magic(file)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        _, _, dtype = header(file)
        if dtype.hasobject:
            array = load_plain(content[file.tell() :])
        else:
            file.seek(0)
            array = npy.read_array(file, allow_pickle=False)
        if not isinstance(array, np.ndarray):
            raise ValueError(f"it holds a {type(array).__name__}")
    except Exception as error:  # a damaged header can raise anything
        raise RosettaError(f"{where} is no array that can be read ({error}). Get it again.") from None
    return array
