"""`Phrase`: a text of the catalogues by its id and values, in any language."""

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

_PLACEHOLDER = re.compile(r"\{(\w+)(?::(,|and|or|\d+))?\}")


class Translatable(Protocol):
    """An object with a text in each language: a phrase, a problem, an error."""

    def told(self, language: str = ENGLISH) -> str:
        """The text in a language; in English if the language lacks it."""


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
        return [_fill_in(text, language) for text in texts]
    except _UntranslatedError:
        return [_fill_in(text, ENGLISH) for text in texts]


def in_language(said: Translatable | str, language: str = ENGLISH) -> str:
    """A message in a language; a plain text is English in all of them."""
    return said if isinstance(said, str) else said.told(language)


def plural(language: str, n: int) -> str:
    """The plural form for a whole number, by the rules of Unicode's CLDR."""
    ones, tens = n % 10, n % 100
    if language == ENGLISH:
        return "one" if n == 1 else "other"
    if n == 1 if language == "pl" else ones == 1 and tens != 11:
        return "one"
    return "few" if 2 <= ones <= 4 and not 12 <= tens <= 14 else "many"


def _plain(value: Any) -> Any:
    """Convert numbers and arrays of NumPy to plain numbers and lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _fill_in(text: Phrase, language: str) -> str:
    entry = _catalogue(language).get(text.id)
    if entry is None and language != ENGLISH:
        raise _UntranslatedError(text.id)
    if isinstance(entry, dict):
        entry = entry[text.part or plural(language, text.values["n"])]

    def fill(placeholder: re.Match[str]) -> str:
        name, form = placeholder.groups()
        return _format_value(text.values.get(name, placeholder[0]), form or "", language)

    # An unknown id, and a name without a value, are shown as they are: messages never fail.
    return text.id if entry is None else _PLACEHOLDER.sub(fill, entry)


def _format_value(value: Any, form: str, language: str) -> str:
    """Format a value; `form` is the text after the colon in its placeholder."""
    if isinstance(value, Phrase):
        return _fill_in(value, language)
    if isinstance(value, list | tuple):
        join = f" {_fill_in(Phrase(form), language)} " if form else ", "
        return join.join(_format_value(member, "", language) for member in value)
    if isinstance(value, str) or not form:
        return str(value)
    return f"{value:.{form}g}" if form.isdigit() else f"{value:{form}}"


@cache
def _catalogue(language: str) -> Mapping[str, Any]:
    texts: dict[str, Any] = json.loads(Path(__file__).with_name(f"{language}.json").read_text(encoding="utf-8"))
    return texts
