"""A phrase: a text by its id and its values, which each language puts into words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

ENGLISH = "en"
LANGUAGES = (ENGLISH, "pl", "ru")

_GAP = re.compile(r"\{(\w+)(?::(,|and|or|\d+))?\}")


class Told(Protocol):
    """What can be told in each language: a phrase, a problem, an error."""

    def told(self, language: str = ENGLISH) -> str:
        """The text in a language, or else in English."""


class _UntranslatedError(LookupError):
    """A text that a language lacks."""


@dataclass(frozen=True, init=False)
class Phrase:
    """A text of the catalogue with the values that fill it in.

    `part` selects one of the texts of an entry that has several, as "what" or "remedy" of a problem.
    """

    id: str
    part: str
    values: Mapping[str, Any]

    def __init__(self, id: str, part: str = "", /, **values: object) -> None:  # noqa: A002  # the name of the attribute
        self.__dict__.update(id=id, part=part, values={name: _plain(value) for name, value in values.items()})

    def __hash__(self) -> int:
        return hash((self.id, self.part))

    def __str__(self) -> str:
        return self.told()

    def told(self, language: str = ENGLISH) -> str:
        """The text in a language; in English if the language lacks any part of it."""
        return told([self], language)[0]


def told(texts: Sequence[Phrase], language: str) -> list[str]:
    """Texts of one message in a language; all of them in English if the language lacks any part of them."""
    try:
        return [_filled(text, language) for text in texts]
    except _UntranslatedError:
        return [_filled(text, ENGLISH) for text in texts]


def in_language(said: Told | str, language: str = ENGLISH) -> str:
    """A message in a language; a plain text is English in all of them."""
    return said if isinstance(said, str) else said.told(language)


def plural(language: str, n: int) -> str:
    """The form that a whole number asks for, by the rules of Unicode's CLDR."""
    ones, tens = n % 10, n % 100
    if language == ENGLISH:
        return "one" if n == 1 else "other"
    if n == 1 if language == "pl" else ones == 1 and tens != 11:
        return "one"
    return "few" if 2 <= ones <= 4 and not 12 <= tens <= 14 else "many"


def _plain(value: Any) -> Any:
    """A number or an array of NumPy as a plain number or list."""
    return value.tolist() if hasattr(value, "tolist") else value


def _filled(text: Phrase, language: str) -> str:
    entry = _catalogue(language).get(text.id)
    if entry is None and language != ENGLISH:
        raise _UntranslatedError(text.id)
    if isinstance(entry, dict):
        entry = entry[text.part or plural(language, text.values["n"])]

    def fill(gap: re.Match[str]) -> str:
        name, form = gap.groups()
        return _worded(text.values.get(name, gap[0]), form or "", language)

    # An id that no catalogue has stands for itself, and so does a name without a value: telling never fails.
    return text.id if entry is None else _GAP.sub(fill, entry)


def _worded(value: Any, form: str, language: str) -> str:
    """A value as it stands in a text; `form` is what follows its name after a colon."""
    if isinstance(value, Phrase):
        return _filled(value, language)
    if isinstance(value, list | tuple):
        join = f" {_filled(Phrase(form), language)} " if form else ", "
        return join.join(_worded(member, "", language) for member in value)
    if isinstance(value, str) or not form:
        return str(value)
    return f"{value:.{form}g}" if form.isdigit() else f"{value:{form}}"


@cache
def _catalogue(language: str) -> Mapping[str, Any]:
    texts: dict[str, Any] = json.loads(Path(__file__).with_name(f"{language}.json").read_text(encoding="utf-8"))
    return texts
