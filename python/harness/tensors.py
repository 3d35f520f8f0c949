"""Maps a job's tensors: no byte is read before it is needed."""

from __future__ import annotations

from typing import Any

import numpy as np


def map_tensor(place: dict[str, Any]) -> np.ndarray:
    """Map a tensor copy-on-write: an implementation may write to it, the file stays as it is.

    Args:
        place: path, offset, dtype and shape, as a job gives them.
    """
    dtype = np.dtype(place["dtype"]).newbyteorder("<")
    return np.memmap(place["path"], dtype, mode="c", offset=place["offset"], shape=tuple(place["shape"]))


def map_tensors(places: dict[str, Any]) -> dict[str, np.ndarray]:
    """Map tensors by name."""
    return {name: map_tensor(place) for name, place in places.items()}
