"""Scenes in files: TOML or JSON to and from `Scene`, with errors that name file, key, value and remedy."""

from __future__ import annotations

import json
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import tomli_w

from carom.atomic_write import write_text
from carom.errors import Problem, SceneError
from carom.scene.fields.base import fault, nearest, shown, unknown_keys
from carom.scene.io.document import document
from carom.scene.model import Scene

__all__ = [
    "LARGEST_FILE",
    "MOST_VALUES",
    "SCHEMA_VERSION",
    "as_toml",
    "build",
    "check_version",
    "dump",
    "dumps",
    "load",
    "loads",
    "parse",
    "read",
    "schema",
    "values_in",
]

Format = Literal["toml", "json"]

SCHEMA_VERSION = 1
"""Version of the form of scene files, in their key `schema`."""
LARGEST_FILE = 200_000_000
"""Largest scene file, in bytes."""
MOST_VALUES = 12_000_000
"""Most values in a file: a million balls with all their numbers. Empty lists, of three letters each, take 70 bytes."""
MOST_STEPS = 30
"""Most names in a key with dots, a.b.c: the time that the parser of TOML takes grows with their square."""

_LONG_KEY = re.compile(
    rf"""(?<![\w."'-])(?:(?>[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[\ \t]*+\.[\ \t]*+){{{MOST_STEPS}}}""", re.ASCII
)
"""A key of too many names, bare or in quotes."""

_ELEMENT = r'(?:"[^"\\\n]*"|[^\s\[\]",]+)'
_SHORT_LIST = re.compile(rf"\[\n\s+({_ELEMENT}(?:,\n\s+{_ELEMENT}){{0,5}}),\n\s*\]")
"""Up to six numbers or words as the TOML writer sets them, one a line. No string of a file holds a line break."""

_GENERATED = ("boundary", "balls", "obstacles")


def load(path: str | Path) -> Scene:
    """The scene in a file that ends with .toml or .json."""
    path = Path(path)
    try:
        return _scene(read(path))
    except SceneError as error:
        raise SceneError(error.problems, source=str(path)) from None


def read(path: str | Path) -> dict[str, Any]:
    """What a file that ends with .toml or .json holds, as plain tables; nothing is known yet of what it means."""
    path = Path(path)
    form = _format(path)
    return parse(_text(path), form)


def build(content: Mapping[str, Any]) -> Scene:
    """The scene of plain tables as a file holds them, which stay as they are."""
    generator = content.get("generator")
    kept = {"generator": dict(generator)} if isinstance(generator, dict) else {}
    return _scene({**content, **kept})


def loads(text: str, format: Format = "toml", *, name: str = "") -> Scene:  # noqa: A002  # the word that users know
    """The scene in a text; errors begin with `name`."""
    try:
        return _scene(parse(text, format))
    except SceneError as error:
        raise SceneError(error.problems, source=name) from None


def dump(scene: Scene, path: str | Path) -> None:
    """Write a scene to a file that ends with .toml or .json, whole or not at all."""
    path = Path(path)
    try:
        text = dumps(scene, _format(path))
    except SceneError as error:
        raise SceneError(error.problems, source=str(path)) from None
    write_text(path, text)


def dumps(scene: Scene, format: Format = "toml") -> str:  # noqa: A002  # the word that users know
    """A scene as text; reading it gives the same scene, to the last bit."""
    content = {"schema": SCHEMA_VERSION, **document(scene)}
    if _known_format(format) == "json":
        return json.dumps(content, indent=None if len(scene.balls) > 100 else 2, ensure_ascii=False) + "\n"
    return as_toml(content)


def as_toml(content: Mapping[str, Any]) -> str:
    """Plain tables as TOML, short lists on a line."""
    return _SHORT_LIST.sub(_on_one_line, tomli_w.dumps(content))


def schema() -> dict[str, Any]:
    """The JSON Schema of scene files."""
    generated = Scene.model_json_schema()
    version = {"const": SCHEMA_VERSION, "default": SCHEMA_VERSION, "description": "version of the form of this file"}
    generator = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string", "description": "name of a scene of the library"}},
        "description": "makes boundary and balls: the kind, and the generator's own options",
        "additionalProperties": True,
    }
    properties = {"schema": version, "generator": generator, **generated.pop("properties")}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **generated,
        "title": "carom scene",
        "properties": properties,
    }


def _scene(content: dict[str, Any]) -> Scene:
    """The scene of a file's tables. Keys that a scene does not know are told beside all that is wrong with the rest."""
    check_version(content.pop("schema", SCHEMA_VERSION))
    known = ("generator", *Scene.model_fields)
    problems = unknown_keys(content, ["schema", *known])
    content = {key: value for key, value in content.items() if key in known}
    try:
        scene = _generated(content.pop("generator"), content) if "generator" in content else Scene(**content)
    except SceneError as error:
        raise SceneError([*problems, *error.problems]) from None
    if problems:
        raise SceneError(problems)
    return scene


def _on_one_line(found: re.Match[str]) -> str:
    elements = re.split(r",\n\s+", found[1])
    return f"[{', '.join(elements)}]"


def check_version(version: object) -> None:
    """Refuse a file of a later form than this one."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise fault(f"{shown(version)} is not a version", f"Write schema = {SCHEMA_VERSION}.", where="schema")
    if version > SCHEMA_VERSION:
        what = f"the file has version {version}, and this carom reads up to version {SCHEMA_VERSION}"
        raise fault(what, "Update carom: pip install --upgrade carom.", where="schema")


def _generated(options: Any, changes: dict[str, Any]) -> Scene:
    """The scene of a generator, with the other keys of the file in place of its own."""
    from carom.scene import library  # noqa: PLC0415  # the library reads its scenes with this module

    both = [key for key in _GENERATED if key in changes]
    if both:
        raise fault("given together with a generator, which makes its own", "Leave one of them out.", where=both[0])
    if not isinstance(options, dict):
        raise fault(f"{shown(options)} is not a table", "Write a table with a kind.", where="generator")
    kind = options.pop("kind", None)
    if not isinstance(kind, str) or kind not in library.names():
        what = "is missing" if kind is None else f"{shown(kind)} is not a scene of the library"
        raise fault(what, nearest(str(kind), library.names(), "kinds"), where="generator.kind")
    try:
        scene = library.load(kind, **options)
    except SceneError as error:
        raise SceneError(problem.inside("generator") for problem in error.problems) from None
    return scene.replace(**changes) if changes else scene


def _format(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix not in {".toml", ".json"}:
        raise fault(f"the ending {suffix!r} tells no format", "Name the file .toml or .json.")
    return _known_format(suffix[1:])


def _known_format(name: str) -> Format:
    if name not in _PARSERS:
        raise fault(f"{name!r} is not a format of scenes", "Use 'toml' or 'json'.")
    return "json" if name == "json" else "toml"


def _text(path: Path) -> str:
    """The text of a file, or a clear word on why there is none."""
    if "\0" in str(path):
        raise fault("the name is not one a file can have", "Check the name.")
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(found.st_mode):  # a pipe may never end, a device never does
            raise fault("is a device or a pipe, not a file", "Save it as a file first.")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1) if found.st_size <= LARGEST_FILE else b""
        if max(len(content), found.st_size) > LARGEST_FILE:
            what = f"the file has {found.st_size / 1e6:.0f} MB, and the limit is {LARGEST_FILE / 1e6:.0f} MB"
            raise fault(what, "Make so many balls in Python with Balls(...), or with a generator.")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise SceneError([_unreadable(error)]) from None
    except UnicodeDecodeError as error:
        what = f"byte {error.start} is not UTF-8 text"
        raise fault(what, "Save the file as UTF-8.") from None


def _unreadable(error: OSError) -> Problem:
    """Why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        what, remedy = "there is no such file", "Check the name."
    elif isinstance(error, IsADirectoryError):
        what, remedy = "is a folder, not a file", "Name a file in it."
    else:
        what, remedy = f"cannot be read ({error.strerror})", "Check the name and the permissions."
    return Problem("", what, remedy)


def parse(text: str, format: str) -> dict[str, Any]:  # noqa: A002  # as in loads
    """What a text holds, as plain tables."""
    parser = _PARSERS[_known_format(format)]
    values = values_in(text)
    if values > MOST_VALUES:
        what = f"about {values:,} values, and {MOST_VALUES:,} is the most"
        raise fault(what, "Make so many balls in Python with Balls(...), or with a generator.")
    try:
        content = parser(text)
    except RecursionError:
        raise fault("tables or lists are nested too deeply", "Write a scene as in the documentation.") from None
    except SceneError:
        raise
    except ValueError as error:
        raise SceneError([_syntax(error)]) from None
    if not isinstance(content, dict):
        raise fault(f"{shown(content)} is not a table", 'Write keys and values: {"balls": [...]}.')
    return content


def values_in(text: str) -> int:
    """About how many values a text holds, TOML or JSON; never much fewer than there are."""
    return text.count(",") + text.count("[") + text.count("{") + text.count("=")


def _toml(text: str) -> Any:
    found = _LONG_KEY.search(text) if text.count(".") >= MOST_STEPS else None
    if found:
        where = f"line {text.count(chr(10), 0, found.start()) + 1}"
        raise fault(f"a key of more than {MOST_STEPS} names", "Write a scene as in the documentation.", where=where)
    return tomllib.loads(text + "\n")  # so that a mistake in the last line is told with its line


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_duplicates)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, number in times.items() if number > 1)
        raise fault("the key is there twice in one table", "Keep one of them.", where=twice)
    return content


_PARSERS: dict[str, Callable[[str], Any]] = {"toml": _toml, "json": _json}


def _syntax(error: ValueError) -> Problem:
    """A parser's complaint, with the line in front."""
    if isinstance(error, json.JSONDecodeError):
        return Problem(f"line {error.lineno}, column {error.colno}", f"not JSON: {error.msg}", "Mend the line.")
    message = str(error)
    found = re.search(r"\(at (line \d+, column \d+|end of document)\)", message)
    where = found[1] if found else ""
    what = message[: found.start()].strip() if found else message
    twice = re.match(r"Cannot (overwrite|declare)", what)
    return Problem(where, f"not TOML: {what}", "Keep one of the two." if twice else "Mend the line.")
