"""What is an instruction of the processor to compiled kernels: numbers side by side (`kernels.simd`), and others.

Each function has the name and the arguments of the intrinsic whose meaning it is; its docstring is there.
"""

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.kernels.interpreter.views import ArrayView, seen
from carom.kernels.interpreter.whole_numbers import SignedInt, UnsignedInt, cast_to

WORD = cast_to(32, signed=False)
ONES = 0xFFFFFFFF
FIELDS = 8


class LanesValue:
    """Numbers side by side; one number stands for all lanes."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: Any) -> None:
        self.numbers: NDArray[np.float64] = np.array(numbers, np.float64)

    def __add__(self, other: Any) -> "LanesValue":
        return LanesValue(self.numbers + in_lanes(other))

    def __sub__(self, other: Any) -> "LanesValue":
        return LanesValue(self.numbers - in_lanes(other))

    def __mul__(self, other: Any) -> "LanesValue":
        return LanesValue(self.numbers * in_lanes(other))

    def __truediv__(self, other: Any) -> "LanesValue":
        return LanesValue(self.numbers / in_lanes(other))

    def __radd__(self, other: Any) -> "LanesValue":
        return LanesValue(in_lanes(other) + self.numbers)

    def __rsub__(self, other: Any) -> "LanesValue":
        return LanesValue(in_lanes(other) - self.numbers)

    def __rmul__(self, other: Any) -> "LanesValue":
        return LanesValue(in_lanes(other) * self.numbers)

    def __rtruediv__(self, other: Any) -> "LanesValue":
        return LanesValue(in_lanes(other) / self.numbers)

    __array_ufunc__ = None  # so that NumPy's scalars leave their operators to these


def in_lanes(value: Any) -> Any:
    """The numbers of lanes, or a number that stands for all."""
    return value.numbers if isinstance(value, LanesValue) else value


def greater(a: Any, b: Any) -> LanesValue:
    """The greater number of each lane; the second, if neither is."""
    a, b = np.broadcast_arrays(in_lanes(a), in_lanes(b))
    return LanesValue(np.where(a > b, a, b))


def less(a: Any, b: Any) -> LanesValue:
    """The smaller number of each lane; the second, if neither is."""
    a, b = np.broadcast_arrays(in_lanes(a), in_lanes(b))
    return LanesValue(np.where(a < b, a, b))


def rounded_once(a: float, b: float, c: float) -> float:
    """A product and a sum, a b + c, without a rounding between them."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return float(np.float64(a) * b + c)
    if not math.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return float(np.float64(a) * b + c) if a * b == 0.0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def fused(a: Any, b: Any, c: Any) -> LanesValue:
    parts = np.broadcast_arrays(*map(in_lanes, (a, b, c)))
    return LanesValue([rounded_once(*map(float, each)) for each in zip(*parts, strict=True)])


def short(a: Any, b: Any, c: Any) -> LanesValue:
    return fused(LanesValue(-np.asarray(in_lanes(a))), b, c)


def total(numbers: LanesValue) -> Any:
    sums = numbers.numbers
    half = len(sums) // 2
    while half:
        sums = sums + sums[np.arange(len(sums)) ^ half]
        half //= 2
    return sums[0]


def without(numbers: LanesValue, lane: Any) -> LanesValue:
    changed = numbers.numbers.copy()
    changed[lane] = 0.0
    return LanesValue(changed)


def spread(number: Any) -> LanesValue:
    return LanesValue([number] * 4)


def spread_eight(number: Any) -> LanesValue:
    return LanesValue([number] * 8)


def _block(array: ArrayView, index: Any, count: int) -> NDArray[Any]:
    """Items of an array from an index on, whatever its shape."""
    found = array.array.reshape(-1)[int(index) : int(index) + count]
    if len(found) < count:
        raise IndexError(f"{count} items from {index} on, of {array.size}")
    return found


def read(array: ArrayView, index: Any) -> LanesValue:
    return LanesValue(_block(array, index, 4))


def read_eight(array: ArrayView, index: Any) -> LanesValue:
    return LanesValue(_block(array, index, 8))


def write(array: ArrayView, index: Any, numbers: LanesValue) -> None:
    _block(array, index, len(numbers.numbers))[:] = numbers.numbers


def columns(records: ArrayView, a: Any, b: Any, c: Any, d: Any) -> tuple[LanesValue, ...]:
    raw = records.array
    heads = [np.ndarray((FIELDS,), np.float64, raw[int(each) : int(each) + 1].tobytes()) for each in (a, b, c, d)]
    return tuple(LanesValue([head[k] for head in heads]) for k in range(FIELDS))


def pick(array: ArrayView, a: Any, b: Any, c: Any, d: Any) -> LanesValue:
    return LanesValue([array.array[int(each)] for each in (a, b, c, d)])


def meeting(root: LanesValue, b: LanesValue, disc: LanesValue) -> LanesValue:
    return LanesValue(np.where((b.numbers < 0.0) & (disc.numbers >= 0.0), root.numbers, np.inf))


def unless(numbers: LanesValue, limit: Any, a: Any, b: Any, c: Any, d: Any) -> LanesValue:
    beyond = [WORD(each) > WORD(limit) for each in (a, b, c, d)]
    return LanesValue(np.where(beyond, np.inf, numbers.numbers))


def least(numbers: LanesValue) -> Any:
    halves = less(numbers, LanesValue(numbers.numbers[[2, 3, 0, 1]]))
    return less(halves, LanesValue(halves.numbers[[1, 0, 3, 2]])).numbers[0]


def _bits(flags: Any) -> UnsignedInt:
    """Bit 0 for the first flag, and so on."""
    return UnsignedInt(sum(1 << k for k, flag in enumerate(flags) if flag))


def equals(numbers: LanesValue, number: Any) -> UnsignedInt:
    return _bits(numbers.numbers == number)


def below(numbers: LanesValue, limits: LanesValue) -> UnsignedInt:
    return _bits(numbers.numbers < limits.numbers)


def lowest_bit(bits: Any) -> UnsignedInt:
    return UnsignedInt((int(bits) & -int(bits)).bit_length() - 1)


def copy_words(source: ArrayView, index: Any, mark: Any, target: ArrayView, place: Any) -> UnsignedInt:
    words = _block(source, index, 4).copy()
    _block(target, place, 4)[:] = words | np.uint32(WORD(mark))
    return _bits(words != ONES)


def bits_set(bits: Any) -> UnsignedInt:
    return UnsignedInt(int(bits).bit_count())


def guess(numbers: LanesValue) -> LanesValue:
    from carom.kernels.powers import GUESS  # noqa: PLC0415  # which imports this module

    bits = numbers.numbers.view(np.uint64)
    return LanesValue((np.uint64(GUESS) - (bits >> np.uint64(1))).view(np.float64))


def select(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def prefetch(array: Any, index: Any, byte: Any) -> None:
    """Nothing: memory is asked for ahead of time only where it takes time."""


def own_page() -> None:
    """Nothing: there is no stack frame to place."""


CALLED: dict[int, Callable[..., None]] = {}
"""Functions of the user by their numbers, which stand where compiled ones have their addresses."""


def address_of(function: Callable[..., None]) -> int:
    """A number by which kernels call a function of the user."""
    number = len(CALLED) + 1
    CALLED[number] = function
    return number


def call_force(address: Any, t: Any, rows: Any, n: Any, given: Any) -> Any:
    """Call a force with the time, the rows of n bodies, and its parameters; 1 if it raises an error."""
    x, v, a = (each.array.reshape(-1, 4)[: int(n)] for each in rows)
    try:
        CALLED[int(address)](float(t), x[:, :3], v[:, :3], a[:, 3], a[:, :3], given.array)
    except Exception:  # whatever a function of the user raises; it is called once more to tell
        return seen(np.int64(1))
    return seen(np.int64(0))


def bits_of(x: Any) -> Any:
    (bits,) = struct.unpack("<q", struct.pack("<d", x))
    return SignedInt(bits)


def float_of(bits: Any) -> Any:
    (x,) = struct.unpack("<d", struct.pack("<q", int(bits)))
    return np.float64(x)


def words(block: Any) -> Any:
    whole = block.array[: block.array.size // 8 * 8]
    return ArrayView(whole.view(np.int64))
