"""Checks of numbers, vectors and texts in scenes: strict types, finite values, limited sizes.

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

from carom.errors import InputError, Problem, SceneError, first_problems
from carom.messages.phrase import Phrase
from carom.scene.fields.base import fault, nearest, shown

LARGEST = 1e150
"""Largest coordinate, size, speed or mass: a larger square would overflow."""
SMALLEST = 1e-150
"""Smallest size or mass other than 0: a smaller square would underflow."""

MAX_PROBLEMS = 1000
"""Number of problems of a list after which its check stops."""
MAX_WHOLE = 2**31 - 1
"""Largest count, and largest number of a ball."""

MAX_NAME_LENGTH = 100
"""Largest length of the name of a scene, a material or a ball."""
MAX_TEXT_LENGTH = 5000
"""Largest length of a description."""

VectorLike: TypeAlias = ArrayLike
"""Input for a vector: two or three numbers, in a sequence or an array."""


def number(value: object) -> float:
    """Check a finite number of limited size."""
    if isinstance(value, bool | np.bool_):
        raise fault("number.boolean", value=shown(value))
    if isinstance(value, str):
        raise fault("number.text", value=shown(value))
    if not isinstance(value, Real):
        raise fault("number.not-one", value=shown(value))
    try:
        result = float(value)
    except OverflowError:
        raise fault("number.too-large", value=shown(value), limit=LARGEST) from None
    if not math.isfinite(result):
        raise fault("number.not-finite", value=result)
    if abs(result) > LARGEST:
        raise fault("number.too-large", value=shown(value), limit=LARGEST)
    return result


def positive(value: object) -> float:
    """Check a number above 0."""
    result = number(value)
    if result <= 0.0:
        raise fault("number.not-positive", value=shown(value))
    if result < SMALLEST:
        raise fault("number.too-small-positive", value=shown(value), least=SMALLEST)
    return result


def mass(value: object) -> float:
    """Check a number above 0; an infinite mass has its own message."""
    if isinstance(value, float) and math.isinf(value):
        raise fault("mass.infinite", value=shown(value))
    return positive(value)


def not_negative(value: object) -> float:
    """Check a number from 0 on."""
    result = number(value)
    if result < 0.0:
        raise fault("number.negative", value=shown(value))
    if 0.0 < result < SMALLEST:
        raise fault("number.too-small", value=shown(value), least=SMALLEST)
    return result


def fraction(value: object) -> float:
    """Check a number from 0 to 1."""
    result = number(value)
    if not 0.0 <= result <= 1.0:
        raise fault("fraction.outside", value=shown(value))
    return result


def whole(value: object) -> int:
    """Check a whole number from 0 on, such as the number of a ball; booleans and 3.0 are refused."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise fault("whole.not-one", value=shown(value))
    result = int(value)
    if result < 0:
        raise fault("whole.negative", value=shown(value))
    if result > MAX_WHOLE:
        raise fault("whole.too-large", value=shown(value), limit=MAX_WHOLE)
    return result


def one_of(*known: str) -> Callable[[object], str]:
    """Make a check for one of the known words."""

    def check(value: object) -> str:
        if not isinstance(value, str) or value not in known:
            raise fault("choice.unknown", value=shown(value), hint=nearest(str(value)[:60], known, "choices"))
        return value

    return check


def sequence(value: object, noun: str = "numbers") -> Sequence[Any]:
    """Check a list, tuple or array, and return it as a sequence."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        listed: list[Any] = value.tolist()
        return listed
    if not isinstance(value, list | tuple):
        raise fault("list.not-one", value=shown(value), noun=noun)
    return value


def each(check: Callable[[Any], Any], values: Iterable[Any]) -> tuple[Any, ...]:
    """Check each value; an error holds the problems of all of them, up to a limit."""
    results: list[Any] = []
    problems: list[Problem] = []
    for index, value in enumerate(values):
        try:
            results.append(check(value))
        except InputError as error:
            problems.extend(problem.inside(f"[{index}]") for problem in error.problems)
            if len(problems) > MAX_PROBLEMS:
                raise SceneError(first_problems(problems, at_least=True)) from None
    if problems:
        raise SceneError(first_problems(problems))
    return tuple(results)


def vector(value: object) -> tuple[float, ...]:
    """Check a vector of two or three numbers."""
    values = sequence(value)
    if len(values) not in {2, 3}:
        raise fault("vector.components", value=shown(value), components=Phrase("count.component", n=len(values)))
    return each(number, values)


def plane_vector(value: object) -> tuple[float, ...]:
    """Check a vector of two numbers."""
    values = sequence(value)
    if len(values) != 2:
        raise fault("vector.plane", value=shown(value), components=Phrase("count.component", n=len(values)))
    return each(number, values)


def sizes(value: object) -> tuple[float, ...]:
    """Check a vector of two or three positive numbers."""
    return each(positive, vector(value))


def word(value: object) -> str:
    """Check a name that is not empty, such as that of a material."""
    return label(not_empty(value))


def not_empty(value: object) -> str:
    """Check a text that is not empty, as part of other checks."""
    if not isinstance(value, str):
        raise fault("name.not-a-text", value=shown(value))
    if not value:
        raise fault("name.empty")
    return _encodable(value)


def label(value: object) -> str:
    """Check a name on one line, or an empty text."""
    if isinstance(value, str) and len(value) <= MAX_NAME_LENGTH and value.isprintable():
        return value  # the common case, for a million names
    return _checked_text(value, MAX_NAME_LENGTH, "a name", _NOT_IN_NAMES)


def text(value: object) -> str:
    """Check a text of one or more lines."""
    return _checked_text(value, MAX_TEXT_LENGTH, "a text", _NOT_IN_TEXTS)


_CONTROLS = r"\0-\x08\x0b-\x1f\x7f-\x9f"
_NOT_IN_TEXTS = re.compile(f"[{_CONTROLS}]")
_NOT_IN_NAMES = re.compile(f"[{_CONTROLS}\\t\\n\u2028\u2029]")
"""Control characters and line breaks. Marks of the direction of writing and invisible joiners are letters of some
scripts: names may have them, and messages show them as escapes if they would change a line."""


def _checked_text(value: object, longest: int, what: str, refused: re.Pattern[str]) -> str:
    """Check a text: without control characters, not too long, encodable in UTF-8."""
    if not isinstance(value, str):
        raise fault("text.not-one", value=shown(value))
    if len(value) > longest:
        raise fault("text.too-long", value=shown(value), length=len(value), kind=what, longest=longest)
    if found := refused.search(value):
        letter = f"{ord(found[0]):04X}"
        raise fault("text.control", value=shown(value), letter=letter, position=found.start())
    return _encodable(value)


def _encodable(value: str) -> str:
    """Return a text, or raise an error for surrogates, which JSON and file names can contain."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = shown(value[error.start])
        raise fault("text.half-letter", value=shown(value), half=half) from None
    return value


def title(value: object) -> str | None:
    """Check a name or None; an empty text becomes None."""
    return None if value is None else label(value) or None


def flag(value: object) -> bool:
    """Check a boolean."""
    if not isinstance(value, bool | np.bool_):
        raise fault("flag.not-one", value=shown(value))
    return bool(value)


def one_each(value: object, check: Callable[[Any], Any], number_of: int, noun: str) -> tuple[Any, ...]:
    """Check one value for all, or a list with one per `noun`."""
    if not isinstance(value, list | tuple | np.ndarray) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return (check(value),) * number_of
    if len(value) != number_of:
        raise fault(
            "column.count",
            values=Phrase("count.value", n=len(value)),
            rows=Phrase(f"count.{noun}", n=number_of),
            noun=noun,
        )
    return each(check, value)


def same_length(where: str, values: Sequence[Any], dimension: int, whose: str) -> list[Problem]:
    """A problem if a vector has another number of components than `whose`."""
    if len(values) == dimension:
        return []
    return [
        Problem(
            "vector.other-dimension",
            where=where,
            values=shown(tuple(values)),
            components=Phrase("count.component", n=len(values)),
            whose=whose,
            dimension=dimension,
        )
    ]


# The bounds are for the JSON Schema; the validator runs first.
Number = Annotated[float, BeforeValidator(number)]
Positive = Annotated[float, Field(gt=0), BeforeValidator(positive)]
Mass = Annotated[float, Field(gt=0), BeforeValidator(mass)]
NotNegative = Annotated[float, Field(ge=0), BeforeValidator(not_negative)]
Fraction = Annotated[float, Field(ge=0, le=1), BeforeValidator(fraction)]
Whole = Annotated[int, Field(ge=0), BeforeValidator(whole)]
Vector = Annotated[tuple[float, ...], Field(min_length=2, max_length=3), BeforeValidator(vector)]
PlaneVector = Annotated[tuple[float, float], BeforeValidator(plane_vector)]
Sizes = Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3), BeforeValidator(sizes)]
Word = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH), BeforeValidator(word)]
Label = Annotated[str, Field(max_length=MAX_NAME_LENGTH), BeforeValidator(label)]
Text = Annotated[str, Field(max_length=MAX_TEXT_LENGTH), BeforeValidator(text)]
Title = Annotated[str | None, Field(max_length=MAX_NAME_LENGTH), BeforeValidator(title)]
Flag = Annotated[bool, BeforeValidator(flag)]
