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
from carom.messages.phrase import Phrase
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
    """A number above 0."""
    result = number(value)
    if result <= 0.0:
        raise fault("number.not-positive", value=shown(value))
    if result < SMALLEST:
        raise fault("number.too-small-positive", value=shown(value), least=SMALLEST)
    return result


def mass(value: object) -> float:
    """A number above 0; an infinite mass has a word of its own."""
    if isinstance(value, float) and math.isinf(value):
        raise fault("mass.infinite", value=shown(value))
    return positive(value)


def not_negative(value: object) -> float:
    """A number that is 0 or above."""
    result = number(value)
    if result < 0.0:
        raise fault("number.negative", value=shown(value))
    if 0.0 < result < SMALLEST:
        raise fault("number.too-small", value=shown(value), least=SMALLEST)
    return result


def fraction(value: object) -> float:
    """A number from 0 to 1."""
    result = number(value)
    if not 0.0 <= result <= 1.0:
        raise fault("fraction.outside", value=shown(value))
    return result


def whole(value: object) -> int:
    """A whole number, 0 or above, such as the number of a ball; a boolean or 3.0 is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise fault("whole.not-one", value=shown(value))
    result = int(value)
    if result < 0:
        raise fault("whole.negative", value=shown(value))
    if result > MOST:
        raise fault("whole.too-large", value=shown(value), limit=MOST)
    return result


def one_of(*known: str) -> Callable[[object], str]:
    """A check for one of the known words."""

    def check(value: object) -> str:
        if not isinstance(value, str) or value not in known:
            raise fault("choice.unknown", value=shown(value), hint=nearest(str(value)[:60], known, "choices"))
        return value

    return check


def sequence(value: object, noun: str = "numbers") -> Sequence[Any]:
    """A list, tuple or array as a sequence."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        listed: list[Any] = value.tolist()
        return listed
    if not isinstance(value, list | tuple):
        raise fault("list.not-one", value=shown(value), noun=noun)
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
        raise fault("vector.components", value=shown(value), components=Phrase("count.component", n=len(values)))
    return each(number, values)


def plane_vector(value: object) -> tuple[float, ...]:
    """Two numbers."""
    values = sequence(value)
    if len(values) != 2:
        raise fault("vector.plane", value=shown(value), components=Phrase("count.component", n=len(values)))
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
        raise fault("name.not-a-text", value=shown(value))
    if not value:
        raise fault("name.empty")
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
        raise fault("text.not-one", value=shown(value))
    if len(value) > longest:
        raise fault("text.too-long", value=shown(value), length=len(value), kind=what, longest=longest)
    if found := refused.search(value):
        letter = f"{ord(found[0]):04X}"
        raise fault("text.control", value=shown(value), letter=letter, position=found.start())
    return _whole_letters(value)


def _whole_letters(value: str) -> str:
    """The text, if a file can hold it: JSON and file names can bring halves of letters (surrogates)."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = shown(value[error.start])
        raise fault("text.half-letter", value=shown(value), half=half) from None
    return value


def title(value: object) -> str | None:
    """A name, or nothing; an empty text is nothing."""
    return None if value is None else label(value) or None


def flag(value: object) -> bool:
    """True or false, and nothing that merely looks like it."""
    if not isinstance(value, bool | np.bool_):
        raise fault("flag.not-one", value=shown(value))
    return bool(value)


def one_each(value: object, check: Callable[[Any], Any], number_of: int, noun: str) -> tuple[Any, ...]:
    """One value for all, or a list with one for each `noun`."""
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


_PLURALS = {"axis": "axes", "mass": "masses"}


def count(number_of: int, noun: str) -> str:
    """`1 edge`, `2 edges`."""
    return f"{number_of} {noun if number_of == 1 else _PLURALS.get(noun, noun + 's')}"


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
