"""Integrators: how places and velocities go on by a step. Each is a card that describes it, and a table of numbers.

A splitting moves places and velocities by turns; a Runge-Kutta method takes the mean of several slopes. A new one of
either kind is a new card:

    register(Integrator(name="ralston", title="Ralston", order=2, weights=(0.25, 0.75), stages=((), (2 / 3,)), …))

and `verify` measures whether it does what its card says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from carom.errors import ArgumentError, Problem
from carom.scene.fields.base import nearest, shown


@dataclass(frozen=True)
class Integrator:
    """An integrator, described so that forms, documents and tests can be made from it."""

    name: str
    title: str
    order: int
    """The error after a given time falls as the step to this power."""
    symplectic: bool
    """Does it keep the volume of phase space? Then its energy error does not grow with time."""
    equation: str
    source: str
    kind: Literal["verlet", "stormer", "splitting", "runge-kutta"]
    moves: tuple[tuple[Literal["drift", "kick"], float], ...] = ()
    """A splitting's moves: drift changes places, kick velocities, each by this part of a step."""
    stages: tuple[tuple[float, ...], ...] = ()
    """A Runge-Kutta method's rows of Butcher's matrix, below the diagonal."""
    weights: tuple[float, ...] = ()
    """And the weights of the slopes."""
    reversible: bool = False
    """Does it come back to its start, but for rounding, when velocities are turned round? False: it does not say."""
    remark: str = ""

    @property
    def evaluations(self) -> int:
        """How many times a step asks for the forces, where they do not depend on velocity."""
        if self.kind == "splitting":
            return sum(move == "kick" for move, _ in self.moves)
        return len(self.weights) or 1


KINDS = ("verlet", "stormer", "splitting", "runge-kutta")
INTEGRATORS: dict[str, Integrator] = {}


def register(integrator: Integrator) -> Integrator:
    """Make an integrator known by its name."""
    problems = table_problems(integrator)
    if problems:
        raise ArgumentError(problems)
    INTEGRATORS[integrator.name] = integrator
    return integrator


def table_problems(one: Integrator) -> list[Problem]:
    """What is wrong with the table of an integrator."""
    where = f"integrator {one.name!r}"
    if one.kind not in KINDS:
        return [
            Problem("integrator.kind", where=where, kind=shown(one.kind), hint=nearest(str(one.kind), KINDS, "kinds"))
        ]
    if one.kind == "splitting":
        sums = {word: sum(part for move, part in one.moves if move == word) for word in ("drift", "kick")}
        wrong = [word for word, total in sums.items() if abs(total - 1.0) > 1e-12]
        return [Problem("integrator.sum", where=where, word=word, sum=sums[word]) for word in wrong]
    if one.kind == "runge-kutta":
        if [len(row) for row in one.stages] != list(range(len(one.weights))):
            return [Problem("integrator.stages", where=where)]
        if abs(sum(one.weights) - 1.0) > 1e-12:
            return [Problem("integrator.weights", where=where, sum=sum(one.weights))]
    return []


_P = 0.1786178958448091, -0.2123418310626054, -0.06626458266981849  # ξ, λ, χ of the source

for _each in (
    Integrator(
        name="verlet",
        title="Velocity Verlet",
        order=2,
        symplectic=True,
        equation="x' = x + v dt + a dt²/2;  v' = v + (a + a') dt/2",
        source="W. C. Swope et al., J. Chem. Phys. 76 (1982) 637",
        kind="verlet",
        reversible=True,
    ),
    Integrator(
        name="stormer",
        title="Störmer-Verlet, from two places",
        order=2,
        symplectic=True,
        equation="x' = 2 x - x₋ + a dt²;  v = (x' - x₋) / 2 dt;  the first step by Euler",
        source="L. Verlet, Phys. Rev. 159 (1967) 98; lecture on material points",
        kind="stormer",
        remark="The first step, by Euler, sets the start back by an error of first order; what follows is of second.",
    ),
    Integrator(
        name="euler",
        title="Euler, velocity first (semi-implicit)",
        order=1,
        symplectic=True,
        equation="v' = v + a dt;  x' = x + v' dt",
        source="lecture on material points; E. Hairer et al., Geometric Numerical Integration (2006), I.1",
        kind="splitting",
        moves=(("kick", 1.0), ("drift", 1.0)),
    ),
    Integrator(
        name="explicit-euler",
        title="Euler, explicit (to see why not)",
        order=1,
        symplectic=False,
        equation="x' = x + v dt;  v' = v + a dt",
        source="E. Hairer et al., Geometric Numerical Integration (2006), I.1",
        kind="runge-kutta",
        stages=((),),
        weights=(1.0,),
        remark="An oscillator gains energy by (ω dt)² in each step.",
    ),
    Integrator(
        name="rk4",
        title="Runge-Kutta of fourth order",
        order=4,
        symplectic=False,
        equation="the classical weights 1/6, 1/3, 1/3, 1/6",
        source="W. Kutta, Z. Math. Phys. 46 (1901) 435",
        kind="runge-kutta",
        stages=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
        weights=(1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0),
    ),
    Integrator(
        name="pefrl",
        title="Forest-Ruth, optimised, of fourth order",
        order=4,
        symplectic=True,
        equation="five drifts and four kicks",
        source="I. P. Omelyan, I. M. Mryglod and R. Folk, Comput. Phys. Commun. 146 (2002) 188",
        kind="splitting",
        moves=(
            ("drift", _P[0]),
            ("kick", 0.5 * (1.0 - 2.0 * _P[1])),
            ("drift", _P[2]),
            ("kick", _P[1]),
            ("drift", 1.0 - 2.0 * (_P[2] + _P[0])),
            ("kick", _P[1]),
            ("drift", _P[2]),
            ("kick", 0.5 * (1.0 - 2.0 * _P[1])),
            ("drift", _P[0]),
        ),
        reversible=True,
        remark="Of second order where forces depend on velocity.",
    ),
):
    register(_each)


def problems(name: Any, where: str) -> list[Problem]:
    """What is wrong with the name of an integrator."""
    if isinstance(name, str) and name in INTEGRATORS:
        return []
    return [
        Problem(
            "integrator.unknown",
            where=where,
            name=shown(name),
            hint=nearest(str(name).lower(), INTEGRATORS, "integrators"),
        )
    ]
