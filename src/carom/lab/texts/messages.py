"""What the session and the solvers say, in other languages: by patterns, sentence by sentence.

`messages.json` is a table of sentences with {names} for what differs. A message of which a sentence is not in the table
stays English as a whole: half a message in another language helps nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

_MORE = re.compile(r" \(and (\d+) more\)$")
_MORE_WORDS = {"pl": " (i jeszcze {})", "ru": " (и ещё {})"}
LONGEST = 1000
"""Letters of a message that is translated: to compare a longer one with all patterns would take long."""
_SENTENCE = re.compile(r"(?<=\.) (?=\S)")
_NAME = re.compile(r"\\\{(\w+)\\\}")


def translated(text: str, language: str) -> str:
    """A message in a language; as it is, if it is not known."""
    if language not in _MORE_WORDS or len(text) > LONGEST:
        return text
    more = _MORE.search(text)
    sentences = [_sentence(each, language) for each in _SENTENCE.split(_MORE.sub("", text))]
    if None in sentences:
        return text
    said = " ".join(each for each in sentences if each is not None)
    return said + (_MORE_WORDS[language].format(more[1]) if more else "")


def _sentence(english: str, language: str) -> str | None:
    """One sentence; what fills its gaps may be known too, as the name of a wall."""
    for pattern, words in _patterns():
        found = pattern.fullmatch(english)
        if found:
            parts = {name: _sentence(value, language) or value for name, value in found.groupdict().items()}
            return words[language].format(**parts)
    return None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    """The table, those with the most fixed words first, for they say the most."""
    table: list[dict[str, str]] = json.loads(
        resources.files(__package__).joinpath("messages.json").read_text(encoding="utf-8")
    )
    table.sort(key=lambda each: -len(re.sub(r"\{\w+\}", "", each["en"])))
    return tuple((re.compile(_NAME.sub(r"(?P<\1>.+?)", re.escape(each["en"]))), each) for each in table)
