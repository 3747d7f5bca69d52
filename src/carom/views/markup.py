"""SVG as text: elements, numbers, escaped strings."""

from __future__ import annotations

import re
from html import escape

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(name: str, content: str = "", /, **attributes: float | str) -> str:
    """An element. `stroke_width` becomes stroke-width, and `kind` becomes class, as these are no names in Python."""
    pairs = "".join(f' {_key(key)}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{pairs}>{content}</{name}>" if content else f"<{name}{pairs}/>"


def number(value: float) -> str:
    """A number with up to four decimals, without trailing zeros."""
    return f"{round(float(value), 4) + 0.0:.4f}".rstrip("0").rstrip(".")


def text(words: str) -> str:
    """A text, escaped for XML."""
    return escape(_NOT_XML.sub("\ufffd", words))


def _key(key: str) -> str:
    return "class" if key == "kind" else key.replace("_", "-")


def _value(value: float | str) -> str:
    return text(value) if isinstance(value, str) else number(value)
