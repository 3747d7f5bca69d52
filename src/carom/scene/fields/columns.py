"""Columns of many values: read-only arrays, checked all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import SceneError
from carom.scene.fields.base import fault, place, shown
from carom.scene.fields.quantities import (
    INFINITE_MASS,
    LARGEST,
    MOST,
    SMALLEST,
    TOO_LARGE,
    TOO_SMALL,
    TOO_SMALL_FOR_POSITIVE,
    count,
    each,
    flag,
    number,
    title,
    word,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int32]
Numbers = NDArray[np.intp]
Array = TypeVar("Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class Materials:
    """The materials of many balls: the names in order of first use, and for each ball which of them."""

    names: tuple[str, ...]
    codes: Codes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Materials) and self.names == other.names and np.array_equal(self.codes, other.codes)

    __hash__ = None  # type: ignore[assignment]  # an array cannot be hashed

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        frozen(self.codes)


def frozen(array: Array) -> Array:
    """The array, from now on read-only."""
    array.flags.writeable = False
    return array


def vectors(value: object) -> Floats:
    """One vector for each ball: an array of N rows and two or three columns."""
    array = _numbers(value)
    if array.size == 0:
        return frozen(np.empty((0, array.shape[1] if array.ndim == 2 and array.shape[1] in {2, 3} else 2)))
    if array.ndim != 2 or array.shape[1] not in {2, 3}:
        raise fault(f"the array has the shape {array.shape}", "Give one row for each ball, of two or three numbers.")
    return frozen(_sane(array))


def vectors_like(value: object, position: Floats) -> Floats:
    """One vector for all balls, or one for each, as many and as long as the positions."""
    array = _numbers(value)
    if array.size == position.size == 0:
        return position
    if array.shape not in {position.shape, position.shape[1:]}:
        what = f"the array has the shape {array.shape}, but the positions have {position.shape}"
        raise fault(what, "Give one vector for all, or one for each ball.")
    return frozen(np.array(np.broadcast_to(_sane(array), position.shape), order="C"))


def mass_column(value: object, length: int) -> Floats:
    """A number above 0 for all balls, or one for each; an infinite mass has a word of its own."""
    numbers = _numbers(value)
    _reject(np.isinf(numbers), numbers, "is not finite", INFINITE_MASS)
    _sane(numbers)
    _reject(numbers <= 0.0, numbers, "is not positive", "Use numbers above 0.")
    _reject(numbers < SMALLEST, numbers, "is too small", TOO_SMALL_FOR_POSITIVE)
    return _spread(numbers, length)


def not_negative_column(value: object, length: int, noun: str = "ball") -> Floats:
    """A number that is 0 or above for all, or one for each."""
    numbers = _sane(_numbers(value))
    _reject(numbers < 0.0, numbers, "is negative", "Use 0 or numbers above.")
    _reject((numbers > 0.0) & (numbers < SMALLEST), numbers, "is too small", TOO_SMALL)
    return _spread(numbers, length, noun)


def or_zero_column(value: object, length: int, noun: str) -> Floats:
    """The same; what is left out (None) is 0."""
    return not_negative_column(_without_none(value, 0.0), length, noun)


def limit_column(value: object, length: int, noun: str) -> Floats:
    """A number above 0 for all, or one for each; what is left out, or is as large as can be, is infinite."""
    numbers = _numbers(_without_none(value, LARGEST), infinite=True)
    _reject(np.isnan(numbers), numbers, "is not a number", "Use numbers above 0.")
    _reject(numbers <= 0.0, numbers, "is not positive", "Use numbers above 0.")
    _reject(numbers < SMALLEST, numbers, "is too small", TOO_SMALL_FOR_POSITIVE)
    return _spread(np.where(numbers >= LARGEST, np.inf, numbers), length, noun)


def ball_numbers(value: object, width: int, noun: str) -> Numbers:
    """Rows of `width` numbers of balls, all different in a row, one row for each `noun`."""
    whole = isinstance(value, np.ndarray) and value.dtype.kind == "i"
    array: NDArray[Any] = np.array(value, order="C") if whole else _numbers(value)
    if array.size == 0:
        return frozen(np.empty((0, width), dtype=np.intp))
    if array.ndim != 2 or array.shape[1] != width:
        what = f"the array has the shape {array.shape}"
        raise fault(what, f"Give one row for each {noun}, of {_COUNTS[width]} numbers of balls.")
    if not whole:
        _reject(array != np.floor(_sane(array)), array, "is not a whole number", _NUMBERED)
    if array.max() > MOST or array.min() < -MOST:
        _reject((array > MOST) | (array < -MOST), array, f"is beyond {MOST}", _NUMBERED)
    numbers = array.astype(np.intp, copy=False)
    if numbers.min() < 0:
        _reject(numbers < 0, numbers, "is negative", _NUMBERED)
    for one, other in combinations(range(width), 2):
        twice = np.flatnonzero(numbers[:, one] == numbers[:, other])
        if twice.size:
            what = f"{tuple(numbers[twice[0]].tolist())} names ball {numbers[twice[0], one]} twice{_others(twice.size)}"
            raise fault(what, f"Name {_COUNTS[width]} different balls.", where=f"[{twice[0]}]")
    return frozen(numbers)


_NUMBERED = "Balls are numbered 0, 1, 2 and so on."
_COUNTS = {2: "two", 3: "three"}


def _without_none(value: Any, instead: float) -> Any:
    """The value, or the list of values, with a number in place of None."""
    if isinstance(value, list | tuple):
        return [instead if each is None else each for each in value]
    return instead if value is None else value


def flag_column(value: object, length: int) -> Flags:
    """True or false for all balls, or for each."""
    array = np.asarray(value) if isinstance(value, list | tuple | np.ndarray) else np.asarray(flag(value))
    if array.size and array.dtype != np.bool_:
        raise fault(f"{shown(array.ravel()[0])} is not true or false", "Write true or false, without quotes.")
    return _spread(array.astype(np.bool_), length)


def material_column(value: object, length: int) -> Materials:
    """One material for all balls, or one for each: a name, a list of names, or `Materials`."""
    if isinstance(value, Materials):
        each(word, value.names)
        _check_codes(value)
        names, codes = value.names, np.asarray(value.codes)
        _check_length(codes, length)
        return _in_order_of_use(names, codes)
    if isinstance(value, str):
        names = (word(value),) if length else ()
        return Materials(names, frozen(np.zeros(length, dtype=np.int32)))
    listed = _words(value)
    if len(listed) != length:
        raise _wrong_length(len(listed), length)
    numbering: dict[str, int] = {}
    codes = np.array([numbering.setdefault(name, len(numbering)) for name in listed], dtype=np.int32)
    return Materials(tuple(numbering), frozen(codes))


def name_column(value: object, length: int) -> tuple[str | None, ...] | None:
    """A name or nothing for each ball; nothing at all if no ball has one."""
    if value is None:
        return None
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, list | tuple):
        raise fault(f"{shown(value)} is not a list", "Give a list with a name for each ball.")
    if len(listed) != length:
        raise fault(f"{count(len(listed), 'name')} for {count(length, 'ball')}", "Give a name for each ball.")
    names = each(title, listed)
    return names if any(names) else None


def _words(value: object) -> Sequence[str]:
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, list | tuple):
        raise fault(f"{shown(value)} is not a name or a list of names", "Name the material, in quotes.")
    for index, name in enumerate(listed):
        if not isinstance(name, str) or not name:
            raise fault(f"{shown(name)} is not the name of a material", "Write a name, in quotes.", where=f"[{index}]")
    for name in dict.fromkeys(listed):
        word(name)
    return listed


def _check_codes(materials: Materials) -> None:
    codes = np.asarray(materials.codes)
    wrong = codes.dtype.kind not in "iu" or (codes.size and not 0 <= codes.min() <= codes.max() < len(materials.names))
    if wrong:
        what = f"the codes do not number the {count(len(materials.names), 'name')}"
        raise fault(what, "Use whole numbers from 0, one for each ball.")


def _in_order_of_use(names: tuple[str, ...], codes: NDArray[Any]) -> Materials:
    """Materials with the names numbered in order of first use, and those that no ball has left out."""
    used, first = np.unique(codes, return_index=True)
    order = used[np.argsort(first)]
    rank = np.zeros(max(len(names), 1), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Materials(tuple(names[code] for code in order), frozen(rank[codes]))


def _numbers(value: object, *, infinite: bool = False) -> Floats:
    """A copy of the value as an array of floats; what is not a number is a fault that names its place."""
    if not isinstance(value, list | tuple | np.ndarray) and not (infinite and value == np.inf):
        value = number(value)
    try:
        array = np.array(value, order="C")
    except (ValueError, OverflowError):
        raise _offender(value, "rows of different lengths") from None
    hidden = not isinstance(value, np.ndarray) and array.dtype.kind in "iuf" and _has_boolean(value)
    if array.dtype.kind not in "iuf" or hidden:
        if array.size == 0:
            return np.empty(array.shape)
        raise _offender(value, f"an array of the type {array.dtype}, not of numbers")
    return array.astype(np.float64, copy=False)


def _has_boolean(value: Any) -> bool:
    """Does a nested list hold a boolean, which NumPy would take for 0 or 1?"""
    if isinstance(value, list | tuple):
        kinds = set(map(type, value))
        return bool in kinds or (not kinds.isdisjoint({list, tuple}) and any(map(_has_boolean, value)))
    return isinstance(value, bool)


def _offender(value: Any, otherwise: str) -> SceneError:
    """The fault of the first element that is not a number, or else of the whole."""
    rows = value.tolist() if isinstance(value, np.ndarray) else value
    for index, row in enumerate(rows if isinstance(rows, list | tuple) else [rows]):
        nested = isinstance(row, list | tuple)
        for inner, element in enumerate(row if nested else [row]):
            try:
                number(element)
            except SceneError as error:
                where = place([index, inner] if nested else [index])
                return SceneError(problem.inside(where) for problem in error.problems)
    return fault(otherwise, "Give plain numbers, as many in each row.")


def _sane(array: Floats) -> Floats:
    """The array, if all of it is finite and of a sane size."""
    # One pass that finds nothing wrong is the common case: NaN fails the comparison too.
    if array.size and not np.abs(array).max() <= LARGEST:
        _reject(~np.isfinite(array), array, "is not finite", "Use finite numbers.")
        _reject(np.abs(array) > LARGEST, array, f"is beyond {LARGEST:g}", TOO_LARGE)
    return array


def _reject(bad: Flags, array: NDArray[Any], what: str, remedy: str) -> None:
    """Complain about the first value that is bad, and tell how many more are."""
    if not bad.any():
        return
    first = np.unravel_index(int(np.argmax(bad)), bad.shape)
    others = _others(int(np.count_nonzero(bad)))
    raise fault(f"{shown(array[first])} {what}{others}", remedy, where=place(int(index) for index in first))


def _others(bad: int) -> str:
    return f" (and {bad - 1} more)" if bad > 1 else ""


def _spread(array: NDArray[Any], length: int, noun: str = "ball") -> NDArray[Any]:
    """One value for each, read-only."""
    _check_length(array, length, noun)
    return frozen(np.array(np.broadcast_to(array, (length,))))


def _check_length(array: NDArray[Any], length: int, noun: str = "ball") -> None:
    if array.ndim > 1:
        raise fault(f"the array has the shape {array.shape}", _for_each(noun))
    if array.shape not in {(), (length,)}:
        raise _wrong_length(len(array), length, noun)


def _wrong_length(given: int, length: int, noun: str = "ball") -> SceneError:
    return fault(f"{count(given, 'value')} for {count(length, noun)}", _for_each(noun))


def _for_each(noun: str) -> str:
    return f"Give one for all, or one for each {noun}."
