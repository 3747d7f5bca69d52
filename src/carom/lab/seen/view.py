"""What can be seen of a bench, as plain values that never change: what the runner publishes, and everybody reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.messages.phrase import Told, in_language
from carom.scene import Scene
from carom.solvers.registry import CARDS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Message:
    """A word to the person: what could not be done and how to mend it, or what has happened."""

    kind: str
    """"error", "warning" or "info"."""
    said: Told | str
    """A message of the catalogue, which can be told in each language, or a text in English."""
    where: str = ""
    """The field that it is about, as "mass" or "radius"; empty if it is about none."""
    number: int = 0
    """Counts up, so that the same words said twice are seen as two."""

    @property
    def text(self) -> str:
        """What it says, in English."""
        return in_language(self.said)

    def plain(self) -> dict[str, Any]:
        """For JSON: what it says is in English."""
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
    """Seconds until it, when it was looked for: in a busy run that is some views ago, and it is past by now."""


@dataclass(frozen=True)
class Meters:
    """What is measured, in SI units; None where it has no meaning for the scene."""

    collisions: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    upcoming: tuple[Upcoming, ...] = ()
    kinetic: float = 0.0
    potential: float = 0.0
    total: float = 0.0
    drift: float = 0.0
    """Error of the integrator: what the energy account does not explain; exact runs: total less its value at the start
    (or at the last edit). J"""
    lost: dict[str, float] = field(default_factory=dict)
    momentum: tuple[float, ...] = ()
    motion: float = 0.0
    """Σ m |v|, kg m/s: what the momentum would be if all flew the same way."""
    temperature: float | None = None
    """Mean kinetic energy a degree of freedom, times two over k_B, in K; only where masses are molecular: see `kt`."""
    kt: float | None = None
    """k_B T, J: twice the mean kinetic energy a degree of freedom."""
    pressure: float | None = None
    """Momentum given to the walls a time and area (length in 2D), over the last while, Pa (N/m in 2D)."""
    centre_of_mass: tuple[float, ...] = ()
    height: float | None = None
    """Of what is built of links, in goo scenes, m."""
    speeds: tuple[float, ...] = ()
    """Histogram of speeds: heights (density, s/m) of equal bins from 0 to `speeds_end`."""
    speeds_end: float = 0.0
    maxwell: tuple[float, ...] = ()
    """Maxwell's curve at the middles of the bins, for the present kinetic energy."""


@dataclass(frozen=True)
class Inspector:
    """The ball that is looked at; vectors have two or three numbers."""

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
    """In words without a language: "1.25 s · 3" (partner) or "1.25 s · x-" (wall)."""
    next_collision: str | None


@dataclass(frozen=True)
class Companion:
    """The same scene, run in another way beside it."""

    name: str
    positions: Floats
    total: float
    drift: float


@dataclass(frozen=True)
class Solving:
    """How it is solved."""

    solver: str
    wish: str
    """What was asked for: "auto", "exact" or "stepped"."""
    integrator: str | None = None
    step: float | None = None
    contacts: str | None = None


@dataclass(frozen=True)
class View:
    """A bench as it stands."""

    epoch: int
    scene: Scene
    """What exists, its balls as they were when they were last edited."""
    entry: str
    """The name of the library's scene that it came from, or empty."""
    time: float
    end: float
    """How far the run has come; `time` is before it when one looks at the past."""
    running: bool
    held: bool
    """While someone aims."""
    speed: float
    """Times the pace."""
    pace: float
    """Seconds of the scene in a second of the clock, at speed 1: 1 but for planets and molecules."""
    arrow_time: float
    """Seconds of motion that an arrow of velocity shows: the same from the opening of a scene on."""
    rate: float
    """The part of the wished speed that the computer reaches; 1 = keeps up."""
    working: str | None
    """"compiling" or "seeking" while a long work is under way."""
    positions: Floats
    velocities: Floats
    forces: Floats | None
    born: NDArray[np.bool_] | None
    """Who is there; None if all are."""
    selected: tuple[int, ...]
    marks: tuple[int, ...]
    """Partners of the next collision (all that fall together)."""
    companions: tuple[Companion, ...]
    meters: Meters
    inspector: Inspector | None
    solving: Solving
    steering: str
    """What arrow keys do: "place" (T-17), "velocity" or "acceleration" (M-13)."""
    can_undo: str | None
    """The name of the command that undo takes back; None if there is none."""
    can_redo: str | None
    message: Message | None
    collision_times: tuple[float, ...]
    """Of the past, for the time line: at most some hundreds, spread evenly."""
    seq: int
    """Of the last command done that had one."""
    corner: tuple[str | int, int] | None = None
    """The corner of a wall that arrow keys move."""
    since: float = 0.0
    """The time from which the scene counts its times of birth: 0, but after a change of the solver."""

    def state(self) -> dict[str, Any]:
        """Everything in words and numbers, for JSON: all but arrays and the scene."""
        left_out = {"scene", "positions", "velocities", "forces", "born", "companions"}
        plain = {name: value for name, value in self.__dict__.items() if name not in left_out}
        for name in ("meters", "inspector", "solving"):
            plain[name] = None if plain[name] is None else asdict(plain[name])
        plain["solving"]["has_forces"] = CARDS[self.solving.solver].has_forces
        plain["message"] = None if self.message is None else self.message.plain()
        plain["companions"] = [{"name": c.name, "total": c.total, "drift": c.drift} for c in self.companions]
        return plain
