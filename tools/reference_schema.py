"""A JSON Schema as Markdown: a table of its keys, and one per kind of table in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

Schema = dict[str, Any]

NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
WORDS = {"string": "text", "boolean": "`true` or `false`", "number": "number", "integer": "whole number"}


def table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    """A table as lines of Markdown; line breaks in cells become blanks."""
    cells = (" | ".join(" ".join(_plain(text).split()) for text in row) for row in rows)
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {row} |" for row in cells)]


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def keys(schema: Schema) -> list[str]:
    """The table of a schema's keys."""
    needed = schema.get("required", [])
    rows = (
        [f"`{name}`", _value(one), "needed" if name in needed else _default(one), one.get("description", "")]
        for name, one in schema["properties"].items()
    )
    return table(["key", "value", "default", "meaning"], rows)


def parts(schema: Schema, leave_out: frozenset[str] = frozenset()) -> list[str]:
    """One section per kind of table, in the order in which keys refer to them."""
    lines = []
    for name in _order(schema, leave_out):
        one = schema["$defs"][name]
        told = _plain(one.get("description", "").partition("\n\n")[0])  # the rest is for Python
        lines += ["", f"## {name}", "", *told.splitlines(), "", *keys(one)]
    return lines


def _order(schema: Schema, leave_out: frozenset[str]) -> list[str]:
    found: list[str] = []
    waiting = [schema]
    while waiting:
        for name in _references(waiting.pop(0).get("properties", {})):
            if name not in found and name not in leave_out:
                found.append(name)
                waiting.append(schema["$defs"][name])
    return found


def _references(part: Any) -> Iterator[str]:
    """The kinds of table that a part of a schema refers to, in order."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"].removeprefix("#/$defs/")
        for name, one in part.items():
            if name not in ("discriminator", "default"):
                yield from _references(one)
    elif isinstance(part, list):
        for one in part:
            yield from _references(one)


def _value(one: Schema) -> str:  # noqa: PLR0911  # the cases of JSON Schema
    """The type of a value in words."""
    if "$ref" in one:
        name = one["$ref"].removeprefix("#/$defs/")
        return f"[{name}](#{name.lower()})"
    if "const" in one:
        return f"`{json.dumps(one['const'])}`"
    if "enum" in one:
        return _either([f"`{json.dumps(each)}`" for each in one["enum"]])
    for word in ("anyOf", "oneOf"):
        if word in one:
            return _either([_value(each) for each in one[word] if each.get("type") != "null"])
    if one.get("type") == "array":
        return _list(one)
    if one.get("type") == "object":
        each = one.get("additionalProperties")
        return f"table; each value {_value(each)}" if isinstance(each, dict) else "table"
    return WORDS.get(one.get("type", ""), "anything") + _bounds(one)


def _list(one: Schema) -> str:
    low, high = one.get("minItems"), one.get("maxItems")
    first = (one.get("prefixItems") or [one.get("items", {})])[0]
    what = _value(first)
    if what.startswith(("number", "whole number")) and high is not None:
        count = NUMBERS.get(high, str(high)) if low == high else f"{NUMBERS.get(low or 0, low)} or {NUMBERS[high]}"
        return f"{count} {what.replace('number', 'numbers', 1)}"
    return f"list of ({what})" if " " in what else f"list of {what}"


def _bounds(one: Schema) -> str:
    if "exclusiveMinimum" in one:
        low = f" above {_number(one['exclusiveMinimum'])}"
        return low + (f", at most {_number(one['maximum'])}" if "maximum" in one else "")
    if "minimum" in one and "maximum" in one:
        return f" from {_number(one['minimum'])} to {_number(one['maximum'])}"
    return f", {_number(one['minimum'])} or more" if "minimum" in one else ""


def _number(value: float) -> str:
    return f"{value:g}" if value != 3.141592653589793 else "π"


def _either(choices: list[str]) -> str:
    """Join choices in a sentence; semicolons separate those with several words."""
    distinct = list(dict.fromkeys(choices))
    if "number" in distinct and "whole number" in distinct:
        distinct.remove("whole number")
    if any(" " in each for each in distinct):
        return "; or ".join(distinct)
    return " or ".join([", ".join(distinct[:-1]), distinct[-1]] if len(distinct) > 1 else distinct)


def _default(one: Schema) -> str:
    if "default" not in one or one["default"] is None:
        return ""
    default = one["default"]
    if isinstance(default, dict):
        return f"`kind = {json.dumps(default['kind'])}`" if "kind" in default else "its defaults" if default else "none"
    return {"": "empty", "[]": "none"}.get(str(default), f"`{json.dumps(default, ensure_ascii=False)}`")
