"""Companions: runs of the same scene with other solvers or integrators, for comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from carom.errors import CaromError, InputError, SolverError
from carom.lab.bench.track import Track
from carom.lab.commands.arguments import choice_of, refusal
from carom.lab.seen.view import Companion
from carom.scene import Scene
from carom.simulation.simulation import Simulation
from carom.solvers.registry import CARDS, EXACT, STEPPED
from carom.solvers.stepped.integrators.cards import INTEGRATORS

MAX_COMPANIONS = 4
"""Companions at a time."""


def known() -> tuple[str, ...]:
    """The names that `compare` understands: "exact", and the integrators of the stepped solver."""
    return (EXACT.name, *INTEGRATORS)


@dataclass
class Beside:
    """The run of a companion. Its time is that of the bench minus `since`."""

    name: str
    track: Track
    since: float
    start: float
    """Energy when it began, J."""
    broken: bool = False

    def toward(self, time: float, budget: float) -> bool:
        """Follow the main run to a time; True if it got there or cannot continue."""
        goal = max(time - self.since, 0.0)
        if self.broken:
            return True
        try:
            if goal < self.track.time:
                self.track.seek(goal)
            return self.track.toward(goal, budget)
        except SolverError:
            self.broken = True
            return True

    def shown(self) -> Companion:
        """Its present state."""
        sim = self.track.sim
        total = sim.energy
        drift = sim.account.error if CARDS[sim.solver].has_forces else total - self.start
        return Companion(self.name, sim.positions, total, drift)


def start_companions(names: Any, scene: Scene, now: float, step: float | None) -> list[Beside]:
    """Start companions with the present scene."""
    if isinstance(names, str) or not isinstance(names, list | tuple):
        raise refusal("compare.not-a-list", where="names", known=list(known()))
    if len(names) > MAX_COMPANIONS:
        raise refusal("compare.too-many", where="names", count=len(names), most=MAX_COMPANIONS)
    chosen = dict.fromkeys(choice_of("names", name, known(), "names") for name in names)
    return [_one(name, scene, now, step) for name in chosen]


def _one(name: str, scene: Scene, now: float, step: float | None) -> Beside:
    wish: dict[str, Any] = {"solver": name}
    if name in INTEGRATORS:
        wish = {"solver": STEPPED.name, "integrator": name} | ({} if step is None else {"step": step})
    try:
        sim = Simulation(scene, **wish)
    except InputError:
        raise
    except CaromError as error:
        raise refusal("compare.cannot-run", where="names", name=name, error=str(error)) from None
    return Beside(name, Track(sim, wish), now, sim.energy)
