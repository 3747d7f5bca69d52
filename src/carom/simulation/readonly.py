"""Read-only attributes of a simulation, with error messages that name the method that changes them."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.arrays import read_only
from carom.scene import Ball, Scene

__all__ = ["check_settable", "read_only_result"]

_COLUMNS = {"positions": "position", "velocities": "velocity", "masses": "mass", "radii": "radius"}
_REMEDIES = {
    **{
        name: f"Use sim.change(index, {one}=…), or sim.change_balls(indices, {one}=…)."
        for name, one in _COLUMNS.items()
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
_DERIVED = "It follows from the run."


def read_only_result(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Make an array read-only; the error of writing to it names the attribute and the remedy."""
    return read_only(array, name, _REMEDIES.get(name, _DERIVED))


def check_settable(kind: type, name: str) -> None:
    """Refuse to set a property of the class, or an attribute that belongs to the scene or its balls."""
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
    return _DERIVED if isinstance(getattr(kind, name, None), property) else None
