"""The method of a run: what a user or the scene says, and sensible choices for what they leave open."""

from __future__ import annotations

from dataclasses import dataclass

from carom.errors import ArgumentError, SceneError, StepWarning
from carom.scene import Scene
from carom.solvers.stepped.integrators.amplification import stable_oscillation
from carom.solvers.stepped.integrators.cards import INTEGRATORS, Integrator, problems
from carom.solvers.stepped.integrators.stability import NOBODY, Grips, largest_stable_step, sensible_step
from carom.solvers.stepped.pile.substeps import HEAVIEST, heaviest_load, largest_load
from carom.solvers.stepped.regions.mesh import warn_if_coarse
from carom.thread_warnings import warn_caller

LIVE = "Use softer springs, or go on in a new run with that step or less: Simulation(sim.snapshot(), step=…)."
"""What to do about a step that is too large for a spring that has come while the scene runs."""


@dataclass(frozen=True)
class Method:
    """How time advances: by which step, with which integrator, and how balls meet."""

    step: float
    """s"""
    integrator: Integrator
    contacts: str
    """"impacts" or "pile"."""

    @property
    def used(self) -> Integrator:
        """The integrator that moves the balls: a pile has its own, in substeps, whatever is chosen (ADR 10)."""
        return INTEGRATORS["euler"] if self.contacts == "pile" else self.integrator

    def __str__(self) -> str:
        parts = " in substeps" if self.contacts == "pile" else ""
        return f"{self.used.name}{parts}, steps of {self.step:.6g} s, {self.contacts}"


def method_for(
    scene: Scene, step: float | None = None, integrator: str | None = None, contacts: str | None = None
) -> Method:
    """What is said here counts before what the scene says, and that before a choice of ours."""
    told = scene.stepping
    name = integrator or told.integrator or "verlet"
    unknown = problems(name, "integrator")
    if unknown:
        raise (ArgumentError if integrator else SceneError)(unknown)
    manner = contacts if contacts not in (None, "auto") else told.contacts
    if manner in (None, "auto"):
        manner = "pile" if scene.piles_up else "impacts"
    size = step or told.step
    method = Method(float(size or sensible_step(scene)), INTEGRATORS[name], str(manner))
    remedy = "Use that or less, or softer springs."
    warn_if_unstable(scene, method, remedy)
    warn_if_coarse(scene)
    if manner == "pile":
        warn_if_heavy(scene, method)
    return method


def warn_if_unstable(scene: Scene, method: Method, remedy: str = LIVE, hands: Grips = NOBODY) -> None:
    """Warn beforehand if springs are too stiff for the step."""
    largest = largest_stable_step(scene, hands, method.used)
    if method.step > largest:
        message = (
            f"step: {method.step:.6g} s may be too large for the springs of this scene: the largest step that is "
            f"stable for sure is {largest:.3g} s. {remedy}"
            if stable_oscillation(method.used) > 0.0
            else f"step: with {method.used.name} an oscillation grows at any step, and with {method.step:.6g} s the "
            f"springs of this scene may gain more energy in a period than they have: with {largest:.3g} s they would "
            "not. Use that or less, or another integrator, such as verlet."
        )
        warn_caller(message, StepWarning)


def warn_if_heavy(scene: Scene, method: Method) -> None:
    """Say so beforehand if balls are so much heavier than others that they would sink into them."""
    load, most = heaviest_load(scene), largest_load(scene, method.step)
    if load > most:
        message = (
            f"balls: the heaviest may press on the lightest with {load:.3g} times its weight, and sink in: in steps of "
            f"{method.step:.6g} s a pile holds {most:.3g} times. Use masses that differ less"
            f"{', or smaller steps' if most < HEAVIEST else ''}."
        )
        warn_caller(message, StepWarning)
