"""CIFAR-10: the official archives and folders, or its images by split and class."""

import io
import re
from pathlib import Path

import numpy as np
from PIL import Image

from rosetta.data.archives import find, members
from rosetta.data.download import Download, fetch
from rosetta.data.examples import Examples, NotHere, Origin, Split, described, join, shuffled, skipped
from rosetta.data.pickles import load_plain
from rosetta.data.progress import progress
from rosetta.data.settings import DataSettings
from rosetta.errors import RosettaError

# The order of the official labels, which is also the alphabet's.
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
OFFICIAL_SPLITS = {"train": 50_000, "test": 10_000}
# https://www.cs.toronto.edu/~kriz/cifar.html: "CIFAR-10 python version".
PYTHON_ARCHIVE = Download(
    "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz", "c58f30108f718f92721af3b95e74349a", 170_498_071
)

_SHAPE = (3, 32, 32)
_PIXELS = 3 * 32 * 32
_NAMED = re.compile(r"cifar[-_ ]?10(?!\d)", re.IGNORECASE)
_INSIDE = ("data_batch_?", "data_batch_?.bin", *(f"train/{name}" for name in CLASSES))
_BATCH = re.compile(r"(?:^|/)(data_batch_[1-5]|test_batch)(\.bin)?$")
_IMAGE = re.compile(r"(?:^|/)(train|test)/([^/]+)/[^/]+\.(?:jpe?g|png)$", re.IGNORECASE)
_MEMBER = re.compile(f"{_BATCH.pattern}|{_IMAGE.pattern}", re.IGNORECASE)
_BATCHES = (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch")
_MAX_MEMBER_BYTES = 64 * 1024**2  # a batch has 31 MB

LAYOUT = {"images": "uint8 (channel, row, column), RGB", "labels": "int64, index into classes"}


def from_user(settings: DataSettings, _downloads: Path) -> Examples:
    """CIFAR-10 among the user's files."""
    if settings.data_dir is None:
        raise NotHere("no folder with CIFAR-10 was named (data_dir or ROSETTA_DATA)")
    found = find(settings.data_dir, _NAMED, _INSIDE)
    if not found:
        raise NotHere(f"{settings.data_dir} holds no CIFAR-10 (docs/data.md tells the accepted files)")
    path = min(found, key=_preference)
    return load(path, Origin("user files", str(path)), settings.seed)


def from_download(settings: DataSettings, downloads: Path) -> Examples:
    """CIFAR-10 from its official page."""
    path = fetch(PYTHON_ARCHIVE, downloads, settings.download)
    return load(path, Origin("download", PYTHON_ARCHIVE.url), settings.seed)


def load(path: Path, origin: Origin, seed: int) -> Examples:
    """Read CIFAR-10 from an archive or folder in any of the accepted formats.

    Official batches keep their order; images by class are shuffled by the seed.

    Raises:
        RosettaError: something in it is not as it should be; the message names the member.
    """
    batches: dict[str, Split] = {}
    images: list[tuple[str, bytes]] = []
    for name, content in progress(members(path, _MEMBER, _MAX_MEMBER_BYTES), "reading CIFAR-10", "file"):
        batch = _BATCH.search(name)
        if batch is None:
            images.append((name, content))
        elif batch[1] in batches:
            raise RosettaError(f"{path} holds {batch[1]} twice. Leave one CIFAR-10 in it.")
        else:
            parse = _binary_batch if batch[2] else _python_batch
            batches[batch[1]] = parse(f"{path}: {name}", content)
    warnings: tuple[str, ...] = ()
    if batches:
        train, test = _from_batches(path, batches)
    elif images:
        train, test, warnings = _from_images(path, images, seed)
    else:
        raise RosettaError(f"{path} holds no CIFAR-10: neither official batches nor images as train/CLASS/NAME.png.")
    pixels, labels = join(train, test)
    title, splits, warnings = described("CIFAR-10", train, test, OFFICIAL_SPLITS, warnings)
    return Examples("cifar10", title, origin, {"images": pixels, "labels": labels}, splits, LAYOUT, CLASSES, warnings)


def _preference(path: Path) -> tuple[int, bool, str]:
    """Official files before images, which may have lost something; a folder before an archive, which takes longer."""
    official = ("batches-py", "-python", "batches-bin", "-binary")
    rank = next((rank for rank, part in enumerate(official) if part in path.name.lower()), len(official))
    return rank, path.is_file(), path.name


def _from_batches(path: Path, batches: dict[str, Split]) -> tuple[Split, Split]:
    missing = [name for name in _BATCHES if name not in batches]
    if missing:
        raise RosettaError(f"{path} is incomplete: {', '.join(missing)} is missing. Get it again.")
    train = [batches[name] for name in _BATCHES[:-1]]
    inputs = np.concatenate([batch.inputs for batch in train])
    return Split(inputs, np.concatenate([batch.labels for batch in train])), batches["test_batch"]


def _python_batch(where: str, content: bytes) -> Split:
    """A batch of the Python version: a pickled dictionary with `data` uint8 (n, 3072) and `labels`, a list of n."""
    try:
        batch = {
            bytes(key, "ascii") if isinstance(key, str) else key: value for key, value in load_plain(content).items()
        }
        pixels, labels = batch[b"data"], np.asarray(batch[b"labels"])
        if pixels.dtype != np.uint8 or pixels.shape != (len(labels), _PIXELS) or labels.dtype.kind not in "iu":
            raise ValueError(f"data {pixels.dtype} {pixels.shape}, labels {labels.dtype} {labels.shape}")
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise RosettaError(f"{where} is no batch of CIFAR-10 ({error}). Get it again.") from None
    return _checked(where, pixels, labels)


def _binary_batch(where: str, content: bytes) -> Split:
    """A batch of the binary version: for each image a byte with its label, then its 3072 pixels."""
    if len(content) % (1 + _PIXELS):
        raise RosettaError(
            f"{where} is truncated: {len(content)} bytes are no multiple of {1 + _PIXELS}. Get it again."
        )
    rows = np.frombuffer(content, np.uint8).reshape(-1, 1 + _PIXELS)
    return _checked(where, rows[:, 1:], rows[:, 0])


def _checked(where: str, pixels: np.ndarray, labels: np.ndarray) -> Split:
    if not len(labels):
        raise RosettaError(f"{where} holds no images. Get it again.")
    if labels.min() < 0 or labels.max() >= len(CLASSES):
        wrong = next(label for label in labels if not 0 <= label < len(CLASSES))
        raise RosettaError(f"{where} holds the label {wrong}; CIFAR-10 has 0 to {len(CLASSES) - 1}. Get it again.")
    return Split(pixels.reshape(-1, *_SHAPE), labels)


def _from_images(path: Path, images: list[tuple[str, bytes]], seed: int) -> tuple[Split, Split, tuple[str, ...]]:
    """Both splits from images whose path ends in SPLIT/CLASS/NAME, and the warning about those left out."""
    images.sort()
    places = [_place(name) for name, _ in images]
    for split in OFFICIAL_SPLITS:
        wrong = {label for place, label in places if place == split}.symmetric_difference(CLASSES)
        if wrong:
            raise RosettaError(
                f"{path} is not CIFAR-10: {split}/ must hold the folders {', '.join(CLASSES)} and no other; "
                f"wrong or missing: {', '.join(sorted(wrong)[:10])}."
            )
    pixels = np.empty((len(images), *_SHAPE), np.uint8)
    good: dict[str, list[int]] = {split: [] for split in OFFICIAL_SPLITS}
    bad: list[str] = []
    for row, (name, content) in enumerate(progress(images, "decoding CIFAR-10", "image", len(images))):
        try:
            pixels[row] = _decode(content)
            good[places[row][0]].append(row)
        except ValueError as error:
            bad.append(f"{name} {error}")
    labels = np.array([CLASSES.index(label) for _, label in places], np.int64)
    train, test = (
        shuffled(Split(pixels[rows], labels[rows]), np.random.default_rng([seed, number]))
        for number, rows in enumerate(good.values())
    )
    return train, test, skipped(bad, len(images), str(path))


def _place(name: str) -> tuple[str, str]:
    """The split and the class that a path names."""
    split, label = name.split("/")[-3:-1]
    return split.lower(), label


def _decode(content: bytes) -> np.ndarray:
    """An image's pixels, uint8 (3, 32, 32); ValueError if it is none of CIFAR-10's."""
    try:
        with Image.open(io.BytesIO(content), formats=("JPEG", "PNG")) as image:
            shape = f"{image.width}x{image.height} {image.mode}"
            fits = image.size == _SHAPE[1:] and image.mode in ("RGB", "RGBA", "P")
            pixels = np.asarray(image.convert("RGB")) if fits else None
    except Exception as error:  # a damaged image can raise anything
        raise ValueError(f"cannot be read ({type(error).__name__})") from None
    if pixels is None:
        raise ValueError(f"is {shape}, not 32x32 RGB")
    return pixels.transpose(2, 0, 1)
