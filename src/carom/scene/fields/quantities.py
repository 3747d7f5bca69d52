"""Numbers, vectors and words as a scene takes them: strict, finite, of a sane size.

Strict: a boolean is not a number, and neither is a string of digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Field

from carom.errors import InputError, Problem, SceneError, the_first
from carom.scene.fields.base import fault, nearest, shown

LARGEST = 1e150
"""No coordinate, size, speed or mass is larger: its square would overflow."""
SMALLEST = 1e-150
"""No size or mass other than 0 is smaller: its square would vanish."""

MANY = 1000
"""After so many problems of a list, no more are looked for."""
MOST = 2**31 - 1
"""No count and no number of a ball is larger."""

LONGEST_NAME = 100
"""Letters of a name: of a scene, a material, a ball."""
LONGEST_TEXT = 5000
"""Letters of a description."""

VectorLike: TypeAlias = ArrayLike
"""What may be given for a vector: two or three numbers, in a sequence or an array."""


def number(value: object) -> float:
    """A finite float of a sane size; anything else is a fault."""
    if isinstance(value, bool | np.bool_):
        raise fault(f"{shown(value)} is a boolean, not a number", "Write a number.")
    if isinstance(value, str):
        raise fault(f"{shown(value)} is a text, not a number", "Write the number without quotes.")
    if not isinstance(value, Real):
        raise fault(f"{shown(value)} is not a number", "Write a single number.")
    try:
        result = float(value)
    except OverflowError:
        raise fault(f"{shown(value)} is beyond {LARGEST:g}", TOO_LARGE) from None
    if not math.isfinite(result):
        raise fault(f"{result} is not finite", "Write a finite number.")
    if abs(result) > LARGEST:
        raise fault(f"{shown(value)} is beyond {LARGEST:g}", TOO_LARGE)
    return result


INFINITE_MASS = "Use a finite mass; a ball that nothing moves is spelled fixed = true."
TOO_LARGE = f"Use numbers up to {LARGEST:g}, for squares must not overflow."
TOO_SMALL = f"Use 0, or {SMALLEST:g} and more, for squares must not vanish."
TOO_SMALL_FOR_POSITIVE = f"Use {SMALLEST:g} and more, for squares must not vanish."


def positive(value: object) -> float:
    """A number above 0."""
    result = number(value)
    if result <= 0.0:
        raise fault(f"{shown(value)} is not positive", "Use a number above 0.")
    if result < SMALLEST:
        raise fault(f"{shown(value)} is too small", TOO_SMALL_FOR_POSITIVE)
    return result


def mass(value: object) -> float:
    """A number above 0; an infinite mass has a word of its own."""
    if isinstance(value, float) and math.isinf(value):
        raise fault(f"{shown(value)} is not finite", INFINITE_MASS)
    return positive(value)


def not_negative(value: object) -> float:
    """A number that is 0 or above."""
    result = number(value)
    if result < 0.0:
        raise fault(f"{shown(value)} is negative", "Use 0 or a number above.")
    if 0.0 < result < SMALLEST:
        raise fault(f"{shown(value)} is too small", TOO_SMALL)
    return result


def fraction(value: object) -> float:
    """A number from 0 to 1."""
    result = number(value)
    if not 0.0 <= result <= 1.0:
        raise fault(f"{shown(value)} is not between 0 and 1", "Use 0 (no rebound) to 1 (elastic).")
    return result


def whole(value: object) -> int:
    """A whole number, 0 or above, such as the number of a ball; a boolean or 3.0 is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise fault(f"{shown(value)} is not a whole number", "Write a whole number, such as 3.")
    result = int(value)
    if result < 0:
        raise fault(f"{shown(value)} is negative", "Use 0 or a whole number above.")
    if result > MOST:
        raise fault(f"{shown(value)} is beyond {MOST}", "Use a smaller number.")
    return result


def one_of(*known: str) -> Callable[[object], str]:
    """A check for one of the known words."""

    def check(value: object) -> str:
        if not isinstance(value, str) or value not in known:
            raise fault(f"{shown(value)} is not a choice here", nearest(str(value)[:60], known, "choices"))
        return value

    return check


def sequence(value: object, noun: str = "numbers") -> Sequence[Any]:
    """A list, tuple or array as a sequence."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        listed: list[Any] = value.tolist()
        return listed
    if not isinstance(value, list | tuple):
        raise fault(f"{shown(value)} is not a list", f"Write a list of {noun}.")
    return value


def each(check: Callable[[Any], Any], values: Iterable[Any]) -> tuple[Any, ...]:
    """`check` of each value; the problems of all of them, if there are any. After many it is not looked for more."""
    results: list[Any] = []
    problems: list[Problem] = []
    for index, value in enumerate(values):
        try:
            results.append(check(value))
        except InputError as error:
            problems.extend(problem.inside(f"[{index}]") for problem in error.problems)
            if len(problems) > MANY:
                raise SceneError(the_first(problems, at_least=True)) from None
    if problems:
        raise SceneError(the_first(problems))
    return tuple(results)


def vector(value: object) -> tuple[float, ...]:
    """Two or three numbers."""
    values = sequence(value)
    if len(values) not in {2, 3}:
        raise fault(f"{shown(value)} has {count(len(values), 'component')}", "Write two or three numbers.")
    return each(number, values)


def plane_vector(value: object) -> tuple[float, ...]:
    """Two numbers."""
    values = sequence(value)
    if len(values) != 2:
        raise fault(f"{shown(value)} has {count(len(values), 'component')}", "Write two numbers, x and y.")
    return each(number, values)


def sizes(value: object) -> tuple[float, ...]:
    """Two or three positive numbers."""
    return each(positive, vector(value))


def word(value: object) -> str:
    """A name that is not empty, such as that of a material."""
    return label(not_empty(value))


def not_empty(value: object) -> str:
    """A text that is not empty, which another check goes on with."""
    if not isinstance(value, str):
        raise fault(f"{shown(value)} is not a text", "Write a name, in quotes.")
    if not value:
        raise fault("the name is empty", "Write a name, in quotes.")
    return _whole_letters(value)


def label(value: object) -> str:
    """A name on one line, or an empty text."""
    if isinstance(value, str) and len(value) <= LONGEST_NAME and value.isprintable():
        return value  # the common case, for a million names
    return _checked_text(value, LONGEST_NAME, "a name", _NOT_IN_NAMES)


def text(value: object) -> str:
    """A text of one or more lines."""
    return _checked_text(value, LONGEST_TEXT, "a text", _NOT_IN_TEXTS)


_CONTROLS = r"\0-\x08\x0b-\x1f\x7f-\x9f"
_NOT_IN_TEXTS = re.compile(f"[{_CONTROLS}]")
_NOT_IN_NAMES = re.compile(f"[{_CONTROLS}\\t\\n\u2028\u2029]")
"""Control characters and line breaks. Marks of the direction of writing and invisible joiners are letters of some
scripts: they may stand in a name, and messages show them as escapes where they would change a line."""


def _checked_text(value: object, longest: int, what: str, refused: re.Pattern[str]) -> str:
    """A text without control characters, not too long, that a file can hold."""
    if not isinstance(value, str):
        raise fault(f"{shown(value)} is not a text", "Write a text, in quotes.")
    if len(value) > longest:
        raise fault(f"{shown(value)} has {len(value)} letters", f"Shorten it: {what} has up to {longest}.")
    if found := refused.search(value):
        letter = f"the control character U+{ord(found[0]):04X}"
        raise fault(f"{shown(value)} has {letter} at position {found.start()}", "Leave it out.")
    return _whole_letters(value)


def _whole_letters(value: str) -> str:
    """The text, if a file can hold it: JSON and file names can bring halves of letters (surrogates)."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = shown(value[error.start])
        raise fault(f"{shown(value)} has half of a letter, {half}", "Write whole letters, as UTF-8 has them.") from None
    return value


def title(value: object) -> str | None:
    """A name, or nothing; an empty text is nothing."""
    return None if value is None else label(value) or None


def flag(value: object) -> bool:
    """True or false, and nothing that merely looks like it."""
    if not isinstance(value, bool | np.bool_):
        raise fault(f"{shown(value)} is not true or false", "Write true or false, without quotes.")
    return bool(value)


def one_each(value: object, check: Callable[[Any], Any], number_of: int, noun: str) -> tuple[Any, ...]:
    """One value for all, or a list with one for each `noun`."""
    if not isinstance(value, list | tuple | np.ndarray) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return (check(value),) * number_of
    if len(value) != number_of:
        what = f"{count(len(value), 'value')} for {count(number_of, noun)}"
        raise fault(what, f"Give one for all, or one for each {noun}.")
    return each(check, value)


_PLURALS = {"axis": "axes", "mass": "masses"}


def count(number_of: int, noun: str) -> str:
    """`1 edge`, `2 edges`."""
    return f"{number_of} {noun if number_of == 1 else _PLURALS.get(noun, noun + 's')}"


def same_length(where: str, values: Sequence[Any], dimension: int, whose: str) -> list[Problem]:
    """A problem if a vector has another number of components than `whose`."""
    if len(values) == dimension:
        return []
    what = f"{shown(tuple(values))} has {count(len(values), 'component')}, but {whose} has {dimension}"
    return [Problem(where, what, "Give both the same number of components.")]


# The bounds stand before the validator, so that the JSON Schema has them; the validator speaks first.
Number = Annotated[float, BeforeValidator(number)]
Positive = Annotated[float, Field(gt=0), BeforeValidator(positive)]
Mass = Annotated[float, Field(gt=0), BeforeValidator(mass)]
NotNegative = Annotated[float, Field(ge=0), BeforeValidator(not_negative)]
Fraction = Annotated[float, Field(ge=0, le=1), BeforeValidator(fraction)]
Whole = Annotated[int, Field(ge=0), BeforeValidator(whole)]
Vector = Annotated[tuple[float, ...], Field(min_length=2, max_length=3), BeforeValidator(vector)]
PlaneVector = Annotated[tuple[float, float], BeforeValidator(plane_vector)]
Sizes = Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), BeforeValidator(sizes)]
Word = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), BeforeValidator(word)]
Label = Annotated[str, Field(max_length=LONGEST_NAME), BeforeValidator(label)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT), BeforeValidator(text)]
Title = Annotated[str | None, Field(max_length=LONGEST_NAME), BeforeValidator(title)]
Flag = Annotated[bool, BeforeValidator(flag)]
