"""Integers as Numba calculates with them: 64 bits, signed if one of the two is; what does not fit wraps around.

Wrapping is meant: kernels take differences of unsigned numbers, and hash. NumPy's scalars would keep 8 or 32 bits, turn
a sum of signed and unsigned ones into a float, and warn when they wrap.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

WORD = 1 << 64
HALF = 1 << 63


class SignedInt(int):
    """A signed number of 64 bits; Python's own integers count as such, too."""

    def __neg__(self) -> Any:
        return wrap_signed(-int(self))

    def __invert__(self) -> Any:
        return wrap_signed(~int(self))

    def __abs__(self) -> Any:
        return wrap_signed(abs(int(self)))


class UnsignedInt(int):
    """An unsigned number of 64 bits."""

    BITS = 64

    def __neg__(self) -> Any:
        return UnsignedInt(-int(self) % (1 << self.BITS))

    def __invert__(self) -> Any:
        return UnsignedInt(~int(self) % (1 << self.BITS))


class UnsignedInt32(UnsignedInt):
    """One of 32 bits; only its negative and its complement have no more."""

    BITS = 32


class UnsignedInt16(UnsignedInt):
    """One of 16 bits, as that of 32."""

    BITS = 16


class UnsignedInt8(UnsignedInt):
    """One of 8 bits, as that of 32."""

    BITS = 8


UNSIGNED = {kind.BITS: kind for kind in (UnsignedInt, UnsignedInt32, UnsignedInt16, UnsignedInt8)}


def wrap_signed(value: int) -> SignedInt:
    """The last 64 bits of an integer, with a sign."""
    return SignedInt((value + HALF) % WORD - HALF)


def wrap_unsigned(value: int) -> UnsignedInt:
    """The last 64 bits of an integer."""
    return UnsignedInt(value % WORD)


def _is_unsigned(value: Any) -> bool:
    return isinstance(value, UnsignedInt | np.unsignedinteger)


def _arithmetic(calculate: Callable[[Any, Any], Any], *, reflected: bool) -> Callable[[Any, Any], Any]:
    """An operator whose result is unsigned if both of its numbers are."""

    def method(self: Any, other: Any) -> Any:
        if isinstance(other, float):
            mine = np.float64(int(self))
            return calculate(other, mine) if reflected else calculate(mine, other)
        if not isinstance(other, int | np.integer | np.bool_):
            return NotImplemented
        wrap = wrap_unsigned if _is_unsigned(self) and _is_unsigned(other) else wrap_signed
        a, b = (other, self) if reflected else (self, other)
        return wrap(calculate(int(wrap(int(a))), int(wrap(int(b)))))

    return method


def _shift(calculate: Callable[[Any, Any], Any], *, reflected: bool) -> Callable[[Any, Any], Any]:
    """A shift, whose result is as the number that is shifted."""

    def method(self: Any, other: Any) -> Any:
        shifted, places = (other, self) if reflected else (self, other)
        wrap = wrap_unsigned if _is_unsigned(shifted) else wrap_signed
        return wrap(calculate(int(shifted), int(places)))

    return method


def _quotient(*, reflected: bool) -> Callable[[Any, Any], Any]:
    """A division, which gives a float: infinity or not a number for a zero divisor."""

    def method(self: Any, other: Any) -> Any:
        a, b = (other, self) if reflected else (self, other)
        return np.float64(a) / np.float64(b)

    return method


ARITHMETIC = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}  # fmt: skip
SHIFTS = {"lshift": operator.lshift, "rshift": operator.rshift}

for _kind in (SignedInt, UnsignedInt):
    for _reflected in (False, True):
        _prefix = "__r" if _reflected else "__"
        for _name, _calculate in ARITHMETIC.items():
            setattr(_kind, f"{_prefix}{_name}__", _arithmetic(_calculate, reflected=_reflected))
        for _name, _calculate in SHIFTS.items():
            setattr(_kind, f"{_prefix}{_name}__", _shift(_calculate, reflected=_reflected))
        setattr(_kind, f"{_prefix}truediv__", _quotient(reflected=_reflected))


def cast_to(bits: int, *, signed: bool) -> Callable[[Any], Any]:
    """A conversion to an integer of so many bits: it keeps the last bits, and cuts off what is behind the point."""
    size = 1 << bits

    def cast(value: Any = 0) -> Any:
        whole = int(value) % size
        return SignedInt(whole - size if whole >= size // 2 else whole) if signed else UNSIGNED[bits](whole)

    return cast


def whole(value: Any) -> Any:
    """What `int` makes of a number: an integer stays signed or unsigned, a float is cut off."""
    return value if isinstance(value, SignedInt | UnsignedInt) else wrap_signed(int(value))
