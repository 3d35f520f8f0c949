"""Tensors in Arrow IPC files: written once, then mapped by every language at a byte offset, zero-copy.

A file is uncompressed and holds no nulls and exactly one record batch, so the body of each column is one
contiguous, row-major, little-endian buffer. A *sheet* beside it (JSON) tells where every tensor lies (path, offset,
dtype, shape), so that a language without an Arrow library can read it too.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rosetta.files import read_json, whole_file, write_json

METADATA_KEY = b"rosetta"


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies: a file, the byte offset of its first element, its dtype (NumPy's name) and shape."""

    path: Path
    offset: int
    dtype: str
    shape: tuple[int, ...]

    def rows(self, start: int, stop: int) -> "Tensor":
        """The tensor of rows `start` to `stop` (exclusive) along the first axis; nothing is copied."""
        row_bytes = int(np.prod(self.shape[1:], dtype=np.int64)) * np.dtype(self.dtype).itemsize
        return replace(self, offset=self.offset + start * row_bytes, shape=(stop - start, *self.shape[1:]))

    def map(self) -> np.ndarray:
        """Map the tensor, copy-on-write: no memory is used until a page is touched."""
        return np.memmap(self.path, dtype=self.dtype, mode="c", offset=self.offset, shape=self.shape)

    def as_json(self, relative_to: Path | None = None) -> dict[str, Any]:
        """As the job and the sheets spell it; `path` is absolute unless a folder to be relative to is given."""
        path = self.path.resolve()
        shown = path.relative_to(relative_to.resolve()) if relative_to else path
        return {**asdict(self), "path": str(shown), "shape": list(self.shape)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any], folder: Path) -> "Tensor":
        return cls(folder / value["path"], value["offset"], value["dtype"], tuple(value["shape"]))


@dataclass(frozen=True)
class Sheet:
    """What a sheet says: the tensors by name, and facts about them (data set, source, SHA-256, ...)."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any]

    def write(self, path: Path) -> None:
        tensors = {name: tensor.as_json(path.parent) for name, tensor in self.tensors.items()}
        write_json(path, {**self.facts, "tensors": tensors})

    @classmethod
    def read(cls, path: Path) -> "Sheet":
        """Read a sheet.

        Raises:
            RosettaError: the sheet is missing or broken.
        """
        value = read_json(path)
        tensors = {name: Tensor.from_json(tensor, path.parent) for name, tensor in value.pop("tensors").items()}
        return cls(tensors, value)


def write_examples(path: Path, columns: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> dict[str, Tensor]:
    """Write a table with a row for each example; every column has the same first axis.

    Args:
        path: the `.arrow` file to write, whole or not at all.
        columns: name -> array (examples, ...), C-contiguous.
        facts: JSON-able facts; stored in the schema's metadata with each column's dtype and shape.

    Returns:
        Where each column lies in the file.
    """
    import pyarrow as pa  # slow to import, and most commands need none

    arrays = {
        name: pa.array(column) if column.ndim == 1 else pa.FixedShapeTensorArray.from_numpy_ndarray(column)
        for name, column in columns.items()
    }
    return _write(path, arrays, columns, facts)


def write_tensors(path: Path, tensors: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> dict[str, Tensor]:
    """Write tensors of unlike shapes: one row, a column for each. Arguments and result as of `write_examples`."""
    import pyarrow as pa

    arrays = {
        name: pa.FixedShapeTensorArray.from_numpy_ndarray(np.ascontiguousarray(tensor).reshape(1, *tensor.shape))
        for name, tensor in tensors.items()
    }
    return _write(path, arrays, tensors, facts)


def sha256(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 (hexadecimal) over the names and the bytes of the arrays, in order."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _write(
    path: Path, arrays: dict[str, Any], originals: Mapping[str, np.ndarray], facts: Mapping[str, Any]
) -> dict[str, Tensor]:
    import pyarrow as pa

    described = {name: {"dtype": str(array.dtype), "shape": list(array.shape)} for name, array in originals.items()}
    metadata = {METADATA_KEY: json.dumps({"columns": described, **facts}).encode()}
    schema = pa.schema(
        [pa.field(name, array.type, nullable=False) for name, array in arrays.items()], metadata=metadata
    )
    batch = pa.RecordBatch.from_arrays(list(arrays.values()), schema=schema)
    with whole_file(path) as partial:
        with pa.OSFile(str(partial), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            writer.write_batch(batch)
        offsets = _offsets(partial)
    return {
        name: Tensor(path, offsets[name], str(array.dtype), tuple(array.shape)) for name, array in originals.items()
    }


def _offsets(path: Path) -> dict[str, int]:
    """The byte offset of each column's values in an Arrow IPC file."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        start = source.read_buffer(1).address
        source.seek(0)
        batch = pa.ipc.open_file(source).get_batch(0)
        columns = zip(batch.schema.names, batch.columns, strict=True)
        return {name: _values(column).address - start for name, column in columns}


def _values(column: Any) -> Any:
    """The buffer of a column's values: the innermost one."""
    storage = getattr(column, "storage", column)
    flat = storage.values if hasattr(storage, "values") else storage
    return flat.buffers()[1]
