"""Downloads from a server that behaves, and from all that do not."""

import contextlib
import hashlib
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from rosetta.data import download
from rosetta.data.download import Download, fetch
from rosetta.data.examples import NotHere

CONTENT = np.random.default_rng(2).bytes(300_000)


class Server(ThreadingHTTPServer):
    """Serves CONTENT at every path, in the manner that `manner` names; counts the requests."""

    daemon_threads = True
    manner = "well"
    requests: list[str | None]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []

    def described(self, name: str = "set.tar.gz") -> Download:
        return Download(f"http://127.0.0.1:{self.server_port}/{name}", hashlib.md5(CONTENT).hexdigest(), len(CONTENT))


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.requests.append(asked)
        with contextlib.suppress(ConnectionError):  # the client may have given up
            self.answer(asked)

    def answer(self, asked: str | None) -> None:
        manner = self.server.manner
        if manner == "missing":
            self.send_error(404)
            return
        start = (
            int(asked.removeprefix("bytes=").rstrip("-")) if asked and manner not in ("cannot resume", "portal") else 0
        )
        body = b"<html>please log in</html>" if manner == "portal" else CONTENT[start:]
        if manner == "wrong":
            body = body[::-1]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if manner == "cut" or (manner == "cannot resume" and len(self.server.requests) == 1):
            body = body[:100_000]
        if manner == "trickle":
            for byte in body[:100]:
                self.wfile.write(bytes([byte]))
                time.sleep(0.02)
        elif manner == "silent":
            self.wfile.write(body[:1000])
            time.sleep(3)
        else:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_download_is_kept_and_used_again(server: Server, tmp_path: Path) -> None:
    path = fetch(server.described(), tmp_path, allowed=True)
    assert path == tmp_path / "set.tar.gz"
    assert path.read_bytes() == CONTENT
    assert fetch(server.described(), tmp_path, allowed=False) == path
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_copy_is_downloaded_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "set.tar.gz").write_bytes(CONTENT[:-1])
    assert fetch(server.described(), tmp_path, allowed=True).read_bytes() == CONTENT


def test_a_cut_download_is_resumed(server: Server, tmp_path: Path) -> None:
    server.manner = "cut"
    assert fetch(server.described(), tmp_path, allowed=True).read_bytes() == CONTENT
    assert server.requests == [None, "bytes=100000-", "bytes=200000-"]


def test_a_server_that_cannot_resume_starts_again(server: Server, tmp_path: Path) -> None:
    server.manner = "cannot resume"
    assert fetch(server.described(), tmp_path, allowed=True).read_bytes() == CONTENT
    assert server.requests == [None, "bytes=100000-"]


@pytest.mark.parametrize(
    ("manner", "message"),
    [
        ("missing", "HTTP status 404"),
        ("wrong", "checksum differs"),
        ("portal", "it ended after 26 of 300,000 bytes"),
        ("silent", "no answer in time"),
        ("trickle", "is too slow: "),
    ],
)
def test_what_fails_leaves_nothing(
    server: Server, tmp_path: Path, manner: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "SILENCE_S", 0.2)
    monkeypatch.setattr(download, "JUDGED_AFTER_S", 0.5)
    server.manner = manner
    if manner == "silent":  # brings something at each attempt, so let the first one be the last
        monkeypatch.setattr(download, "MAX_ATTEMPTS", 1)
    began = time.monotonic()
    with pytest.raises(NotHere, match=message):
        fetch(server.described(), tmp_path / "downloads", allowed=True)
    assert time.monotonic() - began < 2.5
    assert list((tmp_path / "downloads").iterdir()) == []


def test_attempts_are_limited(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MAX_ATTEMPTS", 2)
    server.manner = "cut"
    with pytest.raises(NotHere, match="the connection was cut"):
        fetch(server.described(), tmp_path, allowed=True)
    assert len(server.requests) == 2


def test_without_a_network(tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        gone = Download(f"http://127.0.0.1:{taken.getsockname()[1]}/set.tar.gz", "0" * 32, 10)
        with pytest.raises(NotHere, match=r"cannot be downloaded .connection refused"):
            fetch(gone, tmp_path, allowed=True)
    with pytest.raises(NotHere, match="the host is not found"):
        fetch(Download("http://rosetta.invalid/set.tar.gz", "0" * 32, 10), tmp_path, allowed=True)


def test_a_killed_downloads_remains_are_removed(server: Server, tmp_path: Path) -> None:
    (tmp_path / ".set.tar.gz.partial").write_bytes(b"half")
    path = fetch(server.described(), tmp_path, allowed=True)
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_downloaded_unasked(server: Server, tmp_path: Path) -> None:
    with pytest.raises(NotHere, match="config: download is false"):
        fetch(server.described(), tmp_path, allowed=False)
    assert server.requests == []
