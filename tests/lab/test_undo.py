"""Undo and redo of everything that can be undone."""

from typing import Any

import numpy as np
import pytest

from carom.lab.bench import memory, track
from carom.lab.bench.session import Session
from carom.lab.commands.handlers import DOES
from carom.lab.commands.table import COMMANDS
from carom.scene import Scene, library
from carom.scene.io.files import dumps


class Clock:
    """Time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def state(session: Session) -> Any:
    view = session.view()
    return view.scene, view.positions.tolist(), view.velocities.tolist(), view.time, view.end, view.solving, view.entry


CHANGES: list[tuple[str, str, dict[str, Any]]] = [
    ("break", "open", {"entry": "oblique"}),
    ("break", "load", {"text": dumps(library.load("oblique")), "filename": "a.toml"}),
    ("break", "clear", {}),
    ("break", "add", {}),
    ("break", "launch", {"position": [0.05, 0.05], "velocity": [1.0, 0.0]}),
    ("break", "change", {"index": 0, "field": "vx", "value": "0,25"}),
    ("break", "change-selected", {"field": "mass", "value": 0.5}),
    ("oblique", "nudge", {"field": "y", "steps": 1}),
    ("oblique", "move", {"by": [0.0, 0.01]}),
    ("break", "place", {"index": 0, "position": [0.05, 0.05]}),
    ("break", "throw", {"index": 0, "velocity": [0.0, 0.3]}),
    ("break", "duplicate", {}),
    ("break", "remove", {"indices": [3, 4]}),
    ("polygon-table", "drag-corner", {"shape": "boundary", "corner": 0, "position": [-0.05, -0.02]}),
    ("rope", "link", {"i": 3, "j": 9}),
    ("rope", "unlink", {"i": 3, "j": 4}),
    ("rope", "link-selected", {}),
    ("rope", "unlink-selected", {}),
    ("goo-tower", "build", {"position": None}),
    ("break", "option", {"name": "restitution_walls", "value": 0.5}),
    ("break", "solve", {"solver": "stepped"}),
    ("break", "restart", {}),
]


def test_every_undoable_command_is_proven_here() -> None:
    assert {name for _, name, _ in CHANGES} == {name for name, command in COMMANDS.items() if command.undoable}
    assert set(DOES) == set(COMMANDS)


@pytest.mark.parametrize(("entry", "command", "arguments"), CHANGES, ids=[change[1] for change in CHANGES])
def test_undo_and_redo(entry: str, command: str, arguments: dict[str, Any]) -> None:
    session = Session(library.load(entry), entry)
    session.track.toward(0.1)
    session.do("select", indices={"link-selected": [3, 9], "unlink-selected": [3, 4]}.get(command, [0]))
    if command == "build":
        links = session.track.sim.links.between[-1]
        middle = session.track.sim.positions[links].mean(axis=0)
        arguments = {"position": (middle + np.array([0.0, 0.3])).tolist()}
    before = state(session)
    assert session.do(command, **arguments) is None, session.message
    after = state(session)
    assert after != before
    assert session.view().can_undo == command
    session.do("undo")
    assert state(session) == before
    assert session.view().can_redo == command
    session.do("redo")
    assert state(session) == after
    session.do("undo")
    assert state(session) == before


def test_nothing_to_undo_is_said() -> None:
    session = Session(library.load("empty"))
    message = session.do("undo")
    assert message is not None
    assert "nothing to undo" in message.text
    assert session.do("redo") is not None


def test_nudges_in_a_row_are_one_step_of_undo() -> None:
    clock = Clock()
    session = Session(library.load("oblique"), clock=clock)
    session.do("select", indices=[0])
    start = session.view().positions.tolist()
    for _ in range(5):
        clock.now += 0.3
        session.do("nudge", field="y", steps=1)
    middle = session.view().positions.tolist()
    clock.now += 5.0
    session.do("nudge", field="y", steps=1)
    session.do("undo")
    assert session.view().positions.tolist() == middle
    session.do("undo")
    assert session.view().positions.tolist() == start
    assert session.view().can_undo is None


def test_another_thing_is_another_step() -> None:
    session = Session(library.load("oblique"), clock=Clock())
    session.do("select", indices=[0])
    session.do("nudge", field="y", steps=1)
    session.do("nudge", field="x", steps=1)
    assert len(session.history.undo) == 2


def test_a_new_change_forgets_what_was_undone() -> None:
    session = Session(library.load("oblique"))
    session.do("add")
    session.do("undo")
    session.do("throw", index=0, velocity=[0.0, 0.1])
    assert session.view().can_redo is None


def test_undo_across_scenes() -> None:
    session = Session(library.load("break"), "break")
    session.track.toward(0.5)
    session.do("next-scene")
    assert session.view().entry == "billiard-test"
    session.do("add")
    session.do("undo")
    session.do("undo")
    view = session.view()
    assert (view.entry, view.time, len(view.positions)) == ("break", 0.5, 16)


def test_undo_forgets_the_oldest() -> None:
    session = Session(Scene(balls=[{"position": (0.0, 0.0)}]), clock=Clock())
    for k in range(130):
        session.do("throw", index=0, velocity=[float(k), 1.0])
        session.clock.now += 2.0  # type: ignore[attr-defined]
    assert len(session.history.undo) == 100


def test_undo_is_bounded_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "COPIES", 1)
    session = Session(Scene(balls=[{"position": (0.0, 0.0)}]), clock=Clock())
    session.do("run")
    for k in range(60):
        session.advance(1 / 60)
        session.do("throw", index=0, velocity=[float(k), 1.0])
        session.clock.now += 2.0  # type: ignore[attr-defined]
    held = {id(f) for step in session.history.undo for segment in step.moment.past.segments for f in segment.frames}
    assert 1 < len(session.history.undo) < 60
    assert len(held) <= 3 * track.MIN_FRAMES
    assert session.do("undo") is None
