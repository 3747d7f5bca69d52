"""How the site reads docstrings: two columns of names and texts become lists; fields of pydantic get descriptions."""

from __future__ import annotations

import ast
import re
from typing import Any

from griffe import Attribute, Docstring, ExprCall, ExprKeyword, Extension, Object

ENTRY = re.compile(r"(?P<names>\S+(?: \S+)*)(?P<gap>  +)(?P<text>\S.*)")
"""A line such as `solver      "exact" or "stepped"`: names, two or more blanks, and a text."""


class Plain(Extension):
    """Converts carom's docstrings, which are plain text, to Markdown."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Handle one name, after all are loaded."""
        if isinstance(obj, Attribute) and isinstance(obj.value, ExprCall):
            _read_field(obj, obj.value)
        if obj.docstring is not None:
            obj.docstring.value = "\n\n".join(map(_listed, obj.docstring.value.split("\n\n")))


def _read_field(attribute: Attribute, call: ExprCall) -> None:
    """Take default and description from `Field(default=…, description=…)`, or from `written(…, …)`."""
    name = str(call.function)
    if name not in ("Field", "written"):
        return
    named = {one.name: one.value for one in call.arguments if isinstance(one, ExprKeyword)}
    plain = [one for one in call.arguments if not isinstance(one, ExprKeyword)]
    if name == "written":
        named |= dict(zip(("default", "description"), plain, strict=False))
    attribute.value = named.get("default")
    if attribute.docstring is None and "description" in named:
        attribute.docstring = Docstring(str(ast.literal_eval(str(named["description"]))), parent=attribute)


def _listed(paragraph: str) -> str:
    """Convert a paragraph of names and texts in two columns to a list; others stay."""
    lines = paragraph.split("\n")
    first = ENTRY.fullmatch(lines[0])
    if first is None:
        return paragraph
    indent = first.end("gap")
    if not all(ENTRY.match(line) or line.startswith(" " * indent) for line in lines):
        return paragraph
    items: list[str] = []
    for line in lines:
        entry = None if line.startswith(" " * indent) else ENTRY.fullmatch(line)
        if entry is None:
            items[-1] += " " + line.strip()
        else:
            names = ", ".join(f"`{name}`" for name in entry["names"].split(", "))
            items.append(f"- {names}: {entry['text']}")
    return "\n".join(items)
