"""The summary of a run, as a table for people and as values for JSON."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from carom.solvers.registry import CARDS

if TYPE_CHECKING:
    from carom.scene import Scene
    from carom.simulation.simulation import Simulation


@dataclass(frozen=True)
class Summary:
    """The figures of a run, in SI units."""

    scene: str
    balls: int
    dimension: int
    solver: str
    stopped: str
    time: float
    collisions: int
    collisions_by_kind: dict[str, int]
    contact_time_collisions: int
    resting: int
    kinetic_energy: float
    potential_energy: float
    energy: float
    energy_at_start: float
    energy_change: float | None = field(metadata={"unit": "relative to the energy at the start"})
    elastic: bool
    momentum: list[float]
    wall_time: float
    compile_time: float
    collisions_per_second: float | None
    potential_by_force: dict[str, float] = field(default_factory=dict)
    lost: dict[str, float] = field(default_factory=dict)
    integrator_error: float | None = None
    saved: str | None = None
    error: str | None = None

    def rows(self) -> list[tuple[str, str]]:
        """The figures as texts; zeros that say nothing are left out."""
        rows = [
            ("scene", f"{self.scene} ({count(self.balls, 'ball')}, {self.dimension}D)"),
            ("solver", self.solver),
            ("stopped", self.stopped),
            ("time", f"{self.time:.9g} s"),
            ("collisions", f"{self.collisions:,}"),
            *((f"  {kind}", f"{number:,}") for kind, number in self.collisions_by_kind.items()),
        ]
        if self.contact_time_collisions:
            rows.append(("  within the contact time", f"{self.contact_time_collisions:,} (these lost no energy)"))
        if self.resting:
            rows.append(("at rest", count(self.resting, "ball")))
        rows += [
            ("energy", f"{self.energy:.9g} J"),
            ("  kinetic", f"{self.kinetic_energy:.9g} J"),
            ("  potential", f"{self.potential_energy:.9g} J"),
            *((f"    {name}", f"{value:.9g} J") for name, value in self.potential_by_force.items()),
            *((f"  lost by {name}", f"{value:.9g} J") for name, value in self.lost.items() if value),
            *self.accuracy(),
            ("momentum", f"({', '.join(f'{part:.6g}' for part in self.momentum)}) kg m/s"),
            ("wall time", f"{self.wall_time:.3f} s" + self.compiling()),
        ]
        if self.collisions_per_second is not None:
            rows.append(("speed", f"{self.collisions_per_second:,.0f} collisions/s"))
        if self.saved:
            rows.append(("saved", self.saved))
        return rows

    def accuracy(self) -> list[tuple[str, str]]:
        """The error of the energy: the integrator's where there is an account, else the change since the start."""
        if self.integrator_error is not None:
            return [("integrator's error", f"{self.integrator_error:.3g} J")]
        return [("energy drift" if self.elastic else "energy change", relative(self.energy_change))]

    def compiling(self) -> str:
        """The part of the wall time that compiling took, as a text."""
        return f", {self.compile_time:.1f} s of it compiling" if self.compile_time else ""


def summarise(simulation: "Simulation", energy_at_start: float, running_time: float, **known: Any) -> Summary:
    """Summarise a simulation; `known` are the figures that it does not have itself."""
    scene = simulation.scene
    solving: dict[str, Any] = {"solver": simulation.solver}
    if CARDS[simulation.solver].has_forces:
        account = simulation.account
        solving = {
            "solver": f"{simulation.solver}, {simulation.method}",
            "potential_by_force": dict(account.potential) if len(account.potential) > 1 else {},
            "lost": dict(account.lost),
            "integrator_error": account.error,
        }
    return Summary(
        balls=len(scene.balls),
        dimension=scene.dimension,
        time=simulation.time,
        collisions=simulation.collisions,
        collisions_by_kind=dict(simulation.collisions_by_kind),
        contact_time_collisions=int(simulation.report.softened),
        resting=len(simulation.resting),
        kinetic_energy=float(simulation.kinetic_energy),
        potential_energy=plain(simulation.potential_energy),
        energy=float(simulation.energy),
        energy_at_start=energy_at_start,
        energy_change=(float(simulation.energy) / energy_at_start - 1.0) if energy_at_start else None,
        elastic=is_elastic(scene),
        momentum=[plain(part) for part in simulation.momentum],
        collisions_per_second=simulation.collisions / running_time if running_time > 0 else None,
        **solving,
        **known,
    )


def is_elastic(scene: "Scene") -> bool:
    """Does nothing in the scene lose energy: collisions, friction, drag, damping, breaking links, mergers?"""
    restitution, drag, attraction = scene.restitution, scene.drag, scene.attraction
    values = [restitution.ball_ball, restitution.ball_wall, *(pair.value for pair in restitution.pairs)]
    return (
        min(values) == 1.0
        and scene.friction.none
        and (drag is None or not (drag.linear or drag.quadratic))
        and not scene.links.damping.any()
        and not any(breaking < float("inf") for breaking in scene.links.breaking)
        and (attraction is None or attraction.touch != "merge")
    )


def plain(value: float) -> float:
    """A float; -0.0 becomes 0.0."""
    return float(value) + 0.0


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 ball`, `2 balls`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def relative(change: float | None) -> str:
    """A relative change of the energy as a text."""
    return "none to compare with" if change is None else f"{change:+.2e} of the energy at the start"
