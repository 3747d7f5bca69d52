"""The words of the laboratory, in English, Polish and Russian.

<language>.json          by key: a text, or its forms by number ("one", "few", "many", "other")
library.<language>.json  what the scene library says, by its English text: titles, sentences, parameters, solver cards
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from carom.messages.phrase import ENGLISH, LANGUAGES, Told, in_language, plural


class Texts:
    """The words in one language."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else ENGLISH
        self.words = _read(f"{self.language}.json")
        self._library = {} if self.language == ENGLISH else _read(f"library.{self.language}.json")

    def __call__(self, key: str, /, **values: Any) -> str:
        """The text of a key, {names} filled in. A key that is unknown stands for itself."""
        said = self.words.get(key, key)
        text = said if isinstance(said, str) else said["other"]
        return text.format(**values) if values else text

    def number(self, key: str, n: int, **values: Any) -> str:
        """The form of a text that fits a number of things."""
        return str(self.words[key][plural(self.language, n)]).format(n=thousands(n), **values)

    def message(self, said: Told | str) -> str:
        """A message of the session, or an error: in this language if the catalogue has it, or else in English."""
        return in_language(said, self.language)

    def of_library(self, english: str) -> str:
        """What the scene library or a solver's card says, translated."""
        return str(self._library.get(english, english))


def thousands(n: int) -> str:
    """A whole number, its thousands apart by a thin space that does not break."""
    return f"{n:,}".replace(",", "\u202f")


def preferred(accepted: str) -> str:
    """The language that a browser's Accept-Language asks for first among ours; English if none."""
    wishes = []
    for place, part in enumerate(accepted.split(",")):
        name, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality) if quality else 1.0
        except ValueError:
            continue
        wishes.append((-weight, place, name.split("-")[0].lower()))
    return next((name for weight, _, name in sorted(wishes) if name in LANGUAGES and weight < 0.0), ENGLISH)


@cache
def texts(language: str) -> Texts:
    """The words in a language; in English if it is none of ours."""
    return Texts(language)


@cache
def _read(name: str) -> Mapping[str, Any]:
    told: dict[str, Any] = json.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return told
