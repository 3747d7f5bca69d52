"""Blocks: arrays that stand side by side in one piece of memory, as a table says.

A block begins with its directory: for each array of the table where it begins, how many rows and columns it has, how
large an item is, and where in a page of memory it is to begin. So whoever has the memory and the
table has everything: a copy of the memory is a copy of all arrays, in any process and in any language.

Kernels take a block as an array of bytes, and open it: that costs a few loads.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from carom.kernels.jit import PAGE

LINE: Final = 128  # bytes: two cache lines, which processors fetch together
NOWHERE, OVER = -1, -2  # in place of a place: on a cache line; over the array before, in the same memory
BEGIN, ROWS, COLUMNS, SIZE, PLACE = range(5)
FIELDS: Final = 5  # numbers for each array in a directory

Bytes = NDArray[np.uint8]


class Entry(NamedTuple):
    """An array of a table."""

    name: str
    kind: Any
    """The type of an item, as NumPy has it."""
    columns: int
    """0 for a list; for a table of numbers how many columns it has, or -1 if that differs from block to block."""
    text: str
    """What it holds."""
    place: int = NOWHERE
    """Where in a page it begins, bytes; or NOWHERE, or OVER."""


class Table:
    """The arrays of a kind of block."""

    def __init__(self, *entries: Entry) -> None:
        self.entries = {entry.name: entry for entry in entries}

        self.names: Any = namedtuple("Names", self.entries)(*range(len(self.entries)))
        """The numbers of the arrays by their names, for kernels."""

    def __iter__(self) -> Any:
        return iter(self.entries.values())

    def __reduce__(self) -> Any:
        """A pickle has the entries."""
        return Table, tuple(self)

    @property
    def header(self) -> int:
        """The bytes that the directory takes."""
        return 8 * FIELDS * len(self.entries)

    def directory(self, shapes: dict[str, tuple[int, ...]]) -> NDArray[np.int64]:
        """A directory of arrays of these shapes; those that are not named are empty."""
        directory = np.zeros((len(self.entries), FIELDS), np.int64)
        for row, entry in zip(directory, self, strict=True):
            rows, *columns = shapes.get(entry.name, (0,))
            row[ROWS:] = rows, *(columns or (max(entry.columns, 1),)), np.dtype(entry.kind).itemsize, entry.place
        return directory

    def make(self, shapes: dict[str, tuple[int, ...]]) -> Block:
        """A block of zeros with arrays of these shapes."""
        directory = self.directory(shapes)
        size = lay_out(directory, self.header)
        raw = blank(size)
        raw[: self.header] = directory.reshape(-1).view(np.uint8)
        return Block(self, raw)

    def opener(self, bundle: Any) -> Callable[[Any], Any]:
        """A function for kernels: makes a bundle, a named tuple, of those arrays of a block that its fields name."""
        return _opener(self, bundle)


def lay_out(directory: NDArray[np.int64], header: int) -> int:
    """Say where each array begins, one behind the other; gives the size of the block."""
    begin = end = header
    for row in directory:
        if row[PLACE] != OVER:
            place, unit = (row[PLACE], PAGE) if row[PLACE] >= 0 else (0, LINE)
            begin = end + (place - end) % unit
        row[BEGIN] = begin
        end = max(end, begin + row[ROWS] * row[COLUMNS] * row[SIZE])
    return int(end)


def blank(size: int) -> Bytes:
    """So many bytes, all zero, that begin where a page of memory does."""
    raw = np.zeros(size + PAGE, np.uint8)
    first = -raw.ctypes.data % PAGE
    return raw[first : first + size]


def at_a_page(raw: Bytes) -> Bytes:
    """The same bytes, in memory that begins where a page does."""
    other = blank(raw.size)
    other[:] = raw
    return other


class Block:
    """A block, and its arrays by name as attributes."""

    def __init__(self, table: Table, raw: Bytes) -> None:
        self.table = table
        self.raw = raw = raw if raw.ctypes.data % PAGE == 0 else at_a_page(raw)
        directory = raw[: table.header].view(np.int64).reshape(-1, FIELDS)
        for entry, (begin, rows, columns, size, _) in zip(table, directory.tolist(), strict=True):
            array = raw[begin : begin + rows * columns * size].view(entry.kind)
            setattr(self, entry.name, array.reshape(rows, columns) if entry.columns else array)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this block has no {name}")

    def laid_out(self, *kept: str) -> Block:
        """A block whose arrays have the sizes that this one's directory says; some are copied, the others are zero."""
        table = self.table
        directory = self.raw[: table.header].view(np.int64).reshape(-1, FIELDS).copy()
        raw = blank(lay_out(directory, table.header))
        raw[: table.header] = directory.reshape(-1).view(np.uint8)
        block = Block(table, raw)
        for name in kept:
            getattr(block, name)[:] = getattr(self, name)
        return block

    def copy(self) -> Block:
        """Another block, equal to this one."""
        return Block(self.table, at_a_page(self.raw))

    def __deepcopy__(self, memo: dict[int, Any]) -> Block:
        other = memo[id(self)] = self.copy()
        return other

    def __reduce__(self) -> Any:
        return Block, (self.table, self.raw)


def _opener(table: Table, bundle: Any) -> Callable[[Any], Any]:
    """See `Table.opener`."""
    fields = [(getattr(table.names, name), table.entries[name]) for name in bundle._fields]
    kinds = [numba.from_dtype(np.dtype(entry.kind)) for _, entry in fields]
    arrays = [
        numba.types.Array(kind, 2 if entry.columns else 1, "C", aligned=not isinstance(kind, numba.types.Record))
        for kind, (_, entry) in zip(kinds, fields, strict=True)
    ]
    result = numba.types.NamedTuple(arrays, bundle)

    @intrinsic
    def opened(_typing: Any, block: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            base = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            word = context.get_value_type(numba.types.intp)
            directory = builder.bitcast(base, word.as_pointer())

            def number(row: int, field: int) -> Any:
                return builder.load(builder.gep(directory, [word(FIELDS * row + field)]))

            made = []
            for array, (row, entry) in zip(arrays, fields, strict=True):
                out = context.make_array(array)(context, builder)
                size = word(np.dtype(entry.kind).itemsize)
                rows = number(row, ROWS)
                out.data = builder.bitcast(builder.gep(base, [number(row, BEGIN)]), out.data.type)
                if entry.columns:
                    columns = number(row, COLUMNS) if entry.columns < 0 else word(entry.columns)
                    shape, strides = [rows, columns], [builder.mul(columns, size), size]
                    out.nitems = builder.mul(rows, columns)
                else:
                    shape, strides, out.nitems = [rows], [size], rows
                out.shape = cgutils.pack_array(builder, shape, ty=word)
                out.strides = cgutils.pack_array(builder, strides, ty=word)
                out.itemsize = size
                out.meminfo = cgutils.get_null_value(out.meminfo.type)
                out.parent = cgutils.get_null_value(out.parent.type)
                made.append(out._getvalue())  # noqa: SLF001  # as Numba's own documentation shows
            return context.make_tuple(builder, result, made)

        return result(block), emit

    kernels_call: Callable[[Any], Any] = cast("Any", opened)  # without the typing context
    return kernels_call


@intrinsic
def _words(_typing: Any, block: Any) -> Any:
    """The directory of a block as whole numbers."""
    array = numba.types.Array(numba.types.int64, 1, "C")

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        out = context.make_array(array)(context, builder)
        word = context.get_value_type(numba.types.intp)
        out.data = builder.bitcast(given.data, out.data.type)
        out.nitems, out.itemsize = builder.udiv(given.nitems, word(8)), word(8)
        out.shape = cgutils.pack_array(builder, [out.nitems], ty=word)
        out.strides = cgutils.pack_array(builder, [word(8)], ty=word)
        out.meminfo = cgutils.get_null_value(out.meminfo.type)
        out.parent = cgutils.get_null_value(out.parent.type)
        return out._getvalue()  # noqa: SLF001  # as Numba's own documentation shows

    return array(block), emit


words: Any = _words
"""(block): the directory as whole numbers: `FIELDS` for each array of the table, in its order."""
