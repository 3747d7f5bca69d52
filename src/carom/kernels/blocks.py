"""Blocks: arrays that stand side by side in one piece of memory, as a table says.

A block begins with its directory: for each array of the table where it begins, how many rows and columns it has, how
large an item is, and where in a page of memory it is to begin. So whoever has the memory and the
table has everything: a copy of the memory is a copy of all arrays, in any process and in any language.

Kernels take a block as an array of bytes, and open it: that costs a few loads.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple, cast

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic
from numpy.typing import NDArray

from carom.kernels.compilers import is_interpreted, meaning
from carom.kernels.interpreter.views import seen
from carom.kernels.jit import PAGE
from carom.kernels.llvm import byte_address

LINE: Final = 128  # bytes: two cache lines, which processors fetch together
NOWHERE, OVER = -1, -2  # in place of a place: on a cache line; over the array before, in the same memory
BEGIN, ROWS, COLUMNS, SIZE, PLACE = range(5)
FIELDS: Final = 5  # numbers for each array in a directory

WORD = ir.IntType(64)
Bytes = NDArray[np.uint8]


class ArraySpec(NamedTuple):
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


class BlockTable:
    """The arrays of a kind of block."""

    def __init__(self, *entries: ArraySpec) -> None:
        self.entries = {entry.name: entry for entry in entries}

        self.names: Any = namedtuple("Names", self.entries)(*range(len(self.entries)))
        """The numbers of the arrays by their names, for kernels."""
        self.header = 8 * FIELDS * len(self.entries)
        """The bytes that a directory takes."""
        self._blank = [[0, 0, max(each.columns, 1), np.dtype(each.kind).itemsize, each.place] for each in self]

    def __iter__(self) -> Iterator[ArraySpec]:
        return iter(self.entries.values())

    def __reduce__(self) -> Any:
        """A pickle has the entries."""
        return BlockTable, tuple(self)

    def directory(self, shapes: Mapping[str, tuple[int, ...]]) -> list[list[int]]:
        """A directory of arrays of these shapes; those that are not named are empty."""
        directory = [row.copy() for row in self._blank]
        for name, (rows, *columns) in shapes.items():
            row = directory[getattr(self.names, name)]
            row[ROWS] = rows
            if columns:
                row[COLUMNS] = columns[0]
        return directory

    def make(self, shapes: Mapping[str, tuple[int, ...]]) -> MemoryBlock:
        """A block of zeros with arrays of these shapes."""
        return self.of(self.directory(shapes))

    def of(self, directory: list[list[int]]) -> MemoryBlock:
        """A block of zeros with the arrays of a directory."""
        raw = blank(lay_out(directory, self.header))
        raw[: self.header].view(np.int64)[:] = list(chain.from_iterable(directory))
        return MemoryBlock(self, raw)

    def opener(self, bundle: Any) -> Callable[[Any], Any]:
        """A function for kernels: makes a bundle, a named tuple, of those arrays of a block that its fields name."""
        return _opener(self, bundle)


def lay_out(directory: list[list[int]], header: int) -> int:
    """Say where each array begins, one behind the other; gives the size of the block."""
    begin = end = header
    for row in directory:
        if row[PLACE] != OVER:
            place, unit = (row[PLACE], PAGE) if row[PLACE] >= 0 else (0, LINE)
            begin = end + (place - end) % unit
        row[BEGIN] = begin
        end = max(end, begin + row[ROWS] * row[COLUMNS] * row[SIZE])
    return end


def blank(size: int) -> Bytes:
    """So many bytes, all zero, that begin where a page of memory does."""
    raw = np.zeros(size + PAGE, np.uint8)
    first = -raw.ctypes.data % PAGE
    return raw[first : first + size]


def at_a_page(raw: Bytes) -> Bytes:
    """Copy bytes into memory that begins where a page does."""
    other = blank(raw.size)
    other[:] = raw
    return other


class MemoryBlock:
    """A block, and its arrays by name as attributes."""

    def __init__(self, table: BlockTable, raw: Bytes) -> None:
        self.table = table
        self.raw = raw if raw.ctypes.data % PAGE == 0 else at_a_page(raw)

    def __getattr__(self, name: str) -> Any:
        """An array, when it is asked for first."""
        table: BlockTable = self.__dict__["table"]
        if name not in table.entries:
            raise AttributeError(f"this block has no {name}")
        entry, k = table.entries[name], FIELDS * getattr(table.names, name)
        begin, rows, columns, size, _ = self.raw[: table.header].view(np.int64)[k : k + FIELDS].tolist()
        array = self.raw[begin : begin + rows * columns * size].view(entry.kind)
        self.__dict__[name] = array = array.reshape(rows, columns) if entry.columns else array
        return array

    def laid_out(self, *kept: str) -> MemoryBlock:
        """A block whose arrays have the sizes that this one's directory says; some are copied, the others are zero."""
        arrays = {name: getattr(self, name) for name in kept}
        block = self.table.of(self.raw[: self.table.header].view(np.int64).reshape(-1, FIELDS).tolist())
        for name, array in arrays.items():
            getattr(block, name)[:] = array
        return block

    def copy(self) -> MemoryBlock:
        """Another block, equal to this one."""
        return MemoryBlock(self.table, at_a_page(self.raw))

    def __deepcopy__(self, memo: dict[int, Any]) -> MemoryBlock:
        other = memo[id(self)] = self.copy()
        return other

    def __reduce__(self) -> Any:
        return MemoryBlock, (self.table, self.raw)


def _opener(table: BlockTable, bundle: Any) -> Callable[[Any], Any]:
    """See `BlockTable.opener`."""
    fields = [(getattr(table.names, name), table.entries[name]) for name in bundle._fields]
    if is_interpreted():
        return lambda block: seen(bundle(*(getattr(MemoryBlock(table, block.array), each.name) for _, each in fields)))
    arrays = [_array_type(entry) for _, entry in fields]
    result = numba.types.NamedTuple(arrays, bundle)

    @intrinsic
    def opened(_typing: Any, block: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            base = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            directory = builder.bitcast(base, WORD.as_pointer())

            def number(row: int, field: int) -> Any:
                return builder.load(builder.gep(directory, [WORD(FIELDS * row + field)]))

            made = []
            for array, (row, entry) in zip(arrays, fields, strict=True):
                size = WORD(np.dtype(entry.kind).itemsize)
                shape, strides = [number(row, ROWS)], [size]
                if entry.columns:
                    columns = number(row, COLUMNS) if entry.columns < 0 else WORD(entry.columns)
                    shape, strides = [*shape, columns], [builder.mul(columns, size), size]
                out = context.make_array(array)(context, builder)
                _fill(builder, out, byte_address(builder, base, number(row, BEGIN)), shape, strides)
                made.append(out._getvalue())  # noqa: SLF001  # as Numba's own documentation shows
            return context.make_tuple(builder, signature.return_type, made)

        return result(block), emit

    return cast("Any", opened)  # as kernels call it, without the typing context


def _array_type(entry: ArraySpec) -> Any:
    """The type that an array of a table has in kernels."""
    kind = numba.from_dtype(np.dtype(entry.kind))
    aligned = not isinstance(kind, numba.types.Record)
    return numba.types.Array(kind, 2 if entry.columns else 1, "C", aligned=aligned)


def _fill(builder: Any, out: Any, place: Any, shape: list[Any], strides: list[Any]) -> None:
    """Describe an array of somebody else's memory, as Numba does."""
    out.data = builder.bitcast(place, out.data.type)
    out.nitems = functools.reduce(builder.mul, shape)
    out.itemsize = strides[-1]
    out.shape, out.strides = _side_by_side(builder, shape), _side_by_side(builder, strides)
    out.meminfo, out.parent = ir.Constant(out.meminfo.type, None), ir.Constant(out.parent.type, None)


def _side_by_side(builder: Any, numbers: list[Any]) -> Any:
    """Some numbers as one value."""
    value = ir.Constant(ir.ArrayType(WORD, len(numbers)), ir.Undefined)
    for k, number in enumerate(numbers):
        value = builder.insert_value(value, number, k)
    return value


@intrinsic
def _words(_typing: Any, block: Any) -> Any:
    """The directory of a block as whole numbers."""
    array = numba.types.Array(numba.types.int64, 1, "C")

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        out = context.make_array(array)(context, builder)
        _fill(builder, out, given.data, [builder.udiv(given.nitems, WORD(8))], [WORD(8)])
        return out._getvalue()  # noqa: SLF001  # as Numba's own documentation shows

    return array(block), emit


words: Any = meaning(_words, "words")
"""(block): the directory as whole numbers: `FIELDS` for each array of the table, in its order."""
