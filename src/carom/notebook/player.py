"""Players of a widget: a live run, or a recording; commands in, views out. Independent of notebooks."""

from __future__ import annotations

from typing import Any, Protocol

from carom.lab.bench.session import Session
from carom.lab.bench.track import Track
from carom.lab.seen.view import Message, View
from carom.simulation.simulation import Simulation

COMMANDS = frozenset(
    {
        *("run", "pause", "toggle", "step", "collision", "collision-back", "speed", "faster", "slower"),
        *("scrub", "to-start", "to-end", "select", "select-next", "select-previous", "select-none"),
    }
)
"""The commands of a widget, which do not edit the run."""


class Player(Protocol):
    """Something that a widget can play."""

    @property
    def busy(self) -> bool:
        """Will it change without a command?"""

    def do(self, command: str, seq: int = 0, **arguments: Any) -> Message | None:
        """Do a command; return a message if it fails."""

    def advance(self, seconds: float) -> None:
        """Advance by wall-clock time, s; returns soon."""

    def view(self, *, forces: bool = False) -> View:
        """What is shown."""

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples since a mark, and the new mark."""

    def about(self) -> dict[str, Any]:
        """Metadata for the page: its name, its kind, and its first time."""

    def simulation(self) -> Simulation:
        """The instant that is shown, as a separate simulation."""

    def release(self) -> None:
        """Free its resources."""


class RunPlayer:
    """A copy of a simulation that runs in the widget, with its past since it was shown."""

    def __init__(self, sim: Simulation) -> None:
        self.session = Session(sim.scene)
        self.session.run = Track(sim.copy())
        self.start = sim.time

    @property
    def busy(self) -> bool:
        """Is it running, or moving to an instant?"""
        session = self.session
        return session.running or session.goal is not None or session.hunting is not None

    def do(self, command: str, seq: int = 0, **arguments: Any) -> Message | None:
        """Do a command; return a message if it fails."""
        if command == "to-start":
            command, arguments = "scrub", {"time": self.start}
        return self.session.do(command, seq=seq, **arguments)

    def advance(self, seconds: float) -> None:
        """Advance by wall-clock time, s."""
        self.session.advance(seconds)

    def view(self, *, forces: bool = False) -> View:
        """What is shown."""
        return self.session.view(forces=forces)

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples of energies and momentum."""
        return self.session.samples.message(since)

    def about(self) -> dict[str, Any]:
        """Metadata for the page."""
        return {"kind": "run", "start": self.start}

    def simulation(self) -> Simulation:
        """The instant that is shown, as a separate simulation."""
        self.session.settle()
        return self.session.track.sim.copy()

    def release(self) -> None:
        """Free its past."""
        self.session.stopping = lambda: True
        self.session.free()
