"""Commands that open another scene on the bench."""

from __future__ import annotations

from typing import Any

from carom.lab.bench.session import Does, Session
from carom.lab.commands.arguments import file_format, number, refusal, word
from carom.lab.share import check_size, read
from carom.scene import Scene, library
from carom.scene.fields.base import nearest
from carom.scene.library import Parameter

LARGEST_TEXT = 50_000_000


def open_entry(session: Session, entry: Any, parameters: Any = None) -> None:
    """Open a scene of the library."""
    name = word("entry", entry)
    if name not in library.names():
        raise refusal(
            "scene.unknown-name", where="entry", name=repr(name), hint=nearest(name, library.names(), "scenes")
        )
    given = {} if parameters is None else parameters_of(name, parameters)
    session.open(library.load(name, **given), name, "open")


def parameters_of(entry: str, given: Any) -> dict[str, Any]:
    """Convert parameters of a generator: numbers may come as texts."""
    if not isinstance(given, dict):
        raise refusal("values.not-a-table", where="parameters")
    known = {each.name: each for card in library.catalogue() if card.name == entry for each in card.parameters}
    return check_size({str(name): _parameter(known.get(str(name)), value) for name, value in given.items()})


def _parameter(parameter: Parameter | None, value: Any) -> Any:
    if parameter is None or not isinstance(value, str):
        whole = isinstance(value, float) and value.is_integer()
        return int(value) if parameter and whole and type(parameter.default) is int else value
    if isinstance(parameter.default, bool):
        return value.lower() == "true" if value.lower() in {"true", "false"} else value
    if isinstance(parameter.default, int | float) or (parameter.default is None and parameter.unit):
        made = number(parameter.name, value)
        return int(made) if isinstance(parameter.default, int) and made.is_integer() else made
    return value


def load(session: Session, text: Any, filename: Any = "") -> None:
    """Open a scene file, TOML or JSON."""
    words, name = word("text", text, LARGEST_TEXT), word("filename", filename or "")
    session.open(read(words, file_format(words, name), name), "", "load")


def next_scene(session: Session) -> None:
    """Open the next scene of the library."""
    _beside(session, 1)


def previous_scene(session: Session) -> None:
    """The one before."""
    _beside(session, -1)


def _beside(session: Session, by: int) -> None:
    names = library.names()
    here = names.index(session.entry) if session.entry in names else (-1 if by > 0 else 0)
    open_entry(session, names[(here + by) % len(names)])


def clear(session: Session) -> None:
    """Remove all balls, and reset the options; the space stays."""
    old = session.first if session.run is None else session.run.scene
    none = (0.0,) * old.dimension
    session.open(Scene(name=old.name, boundary=old.boundary, view=old.view, gravity=none), "", "clear")
    session.speed = 1.0


DOES: Does = {
    "open": open_entry,
    "load": load,
    "next-scene": next_scene,
    "previous-scene": previous_scene,
    "clear": clear,
}
