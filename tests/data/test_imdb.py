"""IMDB as raw text and as Keras's file, whole and broken; tokens, ranks and rows."""

import pickle
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rosetta.data import imdb
from rosetta.data.examples import Examples, NotHere
from rosetta.data.text import ranks, row, rows, words
from rosetta.errors import RosettaError

from tests.data import official
from tests.data.official import settings, write_archive, write_folder


def read(data_dir: Path, seed: int = 7) -> Examples:
    return imdb.from_user(settings(data_dir, seed=seed), data_dir)


def test_words_are_those_of_keras() -> None:
    # keras.preprocessing.text.Tokenizer: lower case, filters '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', split at " "
    assert words("It's GOOD,<br /><br />isn't it?\tYes\n--100% so_so") == (
        ["it's", "good", "br", "br", "isn't", "it", "yes", "100", "so", "so"]
    )
    assert words("caf\u00e9\u00a0\u00c9T\u00c9 \x85") == ["caf\u00e9\u00a0\u00e9t\u00e9", "\x85"]
    assert words(" ... ") == []


def test_ranks_go_by_frequency_then_alphabet() -> None:
    assert ranks(["b a c", "c b d c"]) == {"c": 1, "b": 2, "a": 3, "d": 4}
    assert ranks(["d b", "c c c b a"]) == ranks(["c c c b a", "d b"])


def keras_row(raw: list[int], num_words: int = 30_000, maxlen: int = 150) -> list[int]:
    """What keras.datasets.imdb.load_data(num_words=...) and pad_sequences(maxlen=150) make of a raw review."""
    shifted = [1] + [number + 3 for number in raw]
    known = [number if number < num_words else 2 for number in shifted]
    last = known[-maxlen:]
    return [0] * (maxlen - len(last)) + last


@pytest.mark.parametrize("length", [1, 2, 148, 149, 150, 151, 400])
def test_rows_are_those_of_keras(length: int) -> None:
    raw = np.random.default_rng(length).integers(29_000, 31_000, length).tolist()
    raw[-1] = 29_996  # the last id below 30,000; the next one is unknown
    assert row(raw).tolist() == keras_row(raw)
    assert row(raw).dtype == np.int32
    assert row([*raw, 29_997])[-1] == 2


def test_words_outside_the_vocabulary_are_unknown() -> None:
    assert rows(["the end", "what the"], {"the": 1, "end": 2})[:, -3:].tolist() == [[1, 4, 5], [1, 2, 4]]


def expected_rows(files: official.Files, split: str) -> dict[tuple[int, ...], int]:
    texts = {name: content.decode() for name, content in files.items() if name.endswith(".txt") and "unsup" not in name}
    counts = Counter(word for name, text in texts.items() if "/train/" in name for word in words(text))
    order = sorted(counts, key=lambda word: (-counts[word], word))
    return {
        tuple(keras_row([order.index(word) + 1 if word in order else 99_999 for word in words(text)])): int(
            "/pos/" in name
        )
        for name, text in texts.items()
        if f"/{split}/" in name
    }


@pytest.mark.parametrize("name", ["aclImdb_v1.tar.gz", "aclImdb_labelled.tar.xz", "my-imdb.zip", "imdb.tar"])
def test_raw_text_in_an_archive(tmp_path: Path, name: str) -> None:
    files = official.review_files()
    archive = write_archive(tmp_path / name, files)
    for data_dir in (tmp_path, archive):
        examples = read(data_dir)
        assert examples.splits == {"train": 6, "test": 6}
        reviews, labels = examples.columns["reviews"], examples.columns["labels"]
        assert (reviews.dtype, labels.dtype) == (np.int32, np.int64)
        for split, part in (("train", slice(0, 6)), ("test", slice(6, 12))):
            found = {tuple(review): label for review, label in zip(reviews[part].tolist(), labels[part], strict=True)}
            assert found == expected_rows(files, split)


def test_folder_and_archive_give_the_same_whatever_the_order(tmp_path: Path) -> None:
    files = official.review_files(per_folder=10)
    folder = write_folder(tmp_path / "folder", files)
    archive = write_archive(tmp_path / "imdb.tar", dict(reversed(files.items())))
    columns = [read(path).columns for path in (folder, folder / "aclImdb", archive)]
    assert all(np.array_equal(columns[0][name], other[name]) for other in columns[1:] for name in other)
    assert set(columns[0]["labels"][:8]) == {0, 1}
    assert not np.array_equal(read(folder, seed=8).columns["reviews"], columns[0]["reviews"])


def npz(path: Path, **changes: object) -> Path:
    """Keras's file with six reviews in each split; `changes` replace arrays, None leaves one out."""
    path.mkdir(exist_ok=True)
    reviews = np.empty(6, object)
    reviews[:] = [[1, 14, 22], [5], list(range(1, 300)), [29_996, 29_997], [7, 7], [88_584]]
    labels = np.array([1, 0, 0, 1, 0, 1])
    arrays = {"x_train": reviews, "y_train": labels, "x_test": reviews[::-1], "y_test": labels[::-1], **changes}
    np.savez(path / "imdb.npz", **{name: array for name, array in arrays.items() if array is not None})  # type: ignore[arg-type]
    return path


def test_keras_file(tmp_path: Path) -> None:
    data_dir = npz(tmp_path)
    write_folder(tmp_path, official.review_files())  # the file comes before raw text
    raw = np.load(tmp_path / "imdb.npz", allow_pickle=True)
    for path in (data_dir, tmp_path / "imdb.npz"):
        examples = read(path)
        assert examples.origin.source == str(tmp_path / "imdb.npz")
        for split, part in (("train", slice(0, 6)), ("test", slice(6, 12))):
            found = zip(examples.columns["reviews"][part].tolist(), examples.columns["labels"][part], strict=True)
            expected = zip((keras_row(review) for review in raw[f"x_{split}"]), raw[f"y_{split}"], strict=True)
            assert sorted(found) == sorted(expected)


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (print, ("evil",))


def objects(*values: object) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x_test": None}, "x_test.npy is missing"),
        ({"y_train": np.array([0, 1])}, r"it holds x_train \(6,\), y_train \(2,\)"),
        ({"y_train": np.array([0, 1, 2, 0, 1, 1])}, "labels other than 0 and 1"),
        ({"x_train": objects([1], [], [1], [1], [1], [1])}, "review 1 of x_train is empty"),
        ({"x_train": objects([1], [0], [1], [1], [1], [1])}, "review 1 of x_train is no list of positive numbers"),
        ({"x_train": objects([1], "text", [1], [1], [1], [1])}, "review 1 of x_train is no list"),
        ({"x_train": objects(Evil(), [1])}, "it asks for builtins.print"),
        ({"x_train": np.zeros((0,), object), "y_train": np.zeros(0)}, "it holds"),
    ],
)
def test_a_broken_keras_file_is_refused(
    tmp_path: Path, changes: dict[str, object], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RosettaError, match=message) as caught:
        read(npz(tmp_path, **changes))
    assert str(tmp_path / "imdb.npz") in str(caught.value)
    assert "evil" not in capsys.readouterr().out


def test_a_keras_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "imdb.npz").write_bytes(b"<html>")
    with pytest.raises(RosettaError, match=r"imdb\.npz is truncated, corrupt"):
        read(tmp_path)
    with zipfile.ZipFile(tmp_path / "imdb.npz", "w") as archive:
        for name in ("x_train", "y_train", "x_test", "y_test"):
            archive.writestr(f"{name}.npy", pickle.dumps([1]))
    with pytest.raises(RosettaError, match="no array that can be read"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train/pos/7_9.txt", b"", "is an empty review"),
        ("train/pos/7_9.txt", b" <>\n", "is an empty review"),
        ("train/neg/7_2.txt", b"caf\xe9 noir", "is no UTF-8 text .* at byte 3"),
        ("train/neg/7_9.txt", b"Great", "has the rating 9, which is wrong for neg"),
        ("test/pos/7_5.txt", b"Great", "has the rating 5, which is wrong for pos"),
        ("test/pos/7_9.txt", b"a " * 600_000, "more than the"),
    ],
)
def test_a_broken_review_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    write_folder(tmp_path, official.review_files() | {f"aclImdb/{name}": content})
    with pytest.raises(RosettaError, match=message) as caught:
        read(tmp_path)
    assert name in str(caught.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    files = {name: content for name, content in official.review_files().items() if "test/neg" not in name}
    write_folder(tmp_path, files)
    with pytest.raises(RosettaError, match="no complete aclImdb: no reviews in test/neg"):
        read(tmp_path)


def test_what_is_not_imdb_is_passed_over(tmp_path: Path) -> None:
    write_archive(tmp_path / "holiday.zip", {"train/pos/1_9.txt": b"sun"})
    with pytest.raises(NotHere, match="holds no IMDB reviews"):
        read(tmp_path)
    with pytest.raises(NotHere, match="no folder with IMDB's reviews was named"):
        imdb.from_user(settings(None), tmp_path)


def test_a_part_never_bears_the_name_of_the_whole(tmp_path: Path) -> None:
    write_folder(tmp_path, official.review_files())
    examples = read(tmp_path)
    assert examples.title == "part of IMDB reviews"
    assert examples.warnings == ("IMDB reviews is not complete: 6 + 6 examples instead of 25,000 + 25,000.",)


def test_keras_file_in_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "imdb").mkdir()
    npz(tmp_path / "imdb")
    assert read(tmp_path).origin.source == str(tmp_path / "imdb" / "imdb.npz")


def test_a_folder_of_another_thing_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "imdb_embeddings").mkdir()
    with pytest.raises(NotHere):
        read(tmp_path)
