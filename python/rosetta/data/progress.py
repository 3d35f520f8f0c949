"""A progress bar on a terminal; nothing elsewhere."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def progress(items: Iterable[T], doing: str, unit: str, total: int | None = None) -> Iterator[T]:
    """The items, with a bar on standard error that says what is done with them, if that is a terminal."""
    return iter(tqdm(items, desc=doing, unit=unit, unit_scale=True, total=total, leave=False, disable=None))
