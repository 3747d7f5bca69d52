"""What a widget plays: a run that goes on, or a recording; commands in, views out. Knows no notebook."""

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
"""What a widget may ask for: it looks, and changes nothing."""


class Player(Protocol):
    """What can be played."""

    @property
    def busy(self) -> bool:
        """Will it look different by itself?"""

    def do(self, command: str, seq: int = 0, **arguments: Any) -> Message | None:
        """Do a command; a message if it cannot be done."""

    def advance(self, seconds: float) -> None:
        """Let so much time of the clock pass; comes back soon."""

    def view(self, *, forces: bool = False) -> View:
        """How it looks."""

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples since a mark, and the new mark."""

    def about(self) -> dict[str, Any]:
        """What the page says of it: its name, its kind, and where its time begins."""

    def simulation(self) -> Simulation:
        """The instant that is seen, as a simulation of its own."""

    def let_go(self) -> None:
        """It will not be played any more: free what it holds."""


class RunPlayer:
    """A copy of a simulation that runs on, with all of its past since it was shown."""

    def __init__(self, sim: Simulation) -> None:
        self.session = Session(sim.scene)
        self.session.run = Track(sim.copy())
        self.start = sim.time

    @property
    def busy(self) -> bool:
        """Does it run, or is it on its way to an instant?"""
        session = self.session
        return session.running or session.goal is not None or session.hunting is not None

    def do(self, command: str, seq: int = 0, **arguments: Any) -> Message | None:
        """Do a command; a message if it cannot be done."""
        if command == "to-start":
            command, arguments = "scrub", {"time": self.start}
        return self.session.do(command, seq=seq, **arguments)

    def advance(self, seconds: float) -> None:
        """Let so much time of the clock pass."""
        self.session.advance(seconds)

    def view(self, *, forces: bool = False) -> View:
        """How it looks."""
        return self.session.view(forces=forces)

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples of energies and momentum."""
        return self.session.samples.message(since)

    def about(self) -> dict[str, Any]:
        """What the page says of it."""
        return {"kind": "run", "start": self.start}

    def simulation(self) -> Simulation:
        """The instant that is seen, as a simulation of its own."""
        self.session.settle()
        return self.session.track.sim.copy()

    def let_go(self) -> None:
        """Free its past."""
        self.session.stopping = lambda: True
        self.session.let_go()
