"""Members of a folder or archive, one after the other. Nothing is ever unpacked to disk.

Only plain files are read: links, devices and folders in an archive are passed over, and a member's path is nothing but
a name. Every size is checked before a byte is read, so that a small archive cannot fill the memory.
"""

import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from rosetta.errors import RosettaError

ARCHIVE_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".zip")
# No set that is read here is a third as large when unpacked.
MAX_TOTAL_BYTES = 2 * 1024**3
_MAX_HEADER_BYTES = 1024**2  # a long name, a comment

_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    RuntimeError,  # an encrypted zip; a compression that zipfile does not know
)


def is_archive(path: Path) -> bool:
    """Whether the name is that of an archive that can be read."""
    return path.name.lower().endswith(ARCHIVE_SUFFIXES) and path.is_file()


def find(data_dir: Path, named: re.Pattern[str], inside: tuple[str, ...]) -> list[Path]:
    """What among the user's files may be a data set: by its name, or by what lies in it.

    Args:
        data_dir: the folder to look at, itself and what lies directly in it; or one archive.
        named: found in the name of an archive or folder that claims to be the set.
        inside: glob patterns; a folder that holds one of them is the set, whatever its name.
    """
    if not data_dir.is_dir():
        return [data_dir] if is_archive(data_dir) and named.search(data_dir.name) else []
    children = sorted(path for path in data_dir.iterdir() if not path.name.startswith("."))
    holds_it = [path for path in (data_dir, *children) if path.is_dir() and any(any(path.glob(p)) for p in inside)]
    claims_it = [path for path in children if named.search(path.name)]
    archives = [path for path in claims_it if is_archive(path)]
    return holds_it + archives or [path for path in claims_it if path.is_dir()]


def members(path: Path, wanted: re.Pattern[str], limit: int) -> Iterator[tuple[str, bytes]]:
    """The members of the folder or archive whose path matches.

    Args:
        path: a folder, or an archive with one of `ARCHIVE_SUFFIXES`.
        wanted: searched for in each member's path (with forward slashes).
        limit: the largest size of a wanted member in bytes.

    Yields:
        Each member's path and content; of a folder and a zip file sorted by path, of a tar file in its own order.

    Raises:
        RosettaError: the archive is truncated or corrupt, or a member is larger than the limit.
    """
    reader = _folder if path.is_dir() else _zip if path.name.lower().endswith((".zip", ".npz")) else _tar
    return reader(path, wanted, limit)


def _is_wanted(name: str, wanted: re.Pattern[str]) -> bool:
    """Whether a member's path matches and is not hidden, as what macOS adds to its archives is."""
    hidden = any(part == "__MACOSX" or part.startswith(".") for part in PurePosixPath(name).parts)
    return not hidden and wanted.search(name) is not None


def _folder(path: Path, wanted: re.Pattern[str], limit: int) -> Iterator[tuple[str, bytes]]:
    for file in sorted(file for file in path.rglob("*") if _is_wanted(file.relative_to(path).as_posix(), wanted)):
        try:
            if not file.is_file():
                continue
            _check_size(path, str(file), file.stat().st_size, limit)
            content = file.read_bytes()
        except OSError as error:
            raise RosettaError(f"{file} cannot be read: {error.strerror or error}.") from None
        yield file.relative_to(path).as_posix(), content


def _zip(path: Path, wanted: re.Pattern[str], limit: int) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            total = 0
            for info in sorted(archive.infolist(), key=lambda info: info.filename):
                if info.is_dir() or not _is_wanted(info.filename, wanted):
                    continue
                total += info.file_size
                _check_size(path, info.filename, info.file_size, limit)
                _check_size(path, "all members together", total, MAX_TOTAL_BYTES)
                yield info.filename, archive.read(info)
    except _UNREADABLE as error:
        raise _broken(path, error) from None


def _tar(path: Path, wanted: re.Pattern[str], limit: int) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(path, tarinfo=_StrictHeader) as archive:
            total = 0
            for member in archive:
                total += member.size
                _check_size(path, "all members together", total, MAX_TOTAL_BYTES)
                content = archive.extractfile(member) if member.isreg() and _is_wanted(member.name, wanted) else None
                if content is not None:
                    _check_size(path, member.name, member.size, limit)
                    yield str(PurePosixPath(member.name)), content.read()
            _read_to_the_end(archive)
    except _UNREADABLE as error:
        raise _broken(path, error) from None


class _StrictHeader(tarfile.TarInfo):
    """A header that must be sound: tarfile takes a damaged or missing one for the archive's end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_StrictHeader":
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # the mark of a proper end
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None
        if header.type not in tarfile.REGULAR_TYPES and header.size > _MAX_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {header.size:,} bytes")  # tarfile would read all of it
        return header


def _read_to_the_end(archive: tarfile.TarFile) -> None:
    """Read what follows the last member, so that the compression's own checksum is verified."""
    rest, total = archive.fileobj, 0
    while rest is not None and (block := rest.read(1 << 20)):
        total += len(block)
        _check_size(Path(str(archive.name)), "what follows the last member", total, MAX_TOTAL_BYTES)


def _check_size(path: Path, name: str, size: int, limit: int) -> None:
    if size > limit:
        raise RosettaError(f"{path}: {name} has {size:,} bytes, more than the {limit:,} that can be right.")


def _broken(path: Path, error: BaseException) -> RosettaError:
    detail = next(iter(str(error).splitlines()), type(error).__name__).rstrip(":")
    return RosettaError(f"{path} is truncated, corrupt or no archive of its kind ({detail}). Get it again.")
