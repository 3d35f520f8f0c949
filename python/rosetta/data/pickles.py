"""Pickles without their danger: plain values and NumPy arrays, and no code that they name is ever called.

NumPy itself is not let near them: with a damaged pickle it can crash. Its arrays are read as the plain values of which
they are made, and put together here.
"""

import io
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np

_NUMBERS = re.compile(r"[biu][1248]")
_OBJECTS = re.compile(r"O[48]?")


class _Dtype:
    """Stands for `numpy.dtype(code)`; its state tells the byte order."""

    def __init__(self, code: str | bytes, *_: Any) -> None:
        self.code = _text(code)
        self.order = "|"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = _text(state[1])


class _Array:
    """Stands for an array: what `numpy.ndarray.__setstate__` would be given."""

    def __init__(self, *_: Any) -> None:
        self.shape: tuple[int, ...] = ()
        self.dtype = _Dtype("u1")
        self.fortran = False
        self.values: bytes | bytearray | list[Any] = b""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _version, self.shape, self.dtype, self.fortran, self.values = state

    def built(self) -> np.ndarray:
        """The array that is meant; ValueError or TypeError if it is none of numbers or objects."""
        if _OBJECTS.fullmatch(self.dtype.code) and self.shape == (len(self.values),):
            array = np.empty(len(self.values), object)
            for place, value in enumerate(self.values):
                array[place] = value
            return array
        if not _NUMBERS.fullmatch(self.dtype.code) or not isinstance(self.values, bytes | bytearray):
            raise ValueError(f"an array of {self.dtype.code}")
        flat = np.frombuffer(self.values, np.dtype(self.dtype.order + self.dtype.code))
        return flat.reshape(self.shape, order="F" if self.fortran else "C")


def _text(value: str | bytes) -> str:
    return value.decode("ascii") if isinstance(value, bytes) else value


def _from_buffer(values: bytes, dtype: _Dtype, shape: tuple[int, ...], order: str) -> _Array:
    """How the newer protocols write an array of numbers."""
    array = _Array()
    array.__setstate__((1, shape, dtype, order == "F", values))
    return array


def _encode(text: str, _encoding: str) -> bytes:
    """How Python 3 writes bytes in the older protocols."""
    return text.encode("latin-1")


_ALLOWED: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Dtype,
    ("_codecs", "encode"): _encode,
    # NumPy 2 calls the package numpy._core.
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _Array for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _from_buffer for core in ("core", "_core")},
}


class _PlainUnpickler(pickle._Unpickler):  # the one in C can be made to fill the memory by five bytes
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which has no place in a data file") from None


def load_plain(content: bytes) -> Any:
    """Read a pickle: an array, or a dictionary that may hold arrays. Strings of Python 2 become bytes.

    Raises:
        ValueError: it is no such pickle; the message says why.
    """
    try:
        value = _PlainUnpickler(io.BytesIO(content), encoding="bytes").load()
        if isinstance(value, dict):
            return {key: _built(part) for key, part in value.items()}
        return _built(value)
    except Exception as error:  # a damaged pickle can raise anything
        raise ValueError(str(error) or type(error).__name__) from None


def _built(value: Any) -> Any:
    return value.built() if isinstance(value, _Array) else value
