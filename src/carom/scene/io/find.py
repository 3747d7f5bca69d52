"""Find a scene by its name in the library or the path of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carom.errors import ArgumentError
from carom.scene import library
from carom.scene.fields.base import nearest, shown
from carom.scene.io.files import load
from carom.scene.model import Scene

__all__ = ["FILE_ENDINGS", "is_file_name", "scene_of"]

FILE_ENDINGS = (".toml", ".json")


def scene_of(source: Scene | str | Path) -> Scene:
    """A scene as it is, of the library, or from a file; the library takes precedence over a file without ending."""
    given: Any = source
    if isinstance(given, Scene):
        return given
    if isinstance(given, str) and given in library.names():
        return library.load(given)
    if isinstance(given, Path) or (isinstance(given, str) and is_file_name(given)):
        return load(given)
    if isinstance(given, str):
        raise ArgumentError.of(
            "scene.unknown", where="scene", name=shown(given), hint=nearest(given, library.names(), "scenes")
        )
    raise ArgumentError.of("scene.not-one", where="scene", value=shown(given))


def is_file_name(source: str) -> bool:
    """True for a path, an existing file, or a name with the ending of a scene file."""
    if "/" in source or "\\" in source or Path(source).suffix.lower() in FILE_ENDINGS:
        return True
    try:
        return Path(source).exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
