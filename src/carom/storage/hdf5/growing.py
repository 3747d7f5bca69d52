"""A dataset that grows by rows, written chunk by chunk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.storage.hdf5.chunks import Chunks
from carom.storage.hdf5.packing import PACKED, Packer, compress, store


class GrowingDataset:
    """A dataset with a buffer of rows for the next chunk.

    A partial last chunk is written again when more rows come. It goes to another place in the file each time, so that
    a process that is killed meanwhile leaves the earlier rows intact.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.length = len(dataset)
        """The number of rows written."""
        self.chunk = int(dataset.chunks[0])
        self._first = (0,) * (dataset.ndim - 1)
        self._packer = Packer() if dataset.shuffle else None
        self._filtered = bool(dataset.compression)
        """True if each chunk is a stream of its own; otherwise each row is one, and is written once."""
        self._hollow = not all(dataset.shape[1:])
        """True if rows are empty."""
        self._tail = Chunks(dataset).read(self.length - self.length % self.chunk, self.length)
        """Rows of the last chunk if it is partial."""
        self._size = 0
        """The packed size of this chunk in bytes."""
        self._waiting: list[NDArray[Any]] = []
        self._count = 0

    def take(self, rows: NDArray[Any]) -> None:
        """Buffer rows until they fill a chunk, and then write it."""
        if not len(rows):
            return
        self._waiting.append(rows)
        self._count += len(rows)
        if len(self._tail) + self._count >= self.chunk:
            together = self._together()
            whole = (len(self._tail) + self._count) // self.chunk * self.chunk - len(self._tail)
            self.append(together[:whole])
            self._waiting, self._count = [together[whole:]], len(together) - whole

    def settle(self) -> None:
        """Write all buffered rows."""
        if self._count:
            self.append(self._together())
            self._waiting, self._count = [], 0

    def append(self, rows: NDArray[Any]) -> None:
        """Write rows at the end."""
        start, total = self.length - len(self._tail), self.length + len(rows)
        self.dataset.resize(total, axis=0)
        if not self._hollow:
            rows = np.concatenate([self._tail, rows]) if len(self._tail) else rows
            for k in range(0, len(rows), self.chunk):
                self._write(start + k, rows[k : k + self.chunk])
            self._tail = rows[len(rows) // self.chunk * self.chunk :].copy()
            self._size = self._size if len(self._tail) else 0
        self.length = total

    def _write(self, start: int, rows: NDArray[Any]) -> None:
        """Write a chunk, padded with zeros."""
        whole = len(rows) == self.chunk
        if not whole:
            full = np.zeros((self.chunk, *rows.shape[1:]), self.dataset.dtype)
            full[: len(rows)] = rows
            rows = full
        data, mask = self._packed(rows, whole=whole)
        self.dataset.id.write_direct_chunk((start, *self._first), data, mask)
        self._size = 0 if whole else len(data)

    def _packed(self, rows: NDArray[Any], *, whole: bool) -> tuple[Any, int]:
        """The packed bytes of a chunk, and its filter mask."""
        rows = np.asarray(rows, self.dataset.dtype)
        if not self._filtered:
            return rows.tobytes(), PACKED
        if self._packer is None:
            return (store if whole else compress)(rows, self._size), PACKED
        if whole:
            return self._packer.chunk(rows, not_length=self._size)
        return self._packer.sparse_chunk(rows, not_length=self._size), PACKED

    def _together(self) -> NDArray[Any]:
        return np.concatenate(self._waiting) if len(self._waiting) > 1 else self._waiting[0]
