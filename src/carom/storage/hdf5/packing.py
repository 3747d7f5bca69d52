"""Chunks packed as HDF5's filters "shuffle" and "deflate" would, but faster: only what can be pressed is pressed.

The low bytes of measured numbers are noise, which costs time and saves nothing. Shuffled, each byte of a number has a
stretch of its own; stretches of noise are copied as "stored" blocks of the same deflate stream (RFC 1951, 3.2.4), and
only the others are compressed. A chunk of which hardly a stretch can be compressed, as those of places and velocities,
is one stored stretch, and its filter mask says that it is not shuffled. Any reader of HDF5 reads it.

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
"""A stream without head and tail; as much memory as zlib takes by itself. The strategy looks for runs alone: there is
nothing else to find in shuffled numbers, and it is faster, and better at it."""
TRIAL = 2048
"""Bytes of a stretch that are tried."""
WORTH = 0.6
"""A stretch is compressed if the trial shrinks to less than this part."""
FEWEST = 0.25
"""A chunk is packed if at least this part of its stretches can be compressed: one byte of eight is not worth the time
that shuffling takes."""
PACKED, PLAIN = 0b00, 0b01
"""Filter masks: of a chunk that went through all filters, and of one that was not shuffled but stored in a stream."""
UNFILTERED = 0b11
"""Filter mask of a chunk that is stored as plain bytes, in recordings of format 2: nothing checks those."""
AGAIN = 64
"""Chunks after which it is tried again."""

HEADER = b"\x78\x01"
STORED, LONGEST = b"\x00", 2**16 - 1
"""How a stored block begins, and its most bytes."""
NOTHING = b"\x00\x00\x00\xff\xff"
"""A block without content."""
END = b"\x03\x00"
"""The last block, without content."""


class Packer:
    """Packs the chunks of one dataset, and remembers which of their stretches can be compressed."""

    def __init__(self) -> None:
        self._worth: NDArray[np.bool_] | None = None
        self._packed = 0

    def chunk(self, rows: NDArray[Any], other_than: int = 0) -> tuple[Any, int]:
        """A whole chunk as it stands in the file, packed if that is worth while, and its filter mask."""
        worth = self._worth if self._packed % AGAIN else None  # it is tried now and then
        if worth is not None and worth.mean() < FEWEST:
            self._packed += 1
            return stored(rows, other_than), PLAIN
        return self(rows, other_than), PACKED

    def __call__(self, rows: NDArray[Any], other_than: int = 0) -> bytes:
        """A whole chunk, packed; of another size than that one."""
        planes = shuffled(rows)
        if self._worth is None or self._packed % AGAIN == 0:
            self._worth = np.array([is_worth(plane) for plane in planes])
        self._packed += 1
        return _joined(planes, self._worth, other_than)

    def partly(self, rows: NDArray[Any], other_than: int = 0) -> bytes:
        """A chunk that is mostly empty, so that all of it is worth compressing."""
        planes = shuffled(rows)
        return _joined(planes, np.ones(len(planes), bool), other_than)


def stored(rows: NDArray[Any], other_than: int = 0) -> bytes:
    """The bytes of a chunk as they are, in a stream that checks them; of another size than that one.

    Blocks that are stored have a head of 5 bytes (RFC 1951, 3.2.4); zlib would copy each byte several times.
    """
    data = memoryview(_bytes(rows)[0])
    parts: list[Any] = [HEADER]
    for start in range(0, len(data), LONGEST):
        block = data[start : start + LONGEST]
        parts += [_head(len(block)), block]
    return _ended(parts, data, other_than)


def _head(length: int) -> bytes:
    """Header of a stored block of a zlib stream."""
    return STORED + length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little")


def pressed(rows: NDArray[Any], other_than: int = 0) -> bytes:
    """The bytes of a chunk that is mostly empty, compressed without being shuffled; of another size than that one."""
    return _joined(_bytes(rows), np.ones(1, bool), other_than)


def _bytes(rows: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(rows).reshape(-1).view(np.uint8)[None]


def _joined(planes: NDArray[np.uint8], worth: NDArray[np.bool_], other_than: int) -> bytes:
    """Stretches, compressed where that is worth while, as one stream."""
    parts = [HEADER]
    start = 0
    for stop in range(1, len(planes) + 1):  # stretches that are treated alike go together
        if stop < len(planes) and worth[stop] == worth[start]:
            continue
        press = zlib.compressobj(LEVEL if worth[start] else 0, zlib.DEFLATED, RAW, MEMORY, zlib.Z_RLE)
        parts += [press.compress(planes[start:stop].data), press.flush(zlib.Z_FULL_FLUSH)]
        start = stop
    return _ended(parts, planes.data, other_than)


def _ended(parts: list[Any], data: Any, other_than: int) -> bytes:
    """A stream with its last block and the sum of its bytes; longer by a block without content if it is to be."""
    if sum(map(len, parts)) + len(END) + 4 == other_than:
        parts.append(NOTHING)
    return b"".join([*parts, END, zlib.adler32(data).to_bytes(4, "big")])


def shuffled(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """All first bytes, then all second ones, and so on: a row each."""
    flat = np.ascontiguousarray(rows).reshape(-1)
    return np.ascontiguousarray(flat.view(np.uint8).reshape(-1, flat.itemsize).T)


def is_worth(plane: NDArray[np.uint8]) -> bool:
    """Does compressing these bytes save anything worth the time?"""
    middle = plane.size // 2
    trial = plane[max(0, middle - TRIAL // 2) : middle + TRIAL // 2]
    return len(zlib.compress(trial.data, LEVEL)) < WORTH * trial.size
