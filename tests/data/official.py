"""Tiny data sets in the official formats, made on the spot."""

import io
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image
from rosetta.data import DataSettings
from rosetta.data.cifar10 import CLASSES

Files = dict[str, bytes]


def settings(data_dir: Path | None = None, download: bool = False, seed: int = 7, photos: int = 6) -> DataSettings:
    return DataSettings(data_dir=data_dir, download=download, seed=seed, photos=photos)


def cifar10(per_class: int = 1) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """For each split random images uint8 (n, 3, 32, 32) and their labels (n), ordered by class."""
    generator = np.random.default_rng(1)
    labels = np.repeat(np.arange(10), per_class)
    return {
        split: (generator.integers(0, 256, (len(labels), 3, 32, 32), np.uint8), labels) for split in ("train", "test")
    }


def batches(per_class: int = 1) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The same as the official six batches: rows uint8 (n, 3072) and labels (n)."""
    data = cifar10(per_class)
    parts = zip(*(np.array_split(column, 5) for column in data["train"]), strict=True)
    named = {f"data_batch_{number}": part for number, part in enumerate(parts, start=1)} | {"test_batch": data["test"]}
    return {name: (images.reshape(len(images), -1), labels) for name, (images, labels) in named.items()}


def python_batch(rows: np.ndarray, labels: np.ndarray) -> bytes:
    """A batch pickled as Python 2 and the NumPy of that time did, opcode by opcode."""

    def text(value: str) -> bytes:
        return b"U" + bytes([len(value)]) + value.encode()

    def number(value: int) -> bytes:
        return b"J" + struct.pack("<i", value)

    dtype = b"cnumpy\ndtype\n" + text("u1") + b"K\0K\x01\x87R(K\x03" + text("|") + b"NNN" + number(-1) * 2 + b"K\0tb"
    array = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85" + text("b") + b"\x87R"
    raw = rows.tobytes()
    state = b"(K\x01" + number(rows.shape[0]) + number(rows.shape[1]) + b"\x86" + dtype + b"\x89"
    state += b"T" + struct.pack("<i", len(raw)) + raw + b"tb"
    listed = b"](" + b"".join(number(int(label)) for label in labels) + b"e"
    return b"\x80\x02}(" + text("data") + array + state + text("labels") + listed + b"u."


def python_files() -> Files:
    return {f"cifar-10-batches-py/{name}": python_batch(*batch) for name, batch in batches().items()}


def binary_files() -> Files:
    return {
        f"cifar-10-batches-bin/{name}.bin": np.column_stack([labels, rows]).astype(np.uint8).tobytes()
        for name, (rows, labels) in batches().items()
    }


def image_files(per_class: int = 1, suffix: str = "png") -> Files:
    return {
        f"images/{split}/{CLASSES[label]}/{number:04}.{suffix}": picture(image, suffix)
        for split, (images, labels) in cifar10(per_class).items()
        for number, (image, label) in enumerate(zip(images, labels, strict=True))
    }


def picture(image: np.ndarray, suffix: str = "png") -> bytes:
    """An image uint8 (3, rows, columns) as a file."""
    file = io.BytesIO()
    Image.fromarray(image.transpose(1, 2, 0)).save(file, {"png": "PNG", "jpg": "JPEG"}[suffix])
    return file.getvalue()


def review_files(per_folder: int = 3) -> Files:
    """`aclImdb` with a few reviews, and with what else the official archive holds."""
    files = {
        f"aclImdb/{split}/{side}/{number}_{rating}.txt": f"{word}, movie <br />number {number} in {split}!".encode()
        for split in ("train", "test")
        for side, rating, word in (("pos", 9, "Great"), ("neg", 2, "It isn't good"))
        for number in range(per_folder)
    }
    return {**files, "aclImdb/train/unsup/0_0.txt": b"unlabelled", "aclImdb/README": b"read me"}


def write_folder(path: Path, files: Files) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def write_archive(path: Path, files: Files) -> Path:
    """The files in an archive; its kind is told by the name."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path
    compression = path.suffix[1:] if path.suffix != ".tar" else ""
    with tarfile.open(path, f"w:{compression}") as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path
