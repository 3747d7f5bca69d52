"""A scene by what names it: the scene itself, a name of the library, or the path of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carom.errors import ArgumentError, Problem
from carom.scene import library
from carom.scene.fields.base import nearest, shown
from carom.scene.io.files import load
from carom.scene.model import Scene

__all__ = ["FILE_ENDINGS", "is_file_name", "scene_of"]

FILE_ENDINGS = (".toml", ".json")


def scene_of(source: Scene | str | Path) -> Scene:
    """The scene itself, that of the library, or that in a file; the library goes before a file without ending."""
    given: Any = source
    if isinstance(given, Scene):
        return given
    if isinstance(given, str) and given in library.names():
        return library.load(given)
    if isinstance(given, Path) or (isinstance(given, str) and is_file_name(given)):
        return load(given)
    if isinstance(given, str):
        what = f"there is no scene {shown(given)} in the library, and no file of this name"
        raise ArgumentError([Problem("scene", what, nearest(given, library.names(), "scenes"))])
    remedy = "Give a Scene, the name of one in carom.library, or the path of a scene file."
    raise ArgumentError([Problem("scene", f"{shown(given)} is not a scene", remedy)])


def is_file_name(source: str) -> bool:
    """A path, an existing file, or a name with the ending of a scene file."""
    if "/" in source or "\\" in source or Path(source).suffix.lower() in FILE_ENDINGS:
        return True
    try:
        return Path(source).exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
