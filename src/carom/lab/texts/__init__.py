"""The texts of the laboratory, in English, Polish and Russian.

<language>.json          by key: a text, or its forms by number ("one", "few", "many", "other")
library.<language>.json  what the scene library says, by its English text: titles, sentences, parameters, solver cards
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from carom.messages.phrase import ENGLISH, LANGUAGES, Translatable, in_language, plural


class Texts:
    """The texts in one language."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else ENGLISH
        self.words = _read(f"{self.language}.json")
        self._library = {} if self.language == ENGLISH else _read(f"library.{self.language}.json")

    def __call__(self, key: str, /, **values: Any) -> str:
        """The text of a key with {names} filled in. For an unknown key, the key itself."""
        said = self.words.get(key, key)
        text = said if isinstance(said, str) else said["other"]
        return text.format(**values) if values else text

    def number(self, key: str, n: int, **values: Any) -> str:
        """The plural form of a text for a number."""
        return str(self.words[key][plural(self.language, n)]).format(n=thousands(n), **values)

    def message(self, said: Translatable | str) -> str:
        """A message of the session, or an error, in this language or else in English."""
        return in_language(said, self.language)

    def of_library(self, english: str) -> str:
        """Translate a text of the scene library or a solver's card."""
        return str(self._library.get(english, english))


def thousands(n: int) -> str:
    """An integer with thousands separated by narrow no-break spaces."""
    return f"{n:,}".replace(",", "\u202f")


def preferred(accepted: str) -> str:
    """The first language of Accept-Language that there are texts for; English if none."""
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
    """The texts of a language; English for an unknown one."""
    return Texts(language)


@cache
def _read(name: str) -> Mapping[str, Any]:
    told: dict[str, Any] = json.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return told
