"""Which solver runs a scene, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from carom.errors import ArgumentError, NotExactError, Problem
from carom.scene import Scene
from carom.scene.fields.base import shown

if TYPE_CHECKING:
    from carom.solvers.protocol import Solver
    from carom.solvers.stepped.forces.custom import Force

Name = Literal["exact", "stepped"]
SolverChoice = Literal["auto", "exact", "stepped"]
Contacts = Literal["auto", "impacts", "pile"]
Neighbours = Literal["auto", "cells", "lists"]


@dataclass(frozen=True)
class Wish:
    """What a user said about how a scene is solved; None or "auto" for what is left open."""

    solver: SolverChoice = "auto"
    step: float | None = None
    integrator: str | None = None
    contacts: Contacts | None = None
    forces: tuple[Force, ...] = ()
    neighbours: Neighbours = "auto"

    def problems(self) -> list[Problem]:
        """What is wrong with it."""
        problems = []
        for where, value, known in (
            ("solver", self.solver, ("auto", "exact", "stepped")),
            ("contacts", self.contacts or "auto", ("auto", "impacts", "pile")),
            ("neighbours", self.neighbours, ("auto", "cells", "lists")),
        ):
            if value not in known:
                words = ", ".join(map(repr, known[:-1])) + f" or {known[-1]!r}"
                problems.append(Problem("wish.unknown", where=where, value=shown(value), known=words))
        problems += [
            Problem("forces.not-one", where=f"forces[{k}]", value=shown(one))
            for k, one in enumerate(self.forces)
            if not hasattr(type(one), "address")  # of the instance, it would compile
        ]
        for k, one in enumerate(self.forces):
            if lacking := getattr(one, "lacking", ()):
                call = [f"{name}=…" for name in lacking]
                problems.append(Problem("force.lacks", where=f"forces[{k}]", name=one.name, lacking=lacking, call=call))
        step: Any = self.step
        if step is not None and not (
            isinstance(step, int | float | np.number) and not isinstance(step, bool) and 0 < step < 1e300
        ):
            problems.append(Problem("time.not-above-0", where="step", value=shown(step)))
        return problems

    @property
    def for_steps(self) -> list[str]:
        """What it says that only the stepped solver can do."""
        said = {
            "a step": self.step is not None,
            "an integrator": self.integrator is not None,
            "contacts": self.contacts not in (None, "auto"),
            "forces of one's own": bool(self.forces),
        }
        return [name for name, is_said in said.items() if is_said]

    @property
    def settled(self) -> SolverChoice:
        """The solver, named where only one can do what is said: for those who know, and need no warning."""
        return "stepped" if self.solver == "auto" and self.for_steps else self.solver


def solver_for(scene: Scene, wish: Wish) -> Name:
    """The solver that a wish names, or else the scene, or the exact one wherever it applies and can hold what rests.

    Who says how the exact one finds neighbours has named it, and so has who says how to step.
    """
    problems = wish.problems()
    if problems:
        raise ArgumentError(problems)
    reasons = [*scene.forces_needed, *wish.for_steps]
    named: str = wish.solver
    if named == "auto" and wish.neighbours == "auto" and not wish.for_steps:
        named = scene.stepping.solver
    if named == "auto":
        return "stepped" if reasons or (scene.stacks and wish.neighbours == "auto") else "exact"
    if named == "exact" and reasons:
        raise NotExactError(", ".join(reasons))
    return cast("Name", named)


def switched(scene: Scene, wish: Wish) -> list[str]:
    """What of a wish alone makes a run go in steps that would be exact without it; nothing if the solver is named."""
    if wish.solver != "auto" or wish.forces or not wish.for_steps:
        return []
    without = Wish(neighbours=wish.neighbours)
    return wish.for_steps if solver_for(scene, without) == "exact" else []


def start(scene: Scene, name: Name, wish: Wish) -> Solver:
    """A run of a scene, at its start. Numba is not loaded before something runs."""
    if name == "exact":
        from carom.solvers.exact.engine import Engine  # noqa: PLC0415  # as above
        from carom.solvers.exact.world import World  # noqa: PLC0415

        return Engine(World.of(scene), wish.neighbours)
    from carom.solvers.stepped.engine import Engine as Stepped  # noqa: PLC0415  # as above
    from carom.solvers.stepped.integrators.method import method_for  # noqa: PLC0415

    return Stepped(scene, method_for(scene, wish.step, wish.integrator, wish.contacts), wish.forces)
