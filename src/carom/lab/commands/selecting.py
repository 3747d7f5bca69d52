"""Commands of selecting, and undo and redo."""

from __future__ import annotations

from typing import Any

from carom.lab.bench.session import Does, Session
from carom.lab.commands.arguments import choice_of, direction, refusal
from carom.lab.commands.arguments import indices as numbers

MODES = ("only", "add", "toggle")


def selected(session: Session) -> tuple[int, ...]:
    """The selected balls; ArgumentError if there are none."""
    count = len(session.track.scene.balls)
    there = tuple(k for k in session.selected if k < count)
    if not there:
        raise refusal("select.no-ball")
    return there


def select(session: Session, indices: Any, mode: Any = "only") -> None:
    """Select balls: only these, these in addition, or toggle them. The last one is shown in the inspector."""
    mode = choice_of("mode", mode, MODES)
    given = numbers("indices", indices, len(session.track.scene.balls))
    before = () if mode == "only" else session.selected
    stay = tuple(k for k in before if k not in given)
    new = tuple(k for k in given if not (mode == "toggle" and k in before))
    session.selected, session.corner = (*stay, *new), None


def select_next(session: Session) -> None:
    """The next ball."""
    _walk(session, 1)


def select_previous(session: Session) -> None:
    """The one before."""
    _walk(session, -1)


def extend(session: Session, steps: Any) -> None:
    """Add the next or previous ball to the selection."""
    before = session.selected
    _walk(session, direction("steps", steps))
    (new,) = session.selected
    session.selected = (*(k for k in before if k != new), new)


def _walk(session: Session, by: int) -> None:
    count = len(session.track.scene.balls)
    if not count:
        raise refusal("select.none-to-select")
    here = session.selected[-1] if session.selected else (-1 if by > 0 else 0)
    session.selected, session.corner = ((here + by) % count,), None


def select_all(session: Session) -> None:
    """All balls."""
    session.selected, session.corner = tuple(range(len(session.track.scene.balls))), None


def select_none(session: Session) -> None:
    """None."""
    session.selected, session.corner = (), None


DOES: Does = {
    "select": select,
    "select-next": select_next,
    "select-previous": select_previous,
    "extend": extend,
    "select-all": select_all,
    "select-none": select_none,
    "undo": Session.undo,
    "redo": Session.redo,
}
