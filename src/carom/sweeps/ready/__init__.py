"""Ready studies, one TOML file each: their names, titles and texts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from carom.errors import StudyError
from carom.scene.fields.base import nearest

__all__ = ["ReadyStudy", "catalogue", "names", "text"]

_NAMES = ("equation-of-state", "finite-size", "energy-drift", "pi", "break", "lyapunov")


@dataclass(frozen=True)
class ReadyStudy:
    """A ready study with its title and one sentence about it."""

    name: str
    title: str
    sentence: str


def names() -> tuple[str, ...]:
    """The names of all ready studies."""
    return _NAMES


@cache
def text(name: str) -> str:
    """The text of a ready study."""
    if name not in _NAMES:
        raise StudyError.of("study.unknown-ready", name=repr(name), hint=nearest(name, _NAMES, "studies"))
    return resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


@cache
def catalogue() -> tuple[ReadyStudy, ...]:
    """The entries of all ready studies, in the order of `names`."""
    told = {name: tomllib.loads(text(name)) for name in _NAMES}
    return tuple(ReadyStudy(name, one["name"], one["description"]) for name, one in told.items())
