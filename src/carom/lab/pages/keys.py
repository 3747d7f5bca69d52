"""Names of keys for people."""

from __future__ import annotations

from collections.abc import Iterable

from carom.lab.commands.keymap import Key
from carom.lab.texts import Texts

_SIGNS = {
    " ": "Space",
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "ArrowUp": "↑",
    "ArrowDown": "↓",
    "Escape": "Esc",
    "Control": "Ctrl",
    "PageDown": "PgDn",
    "PageUp": "PgUp",
    "Delete": "Del",
    "-": "−",
}

_TWINS = ("=", "_")
"""Signs on the same keys as + and -."""


def sign(key: str) -> str:
    """The label of a key."""
    return _SIGNS.get(key, key.upper() if len(key) == 1 else key)


def groups(keymap: Iterable[Key], words: Texts) -> list[tuple[str, list[list[str]]]]:
    """Commands and their keys; keys of one command are grouped."""
    found: dict[str, list[list[str]]] = {}
    for each in keymap:
        keys = [sign(key) for key in (*each.held, each.key)]
        known = found.setdefault(words(each.text), [])
        if keys not in known and each.key not in _TWINS:
            known.append(keys)
    return list(found.items())
