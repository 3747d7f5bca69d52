"""Columns of values: read-only arrays, checked as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import SceneError
from carom.messages.phrase import Phrase
from carom.scene.fields.base import and_more, fault, place, shown
from carom.scene.fields.quantities import (
    LARGEST,
    MAX_WHOLE,
    SMALLEST,
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
    """Materials of many balls: names in order of first use, and the index of the name for each ball."""

    names: tuple[str, ...]
    codes: Codes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Materials) and self.names == other.names and np.array_equal(self.codes, other.codes)

    __hash__ = None  # type: ignore[assignment]  # an array cannot be hashed

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        frozen(self.codes)


def frozen(array: Array) -> Array:
    """Make an array read-only, and return it."""
    array.flags.writeable = False
    return array


def vectors(value: object) -> Floats:
    """Check one vector per ball: an array of N rows and two or three columns."""
    array = _numbers(value)
    if array.size == 0:
        return frozen(np.empty((0, array.shape[1] if array.ndim == 2 and array.shape[1] in {2, 3} else 2)))
    if array.ndim != 2 or array.shape[1] not in {2, 3}:
        raise fault("column.shape-vectors", shape=str(array.shape))
    return frozen(_checked_range(array))


def vectors_like(value: object, position: Floats) -> Floats:
    """Check one vector for all balls or one per ball, in the shape of the positions."""
    array = _numbers(value)
    if array.size == position.size == 0:
        return position
    if array.shape not in {position.shape, position.shape[1:]}:
        raise fault("column.shape-unlike", shape=str(array.shape), positions=str(position.shape))
    return frozen(np.array(np.broadcast_to(_checked_range(array), position.shape), order="C"))


def mass_column(value: object, length: int) -> Floats:
    """Check numbers above 0, one for all or one per ball; infinite masses have their own message."""
    numbers = _numbers(value)
    _reject(np.isinf(numbers), numbers, "masses.infinite")
    _checked_range(numbers)
    _reject(numbers <= 0.0, numbers, "numbers.not-positive")
    _reject(numbers < SMALLEST, numbers, "numbers.too-small-positive", SMALLEST)
    return _broadcast(numbers, length)


def not_negative_column(value: object, length: int, noun: str = "ball") -> Floats:
    """Check numbers from 0 on, one for all or one per row."""
    numbers = _checked_range(_numbers(value))
    _reject(numbers < 0.0, numbers, "numbers.negative")
    _reject((numbers > 0.0) & (numbers < SMALLEST), numbers, "numbers.too-small", SMALLEST)
    return _broadcast(numbers, length, noun)


def optional_column(value: object, length: int, noun: str) -> Floats:
    """Check numbers from 0 on, one for all or one per row; None becomes 0."""
    return not_negative_column(_replace_none(value, 0.0), length, noun)


def limit_column(value: object, length: int, noun: str) -> Floats:
    """Check limits above 0, one for all or one per row; None and `LARGEST` become infinite."""
    numbers = _numbers(_replace_none(value, LARGEST), infinite=True)
    _reject(np.isnan(numbers), numbers, "numbers.not-a-number")
    _reject(numbers <= 0.0, numbers, "numbers.not-positive")
    _reject(numbers < SMALLEST, numbers, "numbers.too-small-positive", SMALLEST)
    return _broadcast(np.where(numbers >= LARGEST, np.inf, numbers), length, noun)


def ball_numbers(value: object, width: int, noun: str) -> Numbers:
    """Check rows of `width` different numbers of balls, one row per `noun`."""
    whole = isinstance(value, np.ndarray) and value.dtype.kind == "i"
    array: NDArray[Any] = np.array(value, order="C") if whole else _numbers(value)
    if array.size == 0:
        return frozen(np.empty((0, width), dtype=np.intp))
    if array.ndim != 2 or array.shape[1] != width:
        raise fault("column.shape-numbers", shape=str(array.shape), noun=noun, many=_COUNTS[width])
    if not whole:
        _reject(array != np.floor(_checked_range(array)), array, "numbers.not-whole")
    if array.max() > MAX_WHOLE or array.min() < -MAX_WHOLE:
        _reject((array > MAX_WHOLE) | (array < -MAX_WHOLE), array, "numbers.beyond", MAX_WHOLE)
    numbers = array.astype(np.intp, copy=False)
    if numbers.min() < 0:
        _reject(numbers < 0, numbers, "numbers.negative-number")
    for one, other in combinations(range(width), 2):
        twice = np.flatnonzero(numbers[:, one] == numbers[:, other])
        if twice.size:
            raise fault(
                "column.ball-twice",
                where=f"[{twice[0]}]",
                row=str(tuple(numbers[twice[0]].tolist())),
                ball=numbers[twice[0], one],
                others=and_more(twice.size - 1),
                many=_COUNTS[width],
            )
    return frozen(numbers)


_COUNTS = {2: "two", 3: "three"}


def _replace_none(value: Any, instead: float) -> Any:
    """A value, or a list of values, with a number in place of None."""
    if isinstance(value, list | tuple):
        return [instead if each is None else each for each in value]
    return instead if value is None else value


def flag_column(value: object, length: int) -> Flags:
    """Check booleans, one for all or one per ball."""
    array = np.asarray(value) if isinstance(value, list | tuple | np.ndarray) else np.asarray(flag(value))
    if array.size and array.dtype != np.bool_:
        raise fault("flag.not-one", value=shown(array.ravel()[0]))
    return _broadcast(array.astype(np.bool_), length)


def material_column(value: object, length: int) -> Materials:
    """Check materials, one for all or one per ball: a name, a list of names, or `Materials`."""
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
    """Check names, or None, one per ball; None if no ball has a name."""
    if value is None:
        return None
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, list | tuple):
        raise fault("names.not-a-list", value=shown(value))
    if len(listed) != length:
        raise fault("names.count", names=Phrase("count.name", n=len(listed)), balls=Phrase("count.ball", n=length))
    names = each(title, listed)
    return names if any(names) else None


def _words(value: object) -> Sequence[str]:
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, list | tuple):
        raise fault("materials.not-names", value=shown(value))
    for index, name in enumerate(listed):
        if not isinstance(name, str) or not name:
            raise fault("material.not-a-name", where=f"[{index}]", value=shown(name))
    for name in dict.fromkeys(listed):
        word(name)
    return listed


def _check_codes(materials: Materials) -> None:
    codes = np.asarray(materials.codes)
    wrong = codes.dtype.kind not in "iu" or (codes.size and not 0 <= codes.min() <= codes.max() < len(materials.names))
    if wrong:
        raise fault("materials.codes", names=Phrase("count.name", n=len(materials.names)))


def _in_order_of_use(names: tuple[str, ...], codes: NDArray[Any]) -> Materials:
    """Materials with their names in order of first use, without unused names."""
    used, first = np.unique(codes, return_index=True)
    order = used[np.argsort(first)]
    rank = np.zeros(max(len(names), 1), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Materials(tuple(names[code] for code in order), frozen(rank[codes]))


def _numbers(value: object, *, infinite: bool = False) -> Floats:
    """Copy a value to an array of floats; an error names the place of the first element that is not a number."""
    if not isinstance(value, list | tuple | np.ndarray) and not (infinite and value == np.inf):
        value = number(value)
    try:
        array = np.array(value, order="C")
    except (ValueError, OverflowError):
        raise _non_number_error(value, "numbers.ragged") from None
    hidden = not isinstance(value, np.ndarray) and array.dtype.kind in "iuf" and _has_boolean(value)
    if array.dtype.kind not in "iuf" or hidden:
        if array.size == 0:
            return np.empty(array.shape)
        raise _non_number_error(value, "numbers.not-numbers", type=str(array.dtype))
    return array.astype(np.float64, copy=False)


def _has_boolean(value: Any) -> bool:
    """True if a nested list holds a boolean, which NumPy would convert to 0 or 1."""
    if isinstance(value, list | tuple):
        kinds = set(map(type, value))
        return bool in kinds or (not kinds.isdisjoint({list, tuple}) and any(map(_has_boolean, value)))
    return isinstance(value, bool)


def _non_number_error(value: Any, otherwise: str, **values: str) -> SceneError:
    """The error of the first element that is not a number, or else of the whole value."""
    rows = value.tolist() if isinstance(value, np.ndarray) else value
    for index, row in enumerate(rows if isinstance(rows, list | tuple) else [rows]):
        nested = isinstance(row, list | tuple)
        for inner, element in enumerate(row if nested else [row]):
            try:
                number(element)
            except SceneError as error:
                where = place([index, inner] if nested else [index])
                return SceneError(problem.inside(where) for problem in error.problems)
    return fault(otherwise, **values)


def _checked_range(array: Floats) -> Floats:
    """Return an array, or raise an error if a number is not finite or too large."""
    # The common case takes one pass; NaN fails the comparison, too.
    if array.size and not np.abs(array).max() <= LARGEST:
        _reject(~np.isfinite(array), array, "numbers.not-finite")
        _reject(np.abs(array) > LARGEST, array, "numbers.too-large", LARGEST)
    return array


def _reject(bad: Flags, array: NDArray[Any], problem: str, limit: float | None = None) -> None:
    """Raise an error about the first bad value, with the number of others."""
    if not bad.any():
        return
    first = np.unravel_index(int(np.argmax(bad)), bad.shape)
    others = and_more(int(np.count_nonzero(bad)) - 1)
    where = place(int(index) for index in first)
    raise fault(problem, where=where, value=shown(array[first]), others=others, limit=limit)


def _broadcast(array: NDArray[Any], length: int, noun: str = "ball") -> NDArray[Any]:
    """Broadcast to one value per row, read-only."""
    _check_length(array, length, noun)
    return frozen(np.array(np.broadcast_to(array, (length,))))


def _check_length(array: NDArray[Any], length: int, noun: str = "ball") -> None:
    if array.ndim > 1:
        raise fault("column.shape", shape=str(array.shape), noun=noun)
    if array.shape not in {(), (length,)}:
        raise _wrong_length(len(array), length, noun)


def _wrong_length(given: int, length: int, noun: str = "ball") -> SceneError:
    values, rows = Phrase("count.value", n=given), Phrase(f"count.{noun}", n=length)
    return fault("column.count", values=values, rows=rows, noun=noun)
