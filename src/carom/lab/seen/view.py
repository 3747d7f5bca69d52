"""Views of a bench as immutable values: the runner publishes them, and everything else reads them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.messages.phrase import Translatable, in_language
from carom.scene import Scene
from carom.solvers.registry import CARDS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Message:
    """A message to the person: what failed and how to fix it, or what has happened."""

    kind: str
    """"error", "warning" or "info"."""
    said: Translatable | str
    """A message of the catalogue, which is translated, or a text in English."""
    where: str = ""
    """The field that it is about, such as "mass"; or empty."""
    number: int = 0
    """A counter, so that a repeated message is a new one."""

    @property
    def text(self) -> str:
        """The text in English."""
        return in_language(self.said)

    def plain(self) -> dict[str, Any]:
        """The message for JSON, in English."""
        return {"kind": self.kind, "text": self.text, "where": self.where, "number": self.number}


@dataclass(frozen=True)
class Upcoming:
    """A collision to come."""

    time: float
    kind: str
    partners: tuple[int, ...]
    wall: str | None
    place: tuple[float, ...]
    wait: float = 0.0
    """Time until it, s, at the time of the search; in a busy run it may be over by now."""


@dataclass(frozen=True)
class Meters:
    """Measurements in SI units; None without meaning in the scene."""

    collisions: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    upcoming: tuple[Upcoming, ...] = ()
    kinetic: float = 0.0
    potential: float = 0.0
    total: float = 0.0
    drift: float = 0.0
    """Error of the integrator, which the energy account does not explain; for exact runs the total energy minus its
    value at the start or the last edit, J."""
    lost: dict[str, float] = field(default_factory=dict)
    momentum: tuple[float, ...] = ()
    motion: float = 0.0
    """Σ m |v|, kg m/s: the momentum if all balls moved in one direction."""
    temperature: float | None = None
    """Twice the mean kinetic energy per degree of freedom over k_B, K; only for molecular masses, else see `kt`."""
    kt: float | None = None
    """k_B T, J: twice the mean kinetic energy per degree of freedom."""
    pressure: float | None = None
    """Momentum given to the walls per time and area (length in 2D), averaged over some time, Pa (N/m in 2D)."""
    centre_of_mass: tuple[float, ...] = ()
    height: float | None = None
    """Height of what is built of links, m."""
    speeds: tuple[float, ...] = ()
    """Histogram of speeds: heights (density, s/m) of equal bins from 0 to `speeds_end`."""
    speeds_end: float = 0.0
    maxwell: tuple[float, ...] = ()
    """Maxwell's curve at the middles of the bins, for the present kinetic energy."""


@dataclass(frozen=True)
class Inspector:
    """The inspected ball; vectors have two or three numbers."""

    index: int
    name: str | None
    position: tuple[float, ...]
    velocity: tuple[float, ...]
    speed: float
    force: tuple[float, ...]
    momentum: tuple[float, ...]
    kinetic: float
    mass: float
    radius: float
    fixed: bool
    material: str
    age: float
    last_collision: str | None
    """Without words of a language: "1.25 s · 3" (partner) or "1.25 s · x-" (wall)."""
    next_collision: str | None


@dataclass(frozen=True)
class Companion:
    """The state of a companion: a run of the scene with another solver or integrator."""

    name: str
    positions: Floats
    total: float
    drift: float


@dataclass(frozen=True)
class Solving:
    """The solver and its options."""

    solver: str
    wish: str
    """The requested solver: "auto", "exact" or "stepped"."""
    integrator: str | None = None
    step: float | None = None
    contacts: str | None = None


@dataclass(frozen=True)
class View:
    """The present state of a bench."""

    epoch: int
    scene: Scene
    """The scene; its balls are as at the last edit."""
    entry: str
    """The name of the scene in the library, or empty."""
    time: float
    end: float
    """The end of the run so far; `time` is before it while the past is shown."""
    running: bool
    held: bool
    """Is the run held while a person aims?"""
    speed: float
    """Speed, in units of the pace."""
    pace: float
    """Simulated time per wall-clock time at speed 1: 1 except for planets and molecules."""
    arrow_time: float
    """Time of motion that an arrow of velocity shows, s; constant since the scene was opened."""
    rate: float
    """The fraction of the speed that the computer reaches; 1 = keeps up."""
    working: str | None
    """"compiling" or "seeking" while a long work is under way."""
    positions: Floats
    velocities: Floats
    forces: Floats | None
    born: NDArray[np.bool_] | None
    """Which balls are born; None if all are."""
    selected: tuple[int, ...]
    marks: tuple[int, ...]
    """Partners of the next collision, or of all at the same time."""
    companions: tuple[Companion, ...]
    meters: Meters
    inspector: Inspector | None
    solving: Solving
    steering: str
    """What arrow keys do: "place" (T-17), "velocity" or "acceleration" (M-13)."""
    can_undo: str | None
    """The name of the command to undo; None if there is none."""
    can_redo: str | None
    message: Message | None
    collision_times: tuple[float, ...]
    """Past collisions for the time line: at most some hundreds, spread evenly."""
    seq: int
    """The `seq` of the last command with one."""
    corner: tuple[str | int, int] | None = None
    """The corner of a wall that arrow keys move."""
    since: float = 0.0
    """The origin of times of birth: 0, except after a change of the solver."""

    def state(self) -> dict[str, Any]:
        """All texts and numbers for JSON, without arrays and the scene."""
        left_out = {"scene", "positions", "velocities", "forces", "born", "companions"}
        plain = {name: value for name, value in self.__dict__.items() if name not in left_out}
        for name in ("meters", "inspector", "solving"):
            plain[name] = None if plain[name] is None else asdict(plain[name])
        plain["solving"]["has_forces"] = CARDS[self.solving.solver].has_forces
        plain["message"] = None if self.message is None else self.message.plain()
        plain["companions"] = [{"name": c.name, "total": c.total, "drift": c.drift} for c in self.companions]
        return plain
