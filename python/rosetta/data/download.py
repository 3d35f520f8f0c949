"""Official downloads: checked against their published checksum, resumed when cut, kept whole or not at all."""

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from tqdm import tqdm

from rosetta.data.examples import NotHere
from rosetta.files import whole_file

CONNECT_S = 5.0
SILENCE_S = 10.0  # without a byte, before the connection is given up
MAX_ATTEMPTS = 20
SLOWEST_BYTES_PER_S = 20_000  # a download of 170 MB would take more than two hours
JUDGED_AFTER_S = 20.0
_BLOCK_BYTES = 1 << 18


@dataclass(frozen=True)
class Download:
    """A published file.

    Attributes:
        url: where it is; its last part is the file's name.
        checksum: the published one, or its first digits (hexadecimal). It finds damage; the connection (https) says who
            sent it.
        size: its size in bytes.
        algorithm: of the checksum.
    """

    url: str
    checksum: str
    size: int
    algorithm: str = "md5"

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[1]


def fetch(download: Download, folder: Path, allowed: bool) -> Path:
    """The file in `folder`, downloaded if it is not there yet.

    As long as an attempt brings something, the next one resumes where it was cut.

    Raises:
        NotHere: it may not or cannot be downloaded, or what came is another file; nothing is left of it.
    """
    path = folder / download.name
    if path.is_file() and is_intact(path, download):
        return path
    if not allowed:
        raise NotHere(f"{download.name} is not downloaded (config: download is false)")
    with whole_file(path) as partial:
        with partial.open("r+b") as file:
            _fetch_into(file, download)
        if not is_intact(partial, download):
            raise NotHere(
                f"{download.url} gave another file than the published one (checksum differs); it was not kept"
            )
    return path


def is_intact(path: Path, download: Download) -> bool:
    """Whether a file is the published one."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, download.algorithm).hexdigest().startswith(download.checksum)


def _fetch_into(file: BinaryIO, download: Download) -> None:
    """Download in as many attempts as it takes, while each brings something new."""
    with tqdm(total=download.size, desc=download.name, unit="B", unit_scale=True, leave=False, disable=None) as bar:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            before = file.tell()
            failure = _attempt(file, download, bar)
            if file.tell() >= download.size:
                return
            if file.tell() <= before or attempt == MAX_ATTEMPTS:
                raise NotHere(f"{download.url} cannot be downloaded ({failure})")


def _attempt(file: BinaryIO, download: Download, bar: "tqdm[NoReturn]") -> str:
    """Ask for what is missing and append it; tell why it ended early, if it did."""
    import requests  # slow to import
    import urllib3

    start = file.tell()
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})}
    began = time.monotonic()
    try:
        with requests.get(download.url, headers=headers, stream=True, timeout=(CONNECT_S, SILENCE_S)) as answer:
            if answer.status_code not in (200, 206):
                return f"HTTP status {answer.status_code}"
            if answer.status_code == 200:  # the server cannot resume
                file.seek(0)
                file.truncate()
            received = 0
            while file.tell() <= download.size and (block := answer.raw.read1(_BLOCK_BYTES)):
                received += file.write(block)
                bar.update(file.tell() - bar.n)
                elapsed_s = time.monotonic() - began
                if elapsed_s > JUDGED_AFTER_S and received < SLOWEST_BYTES_PER_S * elapsed_s:
                    raise NotHere(f"{download.url} is too slow: {received:,} bytes in {elapsed_s:.0f} s")
        return f"it ended after {file.tell():,} of {download.size:,} bytes"
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        return _reason(error)


def _reason(error: Exception) -> str:
    """The failure in a few words; requests buries it in the innermost of several."""
    text = f"{type(error).__name__} {error}"
    known = {
        "NameResolution": "the host is not found: no network?",
        "Timeout": "no answer in time",
        "timed out": "no answer in time",
        "refused": "connection refused",
        "SSL": "no secure connection",
        "IncompleteRead": "the connection was cut",
    }
    return next((words for sign, words in known.items() if sign in text), type(error).__name__)
