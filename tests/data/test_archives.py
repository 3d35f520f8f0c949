"""Archives that are cut, damaged, hostile or no archives: one clear error, and nothing written anywhere."""

import contextlib
import io
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from rosetta.data import archives, cifar10, imdb
from rosetta.data.archives import members
from rosetta.data.examples import Origin
from rosetta.errors import RosettaError

from tests.data import official
from tests.data.official import write_archive, write_folder

ANY = re.compile(r"\.txt$")
KINDS = ("set.tar", "set.tar.gz", "set.tar.xz", "set.tar.bz2", "set.zip")


def read(path: Path, limit: int = 10_000) -> dict[str, bytes]:
    return dict(members(path, ANY, limit))


@pytest.mark.parametrize("kind", [*KINDS, "folder"])
def test_wanted_members_are_read(tmp_path: Path, kind: str) -> None:
    files = {"a/1.txt": b"one", "a/2.jpg": b"two", "b/c/3.txt": b"", "b/big.jpg": b"x" * 20_000}
    path = write_folder(tmp_path / kind, files) if kind == "folder" else write_archive(tmp_path / kind, files)
    assert read(path) == {"a/1.txt": b"one", "b/c/3.txt": b""}


@pytest.mark.parametrize("kind", [*KINDS, "folder"])
def test_hidden_members_are_passed_over(tmp_path: Path, kind: str) -> None:
    files = {"a/1.txt": b"one", "__MACOSX/a/._1.txt": b"x", "a/._1.txt": b"x", ".git/2.txt": b"x"}
    path = write_folder(tmp_path / kind, files) if kind == "folder" else write_archive(tmp_path / kind, files)
    assert read(path) == {"a/1.txt": b"one"}


@pytest.mark.parametrize("kind", KINDS)
def test_paths_that_leave_the_folder_write_nothing(tmp_path: Path, kind: str) -> None:
    inside = tmp_path / "deep" / "inside"
    inside.mkdir(parents=True)
    read(write_archive(inside / kind, {"../../escaped.txt": b"x", "/tmp/rosetta_escaped.txt": b"x"}))
    assert list(tmp_path.rglob("*")) == [tmp_path / "deep", inside, inside / kind]
    assert not Path("/tmp/rosetta_escaped.txt").exists()


def test_links_and_devices_are_passed_over(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    path = tmp_path / "set.tar"
    with tarfile.open(path, "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            member = tarfile.TarInfo(f"{kind.decode()}.txt")
            member.type, member.linkname = kind, str(secret)
            archive.addfile(member)
    assert read(path) == {}


@pytest.mark.parametrize("kind", [*KINDS, "folder"])
def test_a_member_that_is_too_large_is_refused_unread(tmp_path: Path, kind: str) -> None:
    files = {"big.txt": b"\0" * 20_000}
    path = write_folder(tmp_path / kind, files) if kind == "folder" else write_archive(tmp_path / kind, files)
    with pytest.raises(RosettaError, match=r"big\.txt has 20,000 bytes, more than the 10,000"):
        read(path)


def test_a_header_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    member = tarfile.TarInfo("bomb.jpg")
    member.size = 10**13
    (tmp_path / "set.tar").write_bytes(member.tobuf())
    with pytest.raises(RosettaError, match="more than the"):
        read(tmp_path / "set.tar")


def test_a_long_name_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    member = tarfile.TarInfo("name")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 10**10
    (tmp_path / "set.tar").write_bytes(tarfile.TarInfo("1.txt").tobuf() + member.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(RosettaError, match="a header of 10,000,000,000 bytes"):
        read(tmp_path / "set.tar")


def test_long_names_are_read(tmp_path: Path) -> None:
    name = "a/" * 150 + "1.txt"
    assert read(write_archive(tmp_path / "set.tar", {name: b"one"})) == {name: b"one"}


@pytest.mark.parametrize("kind", KINDS)
def test_all_members_together_are_limited(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 25_000)
    path = write_archive(tmp_path / kind, {f"{number}.txt": b"\0" * 9000 for number in range(3)})
    with pytest.raises(RosettaError, match="all members together"):
        read(path)


def test_what_follows_the_last_member_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 1_500_000)
    path = write_archive(tmp_path / "set.tar", {"1.txt": b"one"})
    path.write_bytes(path.read_bytes() + b"\0" * 4_000_000)
    with pytest.raises(RosettaError, match="what follows the last member"):
        read(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", [b"", b"<html>404</html>", bytes(range(256)) * 40])
def test_what_is_no_archive_is_refused(tmp_path: Path, kind: str, content: bytes) -> None:
    path = tmp_path / kind
    path.write_bytes(content)
    with pytest.raises(RosettaError, match="is truncated, corrupt or no archive of its kind") as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "set.zip", {"1.txt": b"one"})
    content = bytearray(path.read_bytes())
    content[6] |= 1  # the flags of the member's own header, and those in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(RosettaError, match="encrypted"):
        read(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_truncated_archive_is_refused_wherever_it_is_cut(tmp_path: Path, kind: str) -> None:
    noise = np.random.default_rng(3).bytes(1500)
    whole = write_archive(tmp_path / kind, {f"{number}.txt": noise for number in range(3)}).read_bytes()
    ends = {"set.tar": len(whole.rstrip(b"\0")), "set.zip": len(whole)}.get(kind, len(whole) - 1)
    for length in range(1, ends, 97):
        (tmp_path / kind).write_bytes(whole[:length])
        with pytest.raises(RosettaError, match="is truncated, corrupt"):
            read(tmp_path / kind)


def damaged(content: bytes, generator: np.random.Generator) -> bytes:
    """The content with a few bytes changed, dropped or added."""
    result = bytearray(content)
    for _ in range(generator.integers(1, 6)):
        place = int(generator.integers(0, len(result)))
        result[place : place + int(generator.integers(0, 3))] = generator.bytes(int(generator.integers(0, 3)))
    return bytes(result)


@contextlib.contextmanager
def named_error_or_none(path: Path) -> Iterator[None]:
    """The block may raise a RosettaError that names the file, and no other."""
    try:
        yield
    except RosettaError as error:
        if str(path) not in str(error):
            pytest.fail(f"{error} does not name {path}")


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_archives_end_in_an_error_or_an_answer(tmp_path: Path, kind: str) -> None:
    generator = np.random.default_rng(4)
    files = {f"{number}.txt": generator.bytes(200) for number in range(3)}
    whole = write_archive(tmp_path / kind, files).read_bytes()
    for _ in range(150):
        (tmp_path / kind).write_bytes(damaged(whole, generator))
        with named_error_or_none(tmp_path / kind):
            read(tmp_path / kind)


@pytest.mark.parametrize(
    ("load", "files"),
    [
        (cifar10.load, official.python_files()),
        (cifar10.load, official.binary_files()),
        (cifar10.load, official.image_files()),
        (imdb.load_raw, official.review_files()),
    ],
)
def test_damaged_members_end_in_an_error_or_an_answer(
    tmp_path: Path, load: Callable[..., object], files: official.Files
) -> None:
    generator = np.random.default_rng(5)
    names = [name for name in files if "README" not in name]
    for _ in range(60):
        name = names[generator.integers(len(names))]
        content = damaged(files[name], generator)
        path = write_archive(tmp_path / "set.tar", files | {name: content[: generator.integers(1, len(content) + 2)]})
        with named_error_or_none(path):
            load(path, Origin("user files", str(path)), 7)


def test_a_damaged_npz_ends_in_an_error_or_an_answer(tmp_path: Path) -> None:
    generator = np.random.default_rng(6)
    arrays = {}
    for split in ("train", "test"):
        reviews = np.empty(4, object)
        reviews[:] = [[1, 2, 300], [5], [70_000, 4], [9, 9]]
        file = io.BytesIO()
        np.save(file, reviews, allow_pickle=True)
        arrays[f"x_{split}.npy"] = file.getvalue()
        file = io.BytesIO()
        np.save(file, np.array([0, 1, 0, 1]))
        arrays[f"y_{split}.npy"] = file.getvalue()
    path = tmp_path / "imdb.npz"
    for _ in range(150):
        name = list(arrays)[generator.integers(4)]
        with zipfile.ZipFile(path, "w") as archive:
            for member, content in (arrays | {name: damaged(arrays[name], generator)}).items():
                archive.writestr(member, content)
        with named_error_or_none(path):
            imdb.load_npz(path, Origin("user files", str(path)), 7)
