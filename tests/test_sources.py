"""What counts as a change of the user's data."""

import os
from pathlib import Path

import pytest
from rosetta.errors import RosettaError
from rosetta.sources import fingerprint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("imdb.npz", "photos/summer/beach/sea.jpg", "aclImdb/train/pos/0_9.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def test_nothing_has_changed(folder: Path) -> None:
    assert fingerprint(folder) == fingerprint(folder)


@pytest.mark.parametrize("name", ["imdb.npz", "photos/summer/beach/sea.jpg"])
def test_a_changed_file(folder: Path, name: str) -> None:
    before = fingerprint(folder)
    os.utime(folder / name, (1, 1))
    assert fingerprint(folder) != before


@pytest.mark.parametrize(
    "name", ["photos/summer/beach/hut.PNG", "aclImdb/train/pos/1_7.txt", "cifar-10-batches-py/data_batch_1"]
)
def test_a_new_file(folder: Path, name: str) -> None:
    before = fingerprint(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).touch()
    assert fingerprint(folder) != before


def test_a_note_beside_the_data_changes_nothing(folder: Path) -> None:
    before = fingerprint(folder)
    (folder / "notes.txt").touch()
    assert fingerprint(folder) == before


def test_a_link_round_in_a_circle(folder: Path) -> None:
    (folder / "photos" / "again").symlink_to(folder)
    assert fingerprint(folder) == fingerprint(folder)


def test_a_single_file(folder: Path) -> None:
    before = fingerprint(folder / "imdb.npz")
    (folder / "imdb.npz").write_text("longer than before")
    assert fingerprint(folder / "imdb.npz") != before


def test_a_folder_that_is_not_there(folder: Path) -> None:
    with pytest.raises(RosettaError, match="cannot be read"):
        fingerprint(folder / "nothing")
