"""Arrays and records as kernels see them.

A kernel reads `ball.x` of an item of an array of records, and changes the array by it; NumPy's own item has no such
attribute. And its integers are not Numba's (`whole_numbers`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.kernels.interpreter.whole_numbers import UNSIGNED, SignedInt, UnsignedInt


class ArrayView:
    """An array whose items are records and numbers as kernels know them."""

    __slots__ = ("_columns", "array")

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self._columns: dict[str, NDArray[Any]] = {}

    def __getitem__(self, index: Any) -> Any:
        found = self.array[index]
        return RecordView(self, index) if isinstance(found, np.void) else seen(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        put(self.array, index, value)

    def __len__(self) -> int:
        return len(self.array)

    @property
    def size(self) -> int:
        """The number of items."""
        return self.array.size

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of items along each axis."""
        return self.array.shape

    def column(self, name: str) -> NDArray[Any]:
        """One field of all records; an AttributeError if they have no such."""
        if name not in self._columns:
            if name not in (self.array.dtype.names or ()):
                raise AttributeError(name)
            self._columns[name] = self.array[name]
        return self._columns[name]


class RecordView:
    """An item of an array of records; what is written to it stands in the array."""

    __slots__ = ("_index", "_owner")

    def __init__(self, owner: ArrayView, index: Any) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_index", index)

    def __getattr__(self, name: str) -> Any:
        return seen(self._owner.column(name)[self._index])

    def __setattr__(self, name: str, value: Any) -> None:
        put(self._owner.column(name), self._index, value)

    def item(self) -> Any:
        """NumPy's own item, which shares memory with the array."""
        return self._owner.array[self._index]


class LoneRecordView:
    """An item of NumPy's own, which shares memory with its array."""

    __slots__ = ("_record",)

    def __init__(self, record: np.void) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        return seen(self._record[name])

    def __setattr__(self, name: str, value: Any) -> None:
        fields: Any = self._record.dtype.fields
        self._record[name] = fitting(fields[name][0], value)

    def item(self) -> Any:
        """The item."""
        return self._record


def seen(value: Any) -> Any:
    """A value of NumPy's as kernels see it; tuples with all that is in them."""
    if isinstance(value, np.ndarray):
        return ArrayView(value)
    if isinstance(value, np.unsignedinteger):
        return UNSIGNED[8 * value.itemsize](value)
    if isinstance(value, np.signedinteger):
        return SignedInt(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.void):
        return LoneRecordView(value)
    if type(value) is float:
        return np.float64(value)  # which is divided by zero without an exception
    return _each(seen, value) if isinstance(value, tuple) else value


def given_back(value: Any) -> Any:
    """What a kernel gives Python: plain numbers and NumPy's arrays."""
    if isinstance(value, ArrayView):
        return value.array
    if isinstance(value, RecordView | LoneRecordView):
        return value.item()
    if isinstance(value, SignedInt | UnsignedInt):
        return int(value)
    if isinstance(value, np.generic):
        return value.item()
    return _each(given_back, value) if isinstance(value, tuple) else value


def _each(change: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    changed = [change(each) for each in values]
    return type(values)(*changed) if hasattr(values, "_fields") else tuple(changed)


def put(array: NDArray[Any], index: Any, value: Any) -> None:
    """Write into an array."""
    array[index] = fitting(array.dtype, value)


def fitting(kind: np.dtype[Any], value: Any) -> Any:
    """A value as NumPy puts it into an array of a kind; of an integer as many bits as there is room for."""
    if isinstance(value, RecordView | LoneRecordView):
        return value.item()
    if isinstance(value, ArrayView):
        return value.array
    if kind.kind not in "ui":
        return value
    size = 1 << 8 * kind.itemsize
    whole = int(value) % size
    return whole - size if kind.kind == "i" and whole >= size // 2 else whole
