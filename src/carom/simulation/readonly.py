"""What of a run can only be read, and which call changes it."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.arrays import read_only
from carom.scene import Ball, Scene

__all__ = ["check_settable", "shown_only"]

_FOR_MANY = {"positions": "position", "velocities": "velocity", "masses": "mass", "radii": "radius"}
_REMEDIES = {
    **{
        name: f"Use sim.change(index, {one}=…), or sim.change_balls(indices, {one}=…)."
        for name, one in _FOR_MANY.items()
    },
    "forces": "Use sim.push(index, impulse), or give forces to a new simulation: Simulation(scene, forces=[…]).",
    "momentum": "Use sim.change(index, velocity=…), or sim.push(index, impulse).",
    "time": "Use sim.run(until=…).",
    "scene": "Use sim.change_scene(…), or make a new simulation.",
    "balls": "Use sim.add(balls), sim.remove(index), or sim.change(index, …).",
    "links": "Use sim.link(i, j, stiffness) or sim.unlink(i, j).",
    **{
        name: f"Make a new simulation: Simulation(sim.snapshot(), {name}=…)."
        for name in ("solver", "step", "integrator", "contacts", "neighbours")
    },
}
_ELSE = "It follows from the run."


def shown_only(array: NDArray[Any], name: str) -> NDArray[Any]:
    """An array that a run hands out as `name`, to be read only."""
    return read_only(array, name, _REMEDIES.get(name, _ELSE))


def check_settable(kind: type, name: str) -> None:
    """Refuse to set what a run of this class only shows, and what belongs to its scene or its balls."""
    if name.startswith("_"):
        return
    remedy = _remedy(kind, name)
    if remedy is not None:
        raise ArgumentError.of("simulation.read-only", where=name, remedy=remedy)


def _remedy(kind: type, name: str) -> str | None:
    if name in _REMEDIES:
        return _REMEDIES[name]
    if name in Ball.model_fields and name != "name":
        return f"Use sim.change(index, {name}=…)."
    if name in Scene.model_fields:
        return f"Use sim.change_scene({name}=…)."
    return _ELSE if isinstance(getattr(kind, name, None), property) else None
