"""The door: which source is taken, what is said, and what lies in the files."""

import json
import os
import time
from pathlib import Path

import numpy as np
import polars
import pyarrow as pa
import pytest
from rosetta.data import fashion_mnist, generated, movie_reviews, photos, prepare
from rosetta.data.examples import NotHere
from rosetta.errors import RosettaError
from rosetta.tensors import Sheet, sha256

from tests.data import official
from tests.data.official import settings, write_archive, write_folder


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's folder with a little of everything."""
    folder = tmp_path / "user"
    write_folder(folder, official.python_files() | official.review_files())
    write_folder(folder / "photos", {"1.png": official.picture(np.full((3, 300, 300), 9, np.uint8))})
    return folder


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any of the packages, and small generated sets."""

    def missing(*_: object) -> object:
        raise NotHere("is not installed")

    monkeypatch.setattr(fashion_mnist, "DEBIAN_ROOTS", (tmp_path / "nowhere",))
    monkeypatch.setattr(movie_reviews, "installed", missing)
    monkeypatch.setattr(photos, "installed", missing)
    monkeypatch.setattr(generated, "IMAGES", {"train": 20, "test": 10})
    monkeypatch.setattr(generated, "REVIEWS", {"train": 20, "test": 10})


MODELS = {"cnn": ("cifar10", (3, 32, 32)), "gru": ("imdb", (150,)), "resnet50": ("photos", (3, 224, 224))}


@pytest.mark.parametrize("model", MODELS)
def test_sheet_and_file(user: Path, tmp_path: Path, model: str) -> None:
    dataset, shape = MODELS[model]
    returned = prepare(model, tmp_path / "out", settings(user))
    sheet = Sheet.read(tmp_path / "out" / f"{model}.json")
    assert sheet.tensors == returned.tensors
    assert sheet.facts == returned.facts

    table = pa.ipc.open_file(tmp_path / "out" / f"{dataset}.arrow").read_all()
    facts = json.loads(table.schema.metadata[b"rosetta"])
    for key in ("dataset", "title", "origin", "source", "layout", "splits", "classes", "seed", "sha256", "warnings"):
        assert facts[key] == sheet.facts[key]
    assert facts["dataset"] == dataset
    assert facts["origin"] == "user files"
    assert facts["source"].startswith(str(user))

    inputs, *labels = table.column_names
    columns = {inputs: table[inputs].combine_chunks().to_numpy_ndarray()}
    if labels:
        columns["labels"] = table["labels"].to_numpy()
    assert facts["sha256"] == sha256(columns)
    assert set(sheet.tensors) == {f"{split}_{part}" for split in facts["splits"] for part in ("inputs", *labels)}
    for split, (start, stop) in facts["splits"].items():
        tensor = sheet.tensors[f"{split}_inputs"]
        assert tensor.shape == (stop - start, *shape)
        assert tensor.offset % 8 == 0
        assert np.array_equal(tensor.map(), columns[inputs][start:stop])
        if labels:
            assert np.array_equal(sheet.tensors[f"{split}_labels"].map(), columns["labels"][start:stop])


@pytest.mark.parametrize("model", MODELS)
def test_another_reader_opens_the_file(user: Path, tmp_path: Path, model: str) -> None:
    prepare(model, tmp_path, settings(user))
    path = tmp_path / f"{MODELS[model][0]}.arrow"
    frame = polars.read_ipc(path)
    inputs = pa.ipc.open_file(path).read_all().column(0).combine_chunks().to_numpy_ndarray()
    storage = frame.to_series(0).ext.storage().to_numpy()
    assert np.array_equal(storage.reshape(inputs.shape), inputs)
    assert frame.null_count().sum_horizontal().item() == 0


@pytest.mark.parametrize("model", MODELS)
def test_the_same_source_gives_the_same_bytes(user: Path, tmp_path: Path, model: str) -> None:
    names = (f"{model}.json", f"{MODELS[model][0]}.arrow")
    written = []
    for _ in range(2):
        prepare(model, tmp_path / "out", settings(user))
        written.append([(tmp_path / "out" / name).read_bytes() for name in names])
    prepare(model, tmp_path / "elsewhere", settings(user))
    written.append([(tmp_path / "elsewhere" / name).read_bytes() for name in names])
    assert written[0] == written[1] == written[2]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)


@pytest.mark.parametrize(
    ("model", "dataset"), [("cnn", "generated-images"), ("gru", "generated-reviews"), ("resnet50", "generated-photos")]
)
def test_each_source_says_why_it_does_not_apply(
    bare: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, dataset: str
) -> None:
    data_dir = tmp_path / "empty"
    data_dir.mkdir()
    prepare(model, tmp_path / "out", settings(data_dir))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == (3 if model == "resnet50" else 4)
    assert all(line.startswith(f"data: {model}: ") for line in lines)
    assert str(data_dir) in lines[0]
    assert "installed" in lines[-2]
    assert "generated" in lines[-1]
    assert (tmp_path / "out" / f"{dataset}.arrow").is_file()


def test_warnings_are_shown(user: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = prepare("cnn", tmp_path, settings(user))
    assert "data: cnn: warning: CIFAR-10 is not complete" in capsys.readouterr().err
    assert len(sheet.facts["warnings"]) == 1


@pytest.mark.parametrize(
    ("model", "name"), [("cnn", "cifar-10-python.tar.gz"), ("gru", "aclImdb_v1.tar.gz"), ("gru", "imdb.npz")]
)
def test_broken_user_files_are_an_error_and_no_reason_to_go_on(
    bare: None, tmp_path: Path, model: str, name: str
) -> None:
    (tmp_path / name).write_bytes(b"\x1f\x8b broken")
    with pytest.raises(RosettaError, match=name):
        prepare(model, tmp_path / "out", settings(tmp_path))
    assert not (tmp_path / "out").exists()


def test_a_data_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(RosettaError, match="nowhere does not exist"):
        prepare("cnn", tmp_path, settings(tmp_path / "nowhere"))


def test_a_folder_that_cannot_be_written(user: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(RosettaError, match="The data of cnn cannot be prepared"):
        prepare("cnn", tmp_path / "file", settings(user))


def test_an_archive_can_be_named_instead_of_a_folder(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "cifar-10-binary.tar.gz", official.binary_files())
    assert prepare("cnn", tmp_path / "out", settings(archive)).facts["source"] == str(archive)


@pytest.mark.skipif("ROSETTA_DATA" not in os.environ, reason="ROSETTA_DATA names no folder with the real sets")
@pytest.mark.parametrize(("model", "examples"), [("cnn", 60_000), ("gru", 50_000)])
def test_the_real_sets_load_completely(tmp_path: Path, model: str, examples: int) -> None:
    began = time.monotonic()
    sheet = prepare(model, tmp_path, settings(Path(os.environ["ROSETTA_DATA"])))
    seconds = time.monotonic() - began
    if sheet.facts["origin"] != "user files":
        pytest.skip(f"ROSETTA_DATA holds nothing for {model}")
    assert sum(sheet.tensors[f"{split}_inputs"].shape[0] for split in ("train", "test")) == examples
    assert sheet.facts["warnings"] == []
    assert len(set(np.bincount(sheet.tensors["train_labels"].map()))) == 1
    assert seconds < 90
