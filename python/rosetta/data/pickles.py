"""Pickles without their danger: plain values and NumPy arrays, and no other code is ever called."""

import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core.multiarray import _reconstruct
from numpy._core.numeric import _frombuffer  # type: ignore[attr-defined]


def _encode(text: str, _encoding: str) -> bytes:
    """How Python 3 writes bytes in the older pickle protocols."""
    return text.encode("latin-1")


_ALLOWED: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): _encode,
    # NumPy 2 calls the package numpy._core.
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _reconstruct for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _frombuffer for core in ("core", "_core")},
}


class _PlainUnpickler(pickle._Unpickler):  # the one in C can be made to fill the memory by five bytes
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which has no place in a data file") from None


def load_plain(content: bytes) -> Any:
    """Read a pickle of dictionaries, lists, numbers, strings, bytes and NumPy arrays. Strings of Python 2 become bytes.

    Raises:
        ValueError: it is no such pickle; the message says why.
    """
    try:
        return _PlainUnpickler(io.BytesIO(content), encoding="bytes").load()
    except Exception as error:  # a damaged pickle can raise anything
        raise ValueError(str(error) or type(error).__name__) from None
