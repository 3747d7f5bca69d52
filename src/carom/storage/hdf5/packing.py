"""Packs chunks like HDF5's filters "shuffle" and "deflate", but faster: only compressible bytes are compressed.

The low bytes of measured numbers are noise, which costs time and saves nothing. After shuffling, each byte position
of the numbers has a plane of its own; planes of noise are copied as "stored" blocks of the same deflate stream
(RFC 1951, 3.2.4), and only the others are compressed. A chunk with hardly a compressible plane, such as positions
and velocities, is stored whole, and its filter mask says that it is not shuffled. Any HDF5 reader can read it.

Every chunk is a zlib stream (RFC 1950), so it ends with the Adler-32 sum of its bytes: all readers check it. HDF5's own
checksum (Fletcher-32) would not do: it takes a word of ones for a word of zeros, and columns have many of both.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVEL = 1
RAW, MEMORY = -15, 8
"""A stream without header and trailer; the default memory of zlib. The strategy looks for runs only: shuffled
numbers have no other repetitions, and it is faster and compresses them better."""
SAMPLE_BYTES = 2048
"""Bytes of a plane that are compressed as a sample."""
MAX_RATIO = 0.6
"""A plane is compressed if its sample shrinks to less than this part."""
MIN_COMPRESSIBLE = 0.25
"""A chunk is packed if at least this part of its planes is compressible: one byte of eight is not worth the time of
shuffling."""
PACKED, UNSHUFFLED = 0b00, 0b01
"""Filter masks of a chunk that went through all filters, and of one that was not shuffled but stored in a stream."""
UNFILTERED = 0b11
"""Filter mask of a chunk of plain bytes without a checksum, in recordings of format 2."""
RETRY_INTERVAL = 64
"""Chunks after which compressibility is tested again."""

HEADER = b"\x78\x01"
STORED, MAX_STORED = b"\x00", 2**16 - 1
"""First byte of a stored block, and the largest length of its content."""
EMPTY_BLOCK = b"\x00\x00\x00\xff\xff"
"""An empty block."""
END = b"\x03\x00"
"""The last block, empty."""


class Packer:
    """Packs the chunks of one dataset, and remembers which planes are compressible."""

    def __init__(self) -> None:
        self._worth: NDArray[np.bool_] | None = None
        self._packed = 0

    def chunk(self, rows: NDArray[Any], not_length: int = 0) -> tuple[Any, int]:
        """The bytes of a full chunk, packed if that is worth its time, and its filter mask."""
        worth = self._worth if self._packed % RETRY_INTERVAL else None  # tested again from time to time
        if worth is not None and worth.mean() < MIN_COMPRESSIBLE:
            self._packed += 1
            return store(rows, not_length), UNSHUFFLED
        return self(rows, not_length), PACKED

    def __call__(self, rows: NDArray[Any], not_length: int = 0) -> bytes:
        """Pack a full chunk; the result does not have the length `not_length`."""
        planes = shuffle(rows)
        if self._worth is None or self._packed % RETRY_INTERVAL == 0:
            self._worth = np.array([is_compressible(plane) for plane in planes])
        self._packed += 1
        return _join(planes, self._worth, not_length)

    def sparse_chunk(self, rows: NDArray[Any], not_length: int = 0) -> bytes:
        """Pack a chunk that is mostly empty: all of its planes are compressible."""
        planes = shuffle(rows)
        return _join(planes, np.ones(len(planes), bool), not_length)


def store(rows: NDArray[Any], not_length: int = 0) -> bytes:
    """Store a chunk without compression in a stream with a checksum; its length is not `not_length`.

    Stored blocks have a header of 5 bytes (RFC 1951, 3.2.4); zlib itself would copy each byte several times.
    """
    data = memoryview(_bytes(rows)[0])
    parts: list[Any] = [HEADER]
    for start in range(0, len(data), MAX_STORED):
        block = data[start : start + MAX_STORED]
        parts += [_head(len(block)), block]
    return _finish(parts, data, not_length)


def _head(length: int) -> bytes:
    """Header of a stored block of a zlib stream."""
    return STORED + length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little")


def compress(rows: NDArray[Any], not_length: int = 0) -> bytes:
    """Compress a chunk that is mostly empty, without shuffling; the length of the result is not `not_length`."""
    return _join(_bytes(rows), np.ones(1, bool), not_length)


def _bytes(rows: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(rows).reshape(-1).view(np.uint8)[None]


def _join(planes: NDArray[np.uint8], worth: NDArray[np.bool_], not_length: int) -> bytes:
    """One stream of all planes, compressed where that is worth its time."""
    parts = [HEADER]
    start = 0
    for stop in range(1, len(planes) + 1):  # equally treated planes go together
        if stop < len(planes) and worth[stop] == worth[start]:
            continue
        press = zlib.compressobj(LEVEL if worth[start] else 0, zlib.DEFLATED, RAW, MEMORY, zlib.Z_RLE)
        parts += [press.compress(planes[start:stop].data), press.flush(zlib.Z_FULL_FLUSH)]
        start = stop
    return _finish(parts, planes.data, not_length)


def _finish(parts: list[Any], data: Any, not_length: int) -> bytes:
    """Finish a stream with its last block and checksum; an empty block is added if its length would be `not_length`."""
    if sum(map(len, parts)) + len(END) + 4 == not_length:
        parts.append(EMPTY_BLOCK)
    return b"".join([*parts, END, zlib.adler32(data).to_bytes(4, "big")])


def shuffle(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """The planes of a chunk: all first bytes of its numbers, then all second ones, and so on; one row each."""
    flat = np.ascontiguousarray(rows).reshape(-1)
    return np.ascontiguousarray(flat.view(np.uint8).reshape(-1, flat.itemsize).T)


def is_compressible(plane: NDArray[np.uint8]) -> bool:
    """True if a sample of these bytes compresses well enough."""
    middle = plane.size // 2
    trial = plane[max(0, middle - SAMPLE_BYTES // 2) : middle + SAMPLE_BYTES // 2]
    return len(zlib.compress(trial.data, LEVEL)) < MAX_RATIO * trial.size
