"""How the site reads docstrings: columns of names and words as lists; fields of pydantic with their descriptions."""

from __future__ import annotations

import ast
import re
from typing import Any

from griffe import Attribute, Docstring, ExprCall, ExprKeyword, Extension, Object

ENTRY = re.compile(r"(?P<names>\S+(?: \S+)*)(?P<gap>  +)(?P<text>\S.*)")
"""A line such as `solver      "exact" or "stepped"`: names, a gap of two blanks or more, and words."""


class Plain(Extension):
    """Makes Markdown of carom's docstrings, which are made to be read as they stand."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Look at one name, once all are known."""
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
    """A paragraph of names and words in two columns as a list; any other as it is."""
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
