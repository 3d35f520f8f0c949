"""Fashion-MNIST from Debian's package `dataset-fashion-mnist`, in CIFAR-10's shapes."""

import gzip
import zlib
from pathlib import Path

import numpy as np

from rosetta.data.examples import Examples, NotHere, Origin, Split, join
from rosetta.data.settings import DataSettings
from rosetta.sources import DEBIAN_ROOTS, FASHION_MNIST

PACKAGE = "dataset-fashion-mnist"
CHANGELOG = f"usr/share/doc/{PACKAGE}/changelog.Debian.gz"
# https://github.com/zalandoresearch/fashion-mnist#labels
CLASSES = ("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot")
LAYOUT = {
    "images": "uint8 (channel, row, column): 28x28 grey, 2 zeros around, 3 equal channels",
    "labels": "int64, index into classes",
}
SPLITS = {"train": "train", "test": "t10k"}  # as in the files' names


def from_package(_settings: DataSettings, _downloads: Path) -> Examples:
    """Fashion-MNIST, padded from 28x28 to 32x32 and repeated to three channels."""
    root = next((root for root in DEBIAN_ROOTS if (root / FASHION_MNIST).is_dir()), None)
    if root is None:
        raise NotHere(f"Debian's {PACKAGE} is not installed (apt-get install {PACKAGE})")
    train, test = (_read(root / FASHION_MNIST, prefix) for prefix in SPLITS.values())
    images, labels = join(train, test)
    return Examples(
        dataset="fashion-mnist",
        title="Fashion-MNIST in CIFAR-10's shapes",
        origin=Origin("package", f"{PACKAGE} {_version(root)}".strip()),
        columns={"images": images, "labels": labels},
        splits={"train": len(train.labels), "test": len(test.labels)},
        layout=LAYOUT,
        classes=CLASSES,
    )


def _read(folder: Path, prefix: str) -> Split:
    grey = _idx(folder / f"{prefix}-images-idx3-ubyte.gz")
    labels = _idx(folder / f"{prefix}-labels-idx1-ubyte.gz")
    if grey.shape != (len(labels), 28, 28) or not len(labels) or labels.max() >= len(CLASSES):
        raise NotHere(f"{folder}: the {prefix} files are not Fashion-MNIST's")
    padded = np.pad(grey, ((0, 0), (2, 2), (2, 2)))
    return Split(np.repeat(padded[:, None], 3, axis=1), labels)


def _idx(path: Path) -> np.ndarray:
    """An array of bytes in MNIST's format (http://yann.lecun.com/exdb/mnist): 0, 0, 8, axes, their sizes, the bytes."""
    try:
        content = gzip.decompress(path.read_bytes())
        axes = content[3]
        if content[:3] != b"\0\0\x08":
            raise ValueError("no idx file of bytes")
        shape = np.frombuffer(content, ">u4", axes, offset=4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)
    except (OSError, EOFError, ValueError, IndexError, zlib.error) as error:
        raise NotHere(f"{path} cannot be read ({error})") from None


def _version(root: Path) -> str:
    """The package's version, from its changelog: `NAME (VERSION) ...`."""
    try:
        with gzip.open(root / CHANGELOG, "rt", encoding="utf-8") as file:
            return file.readline().split("(")[1].split(")")[0]
    except (OSError, EOFError, IndexError, zlib.error):
        return ""
