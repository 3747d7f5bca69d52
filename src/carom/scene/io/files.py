"""Read and write scenes as TOML or JSON, with errors that name file, key, value and remedy."""

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
from carom.errors import SceneError
from carom.scene.fields.base import fault, nearest, shown, unknown_keys
from carom.scene.io.document import document
from carom.scene.model import Scene

__all__ = [
    "MAX_FILE_SIZE",
    "MAX_VALUES",
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
"""Version of the format of scene files, in their key `schema`."""
MAX_FILE_SIZE = 200_000_000
"""Largest scene file, in bytes."""
MAX_VALUES = 12_000_000
"""Largest number of values in a file: a million balls with all their numbers. An empty list takes 70 bytes."""
MAX_KEY_PARTS = 30
"""Largest number of parts of a dotted key, a.b.c: the time of the TOML parser grows with their square."""

_LONG_KEY = re.compile(
    rf"""(?<![\w."'-])(?:(?>[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[\ \t]*+\.[\ \t]*+){{{MAX_KEY_PARTS}}}""", re.ASCII
)
"""A key with too many parts, bare or in quotes."""

_ELEMENT = r'(?:"[^"\\\n]*"|[^\s\[\]",]+)'
_SHORT_LIST = re.compile(rf"\[\n\s+({_ELEMENT}(?:,\n\s+{_ELEMENT}){{0,5}}),\n\s*\]")
"""Up to six numbers or words as the TOML writer formats them, one per line. No string of a file has a line break."""

_GENERATED = ("boundary", "balls", "obstacles")


def load(path: str | Path) -> Scene:
    """Read the scene of a file that ends with .toml or .json."""
    path = Path(path)
    try:
        return _scene(read(path))
    except SceneError as error:
        raise SceneError(error.problems, source=str(path)) from None


def read(path: str | Path) -> dict[str, Any]:
    """Read a file that ends with .toml or .json as plain tables, without checks of their meaning."""
    path = Path(path)
    form = _format(path)
    return parse(_text(path), form)


def build(content: Mapping[str, Any]) -> Scene:
    """Make the scene of plain tables, which are not changed."""
    generator = content.get("generator")
    kept = {"generator": dict(generator)} if isinstance(generator, dict) else {}
    return _scene({**content, **kept})


def loads(text: str, format: Format = "toml", *, name: str = "") -> Scene:  # noqa: A002  # the word that users know
    """Read the scene of a text; errors begin with `name`."""
    try:
        return _scene(parse(text, format))
    except SceneError as error:
        raise SceneError(error.problems, source=name) from None


def dump(scene: Scene, path: str | Path) -> None:
    """Write a scene to a file that ends with .toml or .json, completely or not at all."""
    path = Path(path)
    try:
        text = dumps(scene, _format(path))
    except SceneError as error:
        raise SceneError(error.problems, source=str(path)) from None
    write_text(path, text)


def dumps(scene: Scene, format: Format = "toml") -> str:  # noqa: A002  # the word that users know
    """Convert a scene to text; reading it gives an equal scene, to the last bit."""
    content = {"schema": SCHEMA_VERSION, **document(scene)}
    if _known_format(format) == "json":
        return json.dumps(content, indent=None if len(scene.balls) > 100 else 2, ensure_ascii=False) + "\n"
    return as_toml(content)


def as_toml(content: Mapping[str, Any]) -> str:
    """Format plain tables as TOML, with short lists on one line."""
    return _SHORT_LIST.sub(_on_one_line, tomli_w.dumps(content))


def schema() -> dict[str, Any]:
    """The JSON Schema of scene files."""
    generated = Scene.model_json_schema()
    version = {"const": SCHEMA_VERSION, "default": SCHEMA_VERSION, "description": "version of the format of this file"}
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
    """Make the scene of a file's tables. Unknown keys are reported together with all other problems."""
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
    """Refuse a file with a later version of the format."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise fault("file.no-version", where="schema", version=shown(version), schema=SCHEMA_VERSION)
    if version > SCHEMA_VERSION:
        raise fault("file.later-version", where="schema", version=version, schema=SCHEMA_VERSION)


def _generated(options: Any, changes: dict[str, Any]) -> Scene:
    """Make the scene of a generator; the other keys of the file override its fields."""
    from carom.scene import library  # noqa: PLC0415  # the library reads its scenes with this module

    both = [key for key in _GENERATED if key in changes]
    if both:
        raise fault("file.with-generator", where=both[0])
    if not isinstance(options, dict):
        raise fault("generator.not-a-table", where="generator", value=shown(options))
    kind = options.pop("kind", None)
    if not isinstance(kind, str) or kind not in library.names():
        problem = "generator.no-kind" if kind is None else "generator.not-in-library"
        hint = nearest(str(kind), library.names(), "kinds")
        raise fault(problem, where="generator.kind", kind=shown(kind), hint=hint)
    try:
        scene = library.load(kind, **options)
    except SceneError as error:
        raise SceneError(problem.inside("generator") for problem in error.problems) from None
    return scene.replace(**changes) if changes else scene


def _format(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix not in {".toml", ".json"}:
        raise fault("file.ending", suffix=repr(suffix))
    return _known_format(suffix[1:])


def _known_format(name: str) -> Format:
    if name not in _PARSERS:
        raise fault("file.format", value=repr(name))
    return "json" if name == "json" else "toml"


def _text(path: Path) -> str:
    """Read the text of a file; an error tells why it cannot be read."""
    if "\0" in str(path):
        raise fault("file.bad-name")
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(found.st_mode):  # pipes and devices may have no end
            raise fault("file.device")
        with path.open("rb") as file:
            content = file.read(MAX_FILE_SIZE + 1) if found.st_size <= MAX_FILE_SIZE else b""
        if max(len(content), found.st_size) > MAX_FILE_SIZE:
            raise fault("file.too-large", size=f"{found.st_size / 1e6:.0f}", limit=f"{MAX_FILE_SIZE / 1e6:.0f}")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise _unreadable(error) from None
    except UnicodeDecodeError as error:
        raise fault("file.not-utf8", byte=error.start) from None


def _unreadable(error: OSError) -> SceneError:
    """The error of a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return fault("file.missing")
    if isinstance(error, IsADirectoryError):
        return fault("file.folder")
    return fault("file.unreadable", reason=str(error.strerror))


def parse(text: str, format: str) -> dict[str, Any]:  # noqa: A002  # as in loads
    """Parse a text as plain tables."""
    parser = _PARSERS[_known_format(format)]
    values = values_in(text)
    if values > MAX_VALUES:
        raise fault("file.too-many-values", count=values, most=MAX_VALUES)
    try:
        content = parser(text)
    except RecursionError:
        raise fault("file.too-deep") from None
    except SceneError:
        raise
    except ValueError as error:
        raise _syntax(error) from None
    if not isinstance(content, dict):
        raise fault("file.not-a-table", value=shown(content))
    return content


def values_in(text: str) -> int:
    """Approximate number of values in a text, TOML or JSON; never much too small."""
    return text.count(",") + text.count("[") + text.count("{") + text.count("=")


def _toml(text: str) -> Any:
    found = _LONG_KEY.search(text) if text.count(".") >= MAX_KEY_PARTS else None
    if found:
        where = f"line {text.count(chr(10), 0, found.start()) + 1}"
        raise fault("file.long-key", where=where, most=MAX_KEY_PARTS)
    return tomllib.loads(text + "\n")  # so that an error in the last line names it


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_duplicates)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, number in times.items() if number > 1)
        raise fault("file.key-twice", where=twice)
    return content


_PARSERS: dict[str, Callable[[str], Any]] = {"toml": _toml, "json": _json}


def _syntax(error: ValueError) -> SceneError:
    """The error of a parser, with the line first."""
    if isinstance(error, json.JSONDecodeError):
        return fault("file.not-json", where=f"line {error.lineno}, column {error.colno}", reason=error.msg)
    message = str(error)
    found = re.search(r"\(at (line \d+, column \d+|end of document)\)", message)
    where = found[1] if found else ""
    reason = message[: found.start()].strip() if found else message
    twice = re.match(r"Cannot (overwrite|declare)", reason)
    return fault("file.toml-twice" if twice else "file.not-toml", where=where, reason=reason)
