"""Checks arguments of commands, which come from fields and sockets; errors are one clear line."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isfinite
from typing import Any, Literal

import numpy as np

from carom.errors import ArgumentError
from carom.scene.fields.base import nearest, shown

refusal = ArgumentError.of


def number(where: str, value: Any) -> float:
    """Check a finite number; as text it may have a decimal comma."""
    given = value
    if isinstance(value, str):
        try:
            value = float(value.strip().replace(",", ".").replace("−", "-"))
        except ValueError:
            raise refusal("number.typed", where=where, value=shown(given)) from None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise refusal("number.typed", where=where, value=shown(given))
    try:
        made = float(value)
    except OverflowError:
        made = float("inf")
    if not isfinite(made):
        raise refusal("number.not-finite", where=where, value=shown(given))
    return made


def vector(where: str, value: Any, dimension: int) -> tuple[float, ...]:
    """Check a vector of finite numbers."""
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) != dimension:
        raise refusal("vector.typed", where=where, value=shown(value), dimension=dimension)
    return tuple(number(where, part) for part in value)


def word(where: str, value: Any, most: int = 200) -> str:
    """Check a text and its length."""
    if not isinstance(value, str) or len(value) > most:
        raise refusal("text.not-short", where=where, value=shown(value), most=most)
    return value


def choice_of(where: str, value: Any, known: Collection[str], noun: str = "choices") -> str:
    """Check that a word is one of the known ones."""
    if not isinstance(value, str) or value not in known:
        asked = value[:60] if isinstance(value, str) else ""
        raise refusal("choice.unknown", where=where, value=shown(value), hint=nearest(asked, known, noun))
    return value


def direction(where: str, value: Any) -> int:
    """Check a direction: 1 for the next, -1 for the previous."""
    return 1 if number(where, value) > 0.0 else -1


def flag(where: str, value: Any) -> bool:
    """Check a truth value."""
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if not isinstance(value, bool | np.bool_):
        raise refusal("flag.typed", where=where, value=shown(value))
    return bool(value)


def index(where: str, value: Any, count: int) -> int:
    """Check an index below `count`."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < count:
        raise refusal("index.unknown" if count else "index.none", where=where, value=shown(value), last=count - 1)
    return int(value)


def indices(where: str, value: Any, count: int) -> tuple[int, ...]:
    """Check indices below `count`; repeated ones are dropped."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        value = [value]
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        raise refusal("numbers.typed", where=where, value=shown(value))
    return tuple(dict.fromkeys(index(where, each, count) for each in value))


def file_format(text: str, filename: str) -> Literal["toml", "json"]:
    """The format of a scene file: by the suffix of its name, or by its first character."""
    name = filename.lower()
    as_json = name.endswith(".json") or (not name.endswith(".toml") and text.lstrip().startswith("{"))
    return "json" if as_json else "toml"
