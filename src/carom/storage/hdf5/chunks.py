"""Reads columns chunk by chunk, and unpacks the chunks itself instead of by HDF5.

HDF5 unpacks a chunk to any size, a thousandfold and more, before it checks the expected length, and invents rows
that were never written. Here a chunk is refused if it does not have the length that the file states.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import StorageError
from carom.storage.hdf5.open_file import closed_error, storage_errors
from carom.storage.hdf5.packing import PACKED, UNFILTERED, UNSHUFFLED

MAX_READ = 2**28
"""Bytes that may be read at once from any file: 256 MB."""
MAX_EXPANSION = 16
"""From a large file this multiple of its size may be read. Times and positions compress to a third at best; data
that compress to less than a sixteenth are fake."""
CHUNK_OVERHEAD = 1024
"""Bytes by which a packed chunk may be longer than an unpacked one, plus an eighth: noise grows by packing."""
CACHE_BYTES = 2**22
"""Size of the cache of unpacked chunks per column, bytes."""
ROWS_PER_READ = 2**14
"""Rows per read when all rows are read."""


class Chunks:
    """The rows of a dataset in chunks of whole rows, with a cache of unpacked chunks."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.chunk = int(dataset.chunks[0])
        self.dtype: np.dtype[Any] = dataset.dtype
        self.row: tuple[int, ...] = dataset.shape[1:]
        self.row_bytes = self.dtype.itemsize * int(np.prod(self.row, dtype=object))
        self.nbytes = self.chunk * self.row_bytes
        self._rest = (0,) * len(self.row)
        self._shuffled, self._deflated = bool(dataset.shuffle), bool(dataset.compression)
        self._masks = (PACKED, UNSHUFFLED, UNFILTERED) if self._shuffled else (PACKED,)
        self._most = max(1, CACHE_BYTES // max(self.nbytes, 1))
        self._open: dict[int, NDArray[Any]] = {}

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """The rows `start` to `stop - 1`; raise ValueError if the file does not hold them as it should."""
        if stop <= start or not self.nbytes:
            return np.zeros((max(0, stop - start), *self.row), self.dtype)
        first, last = start // self.chunk, (stop - 1) // self.chunk
        if first == last:
            return self._chunk(first)[start - first * self.chunk : stop - first * self.chunk].copy()
        out = np.empty((stop - start, *self.row), self.dtype)
        for k in range(first, last + 1):
            begin, end = max(start, k * self.chunk), min(stop, (k + 1) * self.chunk)
            out[begin - start : end - start] = self._chunk(k)[begin - k * self.chunk : end - k * self.chunk]
        return out

    def _chunk(self, k: int) -> NDArray[Any]:
        found = self._open.pop(k, None)
        if found is None:
            found = self._unpack((k * self.chunk, *self._rest))
            if len(self._open) >= self._most:
                del self._open[next(iter(self._open))]  # the least recently used
        self._open[k] = found
        return found

    def read_packed(self, place: tuple[int, ...]) -> tuple[int, bytes]:
        """The filter mask and the packed bytes of the chunk at this offset."""
        found = self.dataset.id.get_chunk_info_by_coord(place)
        if found.byte_offset is None:
            raise ValueError("rows are counted that were never written")
        if found.filter_mask not in self._masks or found.size > self.nbytes + self.nbytes // 8 + CHUNK_OVERHEAD:
            raise ValueError("a chunk is larger than chunks are")
        mask, data = self.dataset.id.read_direct_chunk(place)
        return int(mask), data

    def _unpack(self, place: tuple[int, ...]) -> NDArray[Any]:
        data: bytes | memoryview
        mask, data = self.read_packed(place)
        if self._deflated and mask != UNFILTERED:
            data = _inflate(bytes(data), self.nbytes)  # which checks every byte of it
        if self._shuffled and mask == PACKED:
            data = _unshuffle(data, self.dtype.itemsize)
        if len(data) != self.nbytes:
            raise ValueError("a chunk is shorter than chunks are")
        return np.frombuffer(data, self.dtype).reshape(self.chunk, *self.row)


def _inflate(data: bytes, size: int) -> bytes:
    """Inflate deflated bytes; raise ValueError if the result does not have exactly this size."""
    press = zlib.decompressobj()
    found = press.decompress(data, size)
    if len(found) < size:
        raise ValueError("a chunk is shorter than chunks are")
    if press.decompress(press.unconsumed_tail, 1) or not press.eof:
        raise ValueError("a chunk is longer than chunks are")
    return found


def _unshuffle(data: bytes, itemsize: int) -> bytes | memoryview:
    """Undo HDF5's shuffle filter: data hold all first bytes of the numbers, then all second ones, and so on."""
    if itemsize == 1:
        return data
    planes = np.frombuffer(data, np.uint8).reshape(itemsize, -1)
    out = np.empty((planes.shape[1], itemsize), np.uint8)
    for k, plane in enumerate(planes):  # faster byte by byte than by one transposition
        out[:, k] = plane
    return out.reshape(-1).data


class StoredColumn:
    """A column of a recording up to its last committed row; slices are read from the file."""

    def __init__(self, path: Path, dataset: Any, count: int) -> None:
        self._path = path
        self._name = str(dataset.name)
        with storage_errors(path):
            self._chunks = Chunks(dataset)
            self._most = max(MAX_READ, MAX_EXPANSION * dataset.file.id.get_filesize())
        self.shape = (count, *self._chunks.row)
        self.dtype = self._chunks.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            return self._read(start, max(start, stop)) if step == 1 else self._slice(range(start, stop, step))
        if isinstance(which, int | np.integer):
            if not -len(self) <= which < len(self):
                raise IndexError(f"there is no row {which}: there are {len(self)}")
            k = int(which) % len(self)
            return self._read(k, k + 1)[0]
        return self[:][which]

    def _slice(self, rows: range) -> NDArray[Any]:
        if not rows:
            return np.empty((0, *self.shape[1:]), self.dtype)
        if rows.step < 0:
            return self._slice(rows[::-1])[::-1]
        if rows.step == 1:
            return self._read(rows.start, rows.stop)
        some = max(1, ROWS_PER_READ // rows.step)  # a part of all rows after the other, lest all are in memory
        parts = [rows[k : k + some] for k in range(0, len(rows), some)]
        return np.concatenate([self._read(each[0], each[-1] + 1)[:: rows.step] for each in parts])

    def _read(self, start: int, stop: int) -> NDArray[Any]:
        nbytes = (stop - start) * self._chunks.row_bytes
        if nbytes > self._most:
            what = f"{self._name[1:]} has {nbytes / 1e6:,.0f} MB to read at once, which so small a file cannot hold"
            raise StorageError(self._path, what, "Read fewer rows at once, or record anew.")
        if not self._chunks.dataset.id.valid:
            raise closed_error(self._path)
        with storage_errors(self._path):
            return self._chunks.read(start, stop)

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), ROWS_PER_READ):
            yield from self[start : start + ROWS_PER_READ]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[:], dtype)
