"""Makes a plain document of the scene of a study, which may be given in several forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import Problem, SceneError
from carom.scene import Scene, library
from carom.scene.fields.base import Part, fault, place, shown
from carom.scene.io.document import document
from carom.scene.io.files import build, check_version, read
from carom.sweeps.study.paths import NOT_SWEPT

__all__ = ["as_document", "physical_part"]

_MAX_DEPTH = 32


def as_document(value: Any) -> dict[str, Any]:
    """The document of a scene: a name of the library, a file, a table, or a `Scene`.

    Generators and structures are not expanded, so that their options can be swept.
    """
    if isinstance(value, Scene):
        return _written(value)
    if isinstance(value, str) and value in library.names():
        return {"generator": {"kind": value}} if value in library.generators() else _written(library.load(value))
    if isinstance(value, str | Path):
        return _of_file(Path(value))
    if not isinstance(value, Mapping):
        raise fault("study.not-a-scene", value=shown(value))
    return _of_table(value)


def physical_part(content: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a document that affects a run."""
    return {key: value for key, value in content.items() if key not in NOT_SWEPT}


def _of_file(path: Path) -> dict[str, Any]:
    """Read a scene file; a name without suffix was meant for the library."""
    if not path.suffix:
        library.load(path.name)  # raises an error with a suggestion
    try:
        return _of_table(read(path))
    except SceneError as error:
        raise SceneError(
            Problem(
                "study.in-file",
                path=f"{path}: {told.where}" if told.where else str(path),
                what=told.phrase("what"),
                remedy=told.phrase("remedy"),
            )
            for told in error.problems
        ) from None


def _written(scene: Scene) -> dict[str, Any]:
    table: dict[str, Any] = _plain(document(scene), ())
    return table


def _of_table(content: Mapping[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = _plain(content, ())
    check_version(table.pop("schema", 1))
    generator = table.get("generator")
    kind = generator.get("kind") if isinstance(generator, dict) else None
    if isinstance(generator, dict) and isinstance(kind, str) and kind in library.generators():
        _check_options(kind, {name: option for name, option in generator.items() if name != "kind"})
        return table
    scene = build(table)
    return table if table.get("structures") else _written(scene)


def _check_options(kind: str, options: dict[str, Any]) -> None:
    """Check a generator's options without making the scene, which may be large."""
    try:
        library.generators()[kind].of(options)
    except SceneError as error:
        raise SceneError(problem.inside("generator") for problem in error.problems) from None


def _plain(value: Any, where: tuple[str | int, ...]) -> Any:
    """Convert to dicts, lists, finite numbers and texts; None is left out."""
    if len(where) > _MAX_DEPTH:
        raise fault("file.too-deep")
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Part):
        value = {name: getattr(value, name) for name in value.model_fields_set}
    if isinstance(value, Mapping):
        wrong = next((key for key in value if not isinstance(key, str)), None)
        if wrong is not None:
            raise fault("study.key", where=place(where), value=shown(wrong))
        return {key: _plain(inner, (*where, key)) for key, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [_plain(inner, (*where, index)) for index, inner in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise fault("number.not-finite", where=place(where), value=value)
    if isinstance(value, bool | int | float | str):
        return value
    raise fault("study.not-a-value", where=place(where), value=shown(value))
