"""The clock: how long each phase took, on the monotonic clock, with the device synchronised."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

NANOSECONDS = 1e9


def progress(step: str) -> None:
    """Tell the person who waits what begins now."""
    print(f"@progress {step}", flush=True)


class Phases:
    """The seconds of each phase, as a record spells them.

    Attributes:
        seconds: phase -> seconds; `epoch_s` and `evaluate_s` are lists.
        synchronize: waits until the device has finished; known once the framework is loaded.
    """

    def __init__(self, first_line_ns: int) -> None:
        spawned_ns = int(os.environ.get("ROSETTA_SPAWNED_MONOTONIC_NS", first_line_ns))
        self.seconds: dict[str, Any] = {
            "start_s": (first_line_ns - spawned_ns) / NANOSECONDS,
            "epoch_s": [],
            "evaluate_s": [],
        }
        self.synchronize: Callable[[], None] = lambda: None

    @contextlib.contextmanager
    def phase(self, name: str, since_ns: int | None = None) -> Iterator[None]:
        """Time the block as phase `name`, or from the earlier reading `since_ns` to the block's end."""
        start_ns = time.monotonic_ns() if since_ns is None else since_ns
        yield
        self.synchronize()
        seconds = (time.monotonic_ns() - start_ns) / NANOSECONDS
        if isinstance(self.seconds.get(name), list):
            self.seconds[name].append(seconds)
        else:
            self.seconds[name] = seconds
