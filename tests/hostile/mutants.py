"""Mutated scene and study files: changed keys and values, characters and bytes."""

import json
import math
from collections.abc import Mapping
from typing import Any

import tomli_w
from hypothesis import strategies as st

from hostile.doors import leaves

NASTY = "\x1b[31m\x07\x9b2J\u202e\u2028\n\r<script>alert(1)</script>$\\frac{</toml>{{7*7}}../../etc/passwd%s%n"
"""A name with escape codes, markup, direction marks, line breaks and paths."""
SLY = "\u202e\u200b<script>alert(1)</script>$\\frac{</toml>{{7*7}}../../etc/passwd%s%n"
"""A name that a scene accepts: direction marks, markup and paths, but no control character."""
VALUES = [
    *(math.nan, math.inf, -math.inf, -0.0, 0, -1, 1, 2**63, -(2**63), 10**30, 10**400, 1e-320, 1e308, 1e150, 1e-150),
    *(1_000_000_000, 10**12, 0.5, True, False, "", "x", NASTY, SLY, "\0", "a" * 70_000, "1e999", "nan"),
    *([], {}, [[]], [{}], [1], [1, 2], [1, 2, 3], [[1, 2], [3]], ["a", 1, None], {"kind": "box"}, {"a": {"b": [1]}}),
    *([math.nan, math.nan], [1e150, 1e150], [-1e150, 1e150], [[0, 0]] * 50, {"kind": NASTY}, {NASTY: NASTY}),
]
KEYS = [
    *("kind", "balls", "count", "generator", "structures", "schema", "", "a.b"),
    *(NASTY, "\ud800", "é" * 300, "__class__"),
]


def changed(content: Any, path: tuple[str | int, ...], do: Any) -> Any:
    """Return the document with another value at a place; levels on the way are copied."""
    if not path:
        return do(content)
    first, *rest = path
    copy = content.copy()
    copy[first] = changed(content[first], tuple(rest), do)
    return copy


@st.composite
def documents(draw: st.DrawFn, originals: Mapping[str, Any]) -> Any:
    """One of the documents, with one to four changes of its keys and values."""
    content = originals[draw(st.sampled_from(sorted(originals)))]
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(list(leaves(content))[:200]))
        value = draw(st.sampled_from(VALUES) | st.floats() | st.integers(-5, 5) | st.text(max_size=5))
        key = draw(st.sampled_from(KEYS))
        how = draw(st.sampled_from(["replace", "add", "drop", "repeat"]))

        def change(node: Any, value: Any = value, key: str = key, how: str = how) -> Any:
            if isinstance(node, dict) and how == "add":
                return {**node, key: value}
            if isinstance(node, dict) and how == "drop" and node:
                return dict(list(node.items())[1:])
            if isinstance(node, list) and how in {"add", "repeat"}:
                return [*node, value] if how == "add" else node * 3
            return value

        content = changed(content, path, change)
    return content


def as_json(content: Any) -> str:
    """Encode as JSON, with NaN and surrogates, which are invalid."""
    return json.dumps(content)


def as_toml(content: Any) -> str | None:
    """Encode as TOML; None if TOML cannot express it."""
    try:
        text = tomli_w.dumps(content)
        text.encode()
    except (TypeError, ValueError, AttributeError):
        return None
    return text


@st.composite
def texts(draw: st.DrawFn, originals: list[str]) -> bytes:
    """One of the texts as bytes, cut, with bytes changed, doubled or put in, or in another encoding."""
    text = draw(st.sampled_from(originals))
    raw = bytearray(text.encode(draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32"]))))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(raw)))
        how = draw(st.sampled_from(["cut", "change", "insert", "double"]))
        if how == "cut":
            del raw[at : at + draw(st.integers(1, 200))]
        elif how == "change" and at < len(raw):
            raw[at] = draw(st.integers(0, 255))
        elif how == "insert":
            raw[at:at] = draw(st.sampled_from(SNIPPETS) | st.binary(max_size=6))
        else:
            raw[at:at] = raw[at : at + 80]
    return bytes(raw)


SNIPPETS = [
    *(b"[", b"]", b"{", b"}", b"=", b",", b'"', b"'", b"'''", b'"""', b"\\", b"#", b"\n", b"\r", b"\0", b"\x1b[2J"),
    *(b"nan", b"inf", b"-", b"1e999", b"9" * 400, b"9" * 5000, b"0x", b"1_0", b"1979-05-27", b"\\u001b", b"\\ud800"),
    *(b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"[" * 3000, b"{a=" * 500, b"a." * 500, b"true", b"null", b"NaN"),
]
