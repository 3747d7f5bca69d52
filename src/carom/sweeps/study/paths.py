"""Paths into a scene or a run plan, such as `generator.count` or `balls[0].velocity[1]`.

`steps_of` parses a path, `prepare` makes sure that the document has its place, and `set_value` sets a value there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypeAlias

import numpy as np

from carom.messages.phrase import Phrase
from carom.scene import Scene
from carom.scene.fields.base import Part, fault, nearest, place, shown
from carom.scene.io.files import build
from carom.scene.io.files import schema as scene_schema
from carom.scene.library import generators

__all__ = ["NOT_SWEPT", "Steps", "locate", "prepare", "set_value", "steps_of"]

Steps: TypeAlias = tuple[str | int, ...]
"""A parsed path: keys of tables and numbers of rows."""

_MAX_LENGTH = 200
_STEP = re.compile(r"(?P<key>[A-Za-z_][A-Za-z0-9_-]*)|\[(?P<row>[0-9]{1,9})\]")
_GENERATED = ("boundary", "balls", "obstacles")
"""Made by the generator, so that a scene with one cannot have them too."""
NOT_SWEPT = ("schema", "name", "description", "look_at", "view")
"""Keys that do not affect a run."""


@cache
def steps_of(path: str) -> Steps:
    """Parse a path; a fault if it is invalid."""
    if not path or len(path) > _MAX_LENGTH:
        raise fault("path.not-one", value=shown(path))
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        after_dot = path[at] == "."
        found = _STEP.match(path, at + after_dot)
        wrong = found is None or after_dot != (bool(steps) and found["key"] is not None)
        if found is None or wrong or (not steps and found["key"] is None):
            raise fault("path.not-one", value=shown(path))
        steps.append(found["key"] if found["key"] is not None else int(found["row"]))
        at = found.end()
    return tuple(steps)


def set_value(content: Any, steps: Steps, value: object) -> Any:
    """Return the content with a value set at an existing place; only changed levels are copied."""
    if not steps:
        return value
    steps = locate(content, steps)
    copy = content.copy()
    copy[steps[0]] = set_value(
        content.get(steps[0]) if isinstance(content, dict) else content[steps[0]], steps[1:], value
    )
    return copy


def prepare(content: dict[str, Any], steps: Steps) -> dict[str, Any]:
    """Return the document with the place of a path made; a fault if scenes have no such place.

    Defaults and values of the generator on the way are written out, so that one component of them can be set.
    """
    if steps[0] in _GENERATED and "generator" in content:
        raise fault("path.boundary-made" if steps[0] == "boundary" else "path.made", name=steps[0])
    steps = locate(content, steps)
    generator = content.get("generator")
    schemas: list[dict[str, Any]] = [_scene_schema("" if generator is None else str(generator.get("kind")))]
    walked: list[str | int] = []
    nodes: list[Any] = [content]
    for at, step in enumerate(steps):
        node = nodes[-1]
        schemas = _schemas_behind(schemas, node, step, place(walked))
        walked.append(step)
        if at + 1 < len(steps):
            child = node.get(step) if isinstance(node, dict) else node[step]
            nodes.append(_enterable(child, steps[at + 1], content, walked))
    made: Any = nodes.pop()
    for step, node in zip(reversed(steps[:-1]), reversed(nodes), strict=True):
        node = node.copy()  # noqa: PLW2901  # levels on the way are copied
        node[step] = made
        made = node
    result: dict[str, Any] = made
    return result


def locate(content: Any, steps: Steps) -> Steps:
    """Translate `balls[3].mass` to `balls.mass[3]` if balls are a table of columns."""
    if len(steps) < 3 or not isinstance(content, dict) or not isinstance(steps[1], int):
        return steps
    columns = isinstance(content.get(steps[0]), dict) and steps[0] in {"balls", "links", "bends"}
    return (steps[0], steps[2], steps[1], *steps[3:]) if columns else steps


def _schemas_behind(schemas: Sequence[dict[str, Any]], node: Any, step: str | int, where: str) -> list[dict[str, Any]]:
    """The schemas behind a step."""
    if isinstance(step, int):
        return _schemas_of_row(schemas, node, step, where)
    if not isinstance(node, dict):
        raise fault("path.rows", node=where or "it", place=where, step=step)
    fitting = [schema for schema in schemas if "properties" in schema and _fits(schema, node)]
    known = {key: value for schema in fitting for key, value in schema["properties"].items()}
    if step not in known:
        hint = nearest(step, known) if known else Phrase("path.check")
        raise fault("path.unknown" if where else "path.unknown-here", step=repr(step), place=where, hint=hint)
    return [
        inner
        for schema in fitting
        if step in schema["properties"]
        for inner in _alternatives(schema["properties"][step])
    ]


def _schemas_of_row(schemas: Sequence[dict[str, Any]], node: Any, step: int, where: str) -> list[dict[str, Any]]:
    if not isinstance(node, list):
        raise fault("path.no-rows", place=where, step=step)
    if step >= len(node):
        problem = "path.beyond" if node else "path.no-row"
        raise fault(problem, place=where, step=step, count=len(node), last=len(node) - 1)
    inner = [schema["items"] for schema in schemas if "items" in schema]
    inner += [schema["prefixItems"][step] for schema in schemas if step < len(schema.get("prefixItems", ()))]
    return [flat for schema in inner for flat in _alternatives(schema)]


def _fits(schema: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Does a table match the `kind` of a schema?"""
    kind = schema["properties"].get("kind", {}).get("const")
    return kind is None or kind == node.get("kind")


def _enterable(child: Any, onward: str | int, content: dict[str, Any], walked: Sequence[str | int]) -> Any:
    """The value at a place if the next step can enter it, else the value of the built scene."""
    wanted = list if isinstance(onward, int) else dict
    if isinstance(child, list | dict):
        return child
    if walked[0] == "generator":
        raise fault("path.single", walked=place(walked), rest=repr(place([onward])))
    actual = _plain(_actual(build(content), walked))
    if actual is None and wanted is dict:
        return {}
    if not isinstance(actual, wanted):
        raise fault("path.without-rows" if wanted is list else "path.without-keys", walked=place(walked))
    return actual


def _actual(scene: Scene, steps: Iterable[str | int]) -> Any:
    """The value at a place of a scene, defaults included; None if there is none."""
    found: Any = scene
    for step in steps:
        try:
            found = found[step] if isinstance(step, int) else getattr(found, step)
        except (AttributeError, IndexError, TypeError):
            return None
    return found


def _plain(value: Any) -> Any:
    """Convert a part of a scene to dicts, lists, numbers and texts."""
    if isinstance(value, Part):
        fields = {name: _plain(getattr(value, name)) for name in type(value).model_fields}
        return {name: field for name, field in fields.items() if field is not None and field != []}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


# The JSON Schema of a scene, with references resolved.


@cache
def _schema() -> dict[str, Any]:
    known = scene_schema()
    return known | {"properties": {k: schema for k, schema in known["properties"].items() if k not in NOT_SWEPT}}


@lru_cache(maxsize=64)
def _scene_schema(kind: str) -> dict[str, Any]:
    """The schema of a scene; with a generator, that of its kind."""
    known = _schema()["properties"]
    if not kind:
        properties = {key: schema for key, schema in known.items() if key != "generator"}
    else:
        options = generators()[kind].model_json_schema()["properties"] if kind in generators() else {}
        generator = {"properties": {"kind": {"type": "string"}, **options}}
        properties = {key: schema for key, schema in known.items() if key not in _GENERATED}
        properties["generator"] = generator
    return {"properties": properties}


def _alternatives(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The alternatives of a schema, one by one."""
    if "$ref" in schema:
        yield from _alternatives(_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
        return
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if not choices:
        yield dict(schema)
    for choice in choices:
        yield from _alternatives(choice)
