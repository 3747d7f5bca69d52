"""The widget's JavaScript: modules of the laboratory and of the notebook, joined into one ES module.

A notebook takes one module as a text. So each module becomes a function that returns its exports, in the order of
imports. Only the syntax that these modules use is supported; anything else is an error here, not in the browser.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

ENTRY = "widget.js"
STYLES = (("carom.lab", "stage.css"), ("carom.notebook", "widget.css"))
ROOMS = ("carom.notebook", "carom.lab")

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:class|function|const) (\w+)", re.MULTILINE)
DEFAULT = re.compile(r"^export default ", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\(|\bimport\.meta\b", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?:/\*\*.*?\*/[ \t]*\n|//[^\n]*\n)", re.MULTILINE | re.DOTALL)


class ModuleFormError(ValueError):
    """A module with syntax that cannot be joined."""


@cache
def script() -> str:
    """The JavaScript of the widget as one ES module."""
    order: list[str] = []
    _visit(ENTRY, order, ())
    return "".join(_wrap(name, entry=name == ENTRY) for name in order)


@cache
def styles() -> str:
    """The widget's style sheet."""
    return "\n".join(_read(room, name) for room, name in STYLES)


def _read(room: str, name: str) -> str:
    return resources.files(room).joinpath("static", name).read_text(encoding="utf-8")


def _source(name: str) -> str:
    """The text of a module, from the notebook or the laboratory."""
    for room in ROOMS:
        if resources.files(room).joinpath("static", name).is_file():
            return _read(room, name)
    raise ModuleFormError(f"{name}: there is no such module in the static folders of {' or '.join(ROOMS)}.")


def _visit(name: str, order: list[str], above: tuple[str, ...]) -> None:
    """Add a module to the order, after its imports."""
    if name in above:
        raise ModuleFormError(f"{name}: imports itself by way of {' and '.join(above[above.index(name) + 1 :])}.")
    for found in IMPORT.finditer(_source(name)):
        if found[2] not in order:
            _visit(found[2], order, (*above, name))
    order.append(name)


def _wrap(name: str, *, entry: bool) -> str:
    """Wrap a module in a function that is called once; the entry stays a module."""
    source = _source(name)
    names = EXPORT.findall(source)
    body = COMMENT.sub("", source)
    body = IMPORT.sub(lambda found: f"const {{{_as_pattern(found[1])}}} = {_room(found[2])};", body)
    body = EXPORT.sub(lambda found: found[0].removeprefix("export "), body)
    if entry:
        body = DEFAULT.sub("export { widget as default };\nconst widget = ", body, count=1)
        unknown = OTHER.search(body.replace("export { widget as default };", "", 1))
    else:
        unknown = OTHER.search(body)
    if unknown:
        raise ModuleFormError(f"{name}: cannot be joined: {unknown[0].strip()}")
    if entry:
        return body
    return f"const {_room(name)} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();\n"


def _as_pattern(names: str) -> str:
    """Translate the names of an import to a destructuring pattern: `a as b` becomes `a: b`."""
    return re.sub(r"(\w+) as (\w+)", r"\1: \2", names)


def _room(name: str) -> str:
    return "$" + name.removesuffix(".js")
