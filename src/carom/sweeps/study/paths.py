"""Paths into a scene or a run plan, such as `generator.count` or `balls[0].velocity[1]`.

`steps_of` reads a path, `prepare` makes the place that it names if the scene knows it, and `put` puts a value there.
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

__all__ = ["NOT_SWEPT", "Steps", "located", "prepare", "put", "steps_of"]

Steps: TypeAlias = tuple[str | int, ...]
"""A path, step by step: keys of tables and numbers of rows."""

_LONGEST = 200
_STEP = re.compile(r"(?P<key>[A-Za-z_][A-Za-z0-9_-]*)|\[(?P<row>[0-9]{1,9})\]")
_EXAMPLE = 'Write it as "generator.count" or "balls[0].velocity[1]".'
_MADE = ("boundary", "balls", "obstacles")
"""What a generator makes, and a scene with one cannot have besides."""
NOT_SWEPT = ("schema", "name", "description", "look_at", "view")
"""What changes nothing in a run."""


@cache
def steps_of(path: str) -> Steps:
    """The steps of a path; a fault if it is none."""
    if not path or len(path) > _LONGEST:
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


def put(content: Any, steps: Steps, value: object) -> Any:
    """The content with a value at a place that is there; what is on the way is copied, the rest is shared."""
    if not steps:
        return value
    steps = located(content, steps)
    copy = content.copy()
    copy[steps[0]] = put(content.get(steps[0]) if isinstance(content, dict) else content[steps[0]], steps[1:], value)
    return copy


def prepare(content: dict[str, Any], steps: Steps) -> dict[str, Any]:
    """The document of a scene with the place made at which the steps end; a fault if a scene knows no such place.

    What a scene has by default, or by its generator, is written out on the way, so that one component of it can be
    changed.
    """
    if steps[0] in _MADE and "generator" in content:
        raise fault("path.boundary-made" if steps[0] == "boundary" else "path.made", name=steps[0])
    steps = located(content, steps)
    generator = content.get("generator")
    forms: list[dict[str, Any]] = [_scene_form("" if generator is None else str(generator.get("kind")))]
    walked: list[str | int] = []
    nodes: list[Any] = [content]
    for at, step in enumerate(steps):
        node = nodes[-1]
        forms = _entered(forms, node, step, place(walked))
        walked.append(step)
        if at + 1 < len(steps):
            child = node.get(step) if isinstance(node, dict) else node[step]
            nodes.append(_opened(child, steps[at + 1], content, walked))
    made: Any = nodes.pop()
    for step, node in zip(reversed(steps[:-1]), reversed(nodes), strict=True):
        node = node.copy()  # noqa: PLW2901  # what is on the way is copied
        node[step] = made
        made = node
    result: dict[str, Any] = made
    return result


def located(content: Any, steps: Steps) -> Steps:
    """`balls[3].mass` where balls are a table of columns: `balls.mass[3]`."""
    if len(steps) < 3 or not isinstance(content, dict) or not isinstance(steps[1], int):
        return steps
    columns = isinstance(content.get(steps[0]), dict) and steps[0] in {"balls", "links", "bends"}
    return (steps[0], steps[2], steps[1], *steps[3:]) if columns else steps


def _entered(forms: Sequence[dict[str, Any]], node: Any, step: str | int, where: str) -> list[dict[str, Any]]:
    """The forms that stand behind a step."""
    if isinstance(step, int):
        return _row(forms, node, step, where)
    if not isinstance(node, dict):
        raise fault("path.rows", node=where or "it", place=where, step=step)
    fitting = [form for form in forms if "properties" in form and _fits(form, node)]
    known = {key: value for form in fitting for key, value in form["properties"].items()}
    if step not in known:
        hint = nearest(step, known) if known else Phrase("path.check")
        raise fault("path.unknown" if where else "path.unknown-here", step=repr(step), place=where, hint=hint)
    return [inner for form in fitting if step in form["properties"] for inner in _flat(form["properties"][step])]


def _row(forms: Sequence[dict[str, Any]], node: Any, step: int, where: str) -> list[dict[str, Any]]:
    if not isinstance(node, list):
        raise fault("path.no-rows", place=where, step=step)
    if step >= len(node):
        problem = "path.beyond" if node else "path.no-row"
        raise fault(problem, place=where, step=step, count=len(node), last=len(node) - 1)
    inner = [form["items"] for form in forms if "items" in form]
    inner += [form["prefixItems"][step] for form in forms if step < len(form.get("prefixItems", ()))]
    return [flat for form in inner for flat in _flat(form)]


def _fits(form: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Is a table of the kind that a form describes?"""
    kind = form["properties"].get("kind", {}).get("const")
    return kind is None or kind == node.get("kind")


def _opened(child: Any, onward: str | int, content: dict[str, Any], walked: Sequence[str | int]) -> Any:
    """What stands at a place, in the form that the next step needs: as it is, or as the scene has it."""
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
    """What a scene has at a place, defaults included; None if it has nothing there."""
    found: Any = scene
    for step in steps:
        try:
            found = found[step] if isinstance(step, int) else getattr(found, step)
        except (AttributeError, IndexError, TypeError):
            return None
    return found


def _plain(value: Any) -> Any:
    """A part of a scene as tables, lists, numbers and words."""
    if isinstance(value, Part):
        fields = {name: _plain(getattr(value, name)) for name in type(value).model_fields}
        return {name: field for name, field in fields.items() if field is not None and field != []}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


# The form of a scene: its JSON Schema, with the references followed.


@cache
def _schema() -> dict[str, Any]:
    known = scene_schema()
    return known | {"properties": {k: form for k, form in known["properties"].items() if k not in NOT_SWEPT}}


@lru_cache(maxsize=64)
def _scene_form(kind: str) -> dict[str, Any]:
    """The form of a scene; with a generator, that of its kind."""
    schema = _schema()
    if not kind:
        properties = {key: form for key, form in schema["properties"].items() if key != "generator"}
    else:
        options = generators()[kind].model_json_schema()["properties"] if kind in generators() else {}
        generator = {"properties": {"kind": {"type": "string"}, **options}}
        properties = {key: form for key, form in schema["properties"].items() if key not in _MADE}
        properties["generator"] = generator
    return {"properties": properties}


def _flat(form: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The single forms of which one is to fit."""
    if "$ref" in form:
        yield from _flat(_schema()["$defs"][form["$ref"].rpartition("/")[2]])
        return
    choices = [*form.get("anyOf", ()), *form.get("oneOf", ())]
    if not choices:
        yield dict(form)
    for choice in choices:
        yield from _flat(choice)
