"""CIFAR-10 in all its formats, whole and broken."""

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rosetta.data import cifar10
from rosetta.data.examples import Examples, NotHere
from rosetta.errors import RosettaError

from tests.data import official
from tests.data.official import settings, write_archive, write_folder


def read(data_dir: Path, seed: int = 7) -> Examples:
    return cifar10.from_user(settings(data_dir, seed=seed), data_dir)


def contents(examples: Examples) -> dict[str, dict[bytes, int]]:
    """For each split its images and their labels, whatever their order."""
    cut = examples.splits["train"]
    pixels, labels = examples.columns["images"], examples.columns["labels"]
    return {
        split: {image.tobytes(): int(label) for image, label in zip(pixels[rows], labels[rows], strict=True)}
        for split, rows in {"train": slice(0, cut), "test": slice(cut, None)}.items()
    }


EXPECTED = {
    split: {image.tobytes(): int(label) for image, label in zip(*columns, strict=True)}
    for split, columns in official.cifar10().items()
}


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("cifar-10-python.tar.gz", official.python_files()),
        ("cifar-10-binary.tar.gz", official.binary_files()),
        ("cifar10_images.tar.xz", official.image_files()),
        ("cifar10_images.tar.gz", official.image_files()),
        ("CIFAR-10.tar", official.image_files()),
        ("cifar10.zip", official.image_files()),
    ],
)
def test_every_archive(tmp_path: Path, name: str, files: official.Files) -> None:
    archive = write_archive(tmp_path / name, files)
    for data_dir in (tmp_path, archive):
        examples = read(data_dir)
        assert contents(examples) == EXPECTED
        assert examples.dataset == "cifar10"
        assert examples.origin == ("user files", str(archive))
        assert examples.columns["images"].dtype == np.uint8
        assert examples.columns["labels"].dtype == np.int64


@pytest.mark.parametrize("files", [official.python_files(), official.binary_files(), official.image_files()])
def test_every_folder(tmp_path: Path, files: official.Files) -> None:
    write_folder(tmp_path, files)
    top = tmp_path / next(iter(files)).split("/")[0]
    assert contents(read(tmp_path)) == contents(read(top)) == EXPECTED


def test_official_batches_keep_their_order(tmp_path: Path) -> None:
    write_folder(tmp_path, official.python_files())
    data = official.cifar10()
    examples = read(tmp_path)
    assert np.array_equal(examples.columns["images"], np.concatenate([data["train"][0], data["test"][0]]))
    assert np.array_equal(examples.columns["labels"], np.concatenate([data["train"][1], data["test"][1]]))


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_batches_pickled_by_todays_python(tmp_path: Path, protocol: int) -> None:
    for name, (rows, labels) in official.batches().items():
        content = pickle.dumps({b"data": rows, b"labels": labels.tolist()}, protocol)
        write_folder(tmp_path / "cifar-10-batches-py", {name: content})
    assert contents(read(tmp_path)) == EXPECTED


def test_jpeg_images_are_read(tmp_path: Path) -> None:
    write_folder(tmp_path / "cifar10", official.image_files(suffix="jpg"))
    assert read(tmp_path).columns["images"].shape == (20, 3, 32, 32)


def test_images_are_shuffled_by_the_seed_alone(tmp_path: Path) -> None:
    files = official.image_files(per_class=20)
    write_folder(tmp_path / "folder", files)
    backwards = dict(reversed(files.items()))
    archive = write_archive(tmp_path / "cifar10.tar", backwards)
    first = read(tmp_path / "folder" / "images").columns
    again = read(archive).columns
    other = read(archive, seed=8).columns
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["labels"], other["labels"])
    assert set(first["labels"][:60]) == set(range(10))


def test_official_files_are_preferred(tmp_path: Path) -> None:
    write_archive(tmp_path / "cifar10_images.zip", official.image_files())
    write_archive(tmp_path / "cifar-10-binary.tar.gz", official.binary_files())
    assert read(tmp_path).origin.source.endswith("cifar-10-binary.tar.gz")
    write_archive(tmp_path / "cifar-10-python.tar.gz", official.python_files())
    assert read(tmp_path).origin.source.endswith("cifar-10-python.tar.gz")


def test_a_part_never_bears_the_name_of_the_whole(tmp_path: Path) -> None:
    write_folder(tmp_path, official.python_files())
    examples = read(tmp_path)
    assert examples.title == "part of CIFAR-10"
    assert examples.warnings == ("CIFAR-10 is not complete: 10 + 10 examples instead of 50,000 + 10,000.",)


def test_what_is_not_cifar10_is_passed_over(tmp_path: Path) -> None:
    write_archive(tmp_path / "cifar-100-python.tar.gz", {"cifar-100-python/train": b"..."})
    write_folder(tmp_path / "notes", {"train/plane/1.png": b"..."})
    with pytest.raises(NotHere, match="holds no CIFAR-10"):
        read(tmp_path)
    with pytest.raises(NotHere, match="no folder with CIFAR-10 was named"):
        cifar10.from_user(settings(None), tmp_path)


class Evil:
    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return (Path.touch, (Path("evil"),))


BATCH = official.batches()["data_batch_2"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps({b"data": Evil(), b"labels": [0]}), "it asks for pathlib"),
        (pickle.dumps({b"data": BATCH[0], b"labels": [0, 11]}), "the label 11"),
        (pickle.dumps({b"data": BATCH[0], b"labels": [0, -1]}), "the label -1"),
        (pickle.dumps({b"data": BATCH[0], b"labels": [0]}), "no batch of CIFAR-10"),
        (pickle.dumps({b"data": BATCH[0].astype(float), b"labels": [0, 1]}), "no batch of CIFAR-10"),
        (pickle.dumps({b"data": BATCH[0].astype(object), b"labels": [0, 1]}), "no batch of CIFAR-10"),
        (pickle.dumps({b"data": BATCH[0][:0], b"labels": []}), "no batch of CIFAR-10"),
        (pickle.dumps({b"data": BATCH[0], b"fine_labels": [0, 1]}), "labels"),
        (pickle.dumps([1, 2]), "no batch of CIFAR-10"),
        (b"\x80\x02]r\xff\xff\xff\x7f.", "no batch of CIFAR-10"),  # asks the unpickler for 16 GB
        (b"<html>", "no batch of CIFAR-10"),
        (b"", "no batch of CIFAR-10"),
    ],
)
def test_a_broken_python_batch_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    files = official.python_files() | {"cifar-10-batches-py/data_batch_2": content}
    write_archive(tmp_path / "cifar-10-python.tar.gz", files)
    with pytest.raises(RosettaError, match=message) as caught:
        read(tmp_path)
    assert "cifar-10-python.tar.gz: cifar-10-batches-py/data_batch_2" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\0" * 3000, "is truncated"), (b"\x0b" * 3073, "the label 11"), (b"", "holds no images")],
)
def test_a_broken_binary_batch_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    write_folder(tmp_path, official.binary_files() | {"cifar-10-batches-bin/test_batch.bin": content})
    with pytest.raises(RosettaError, match=f"test_batch.bin.*{message}"):
        read(tmp_path)


def test_a_missing_batch_is_named(tmp_path: Path) -> None:
    files = official.python_files()
    del files["cifar-10-batches-py/data_batch_3"]
    write_folder(tmp_path, files)
    with pytest.raises(RosettaError, match="incomplete: data_batch_3 is missing"):
        read(tmp_path)


def test_two_formats_in_one_archive_are_refused(tmp_path: Path) -> None:
    write_archive(tmp_path / "cifar10.tar", official.python_files() | official.binary_files())
    with pytest.raises(RosettaError, match="holds data_batch_1 twice"):
        read(tmp_path)


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    write_archive(tmp_path / "cifar-10-python.tar.gz", {"holiday.txt": b"sun"})
    with pytest.raises(RosettaError, match="holds no CIFAR-10"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [("/cat/", "/kitten/", "wrong or missing: cat, kitten"), ("test/ship/", "test/truck/", "test/.*missing: ship")],
)
def test_other_classes_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    files = {name.replace(old, new): content for name, content in official.image_files().items()}
    write_folder(tmp_path / "cifar10", files)
    with pytest.raises(RosettaError, match=message):
        read(tmp_path)


def grey() -> bytes:
    file = io.BytesIO()
    Image.new("L", (32, 32)).save(file, "PNG")
    return file.getvalue()


BAD_IMAGES = {
    "grey": (grey(), "is 32x32 L, not 32x32 RGB"),
    "unreadable": (b"no image", "cannot be read"),
    "empty": (b"", "cannot be read"),
    "truncated": (official.picture(np.zeros((3, 32, 32), np.uint8))[:60], "cannot be read"),
    "large": (official.picture(np.zeros((3, 64, 64), np.uint8)), "is 64x64 RGB"),
}


@pytest.mark.parametrize(("content", "message"), BAD_IMAGES.values(), ids=BAD_IMAGES)
def test_a_bad_image_is_left_out_and_counted(tmp_path: Path, content: bytes, message: str) -> None:
    name = "images/train/dog/0050.png"
    files = official.image_files(per_class=10)
    assert name in files
    write_folder(tmp_path, files | {name: content})
    examples = read(tmp_path)
    assert examples.splits == {"train": 99, "test": 100}
    assert len(examples.columns["images"]) == 199
    assert any(
        f"1 of 200 images were left out: train/dog/0050.png {message}" in warning for warning in examples.warnings
    )


def test_too_many_bad_images_are_refused(tmp_path: Path) -> None:
    files = official.image_files(per_class=10)
    names = [name for name in files if "/frog/" in name][:3]
    write_folder(tmp_path, files | dict.fromkeys(names, b"no image"))
    with pytest.raises(RosettaError, match=r"3 of 200 images cannot be used .*frog.*At most 1%"):
        read(tmp_path)
