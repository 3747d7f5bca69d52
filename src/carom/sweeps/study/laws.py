"""Theoretical laws to compare plots with, by name; each with its formula and source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, pi, sqrt
from typing import Any, Literal

from carom.errors import StudyError

__all__ = ["LAWS", "Law", "clock_speed"]

At = Mapping[str, Any]
"""Values by path: of the point, else of the scene; a KeyError names a missing path."""

PACKING = "generator.packing_fraction"


@dataclass(frozen=True)
class Law:
    """A curve; its free parameters are fitted to the leftmost points of the plot."""

    title: str
    formula: str
    source: str
    value: Callable[[At], float]
    free: Literal["", "factor", "offset"] = ""


def _eta(at: At, law: str, dimension: int | None = None) -> float:
    """The packing fraction of a gas of equal balls; KeyError if the law is for another dimension."""
    found = at.get("generator.dimension", dimension)
    if dimension is not None and found != dimension:
        problem = "law.for-disks" if dimension == 2 else "law.in-space"
        fit = "henderson or santos" if found == 2 else "carnahan-starling"
        raise StudyError.of(problem, where="plot.law", law=repr(law), dimension=found, fit=fit)
    if at.get("generator.fraction", 0.0) > 0.0:
        raise StudyError.of("law.equal-balls", where="plot.law", law=repr(law))
    return float(at[PACKING])


def _virial(at: At) -> float:
    from carom.observe.measures.theory import compressibility, finite_size  # noqa: PLC0415  # NumPy, when it is drawn

    eta, dimension = _eta(at, "virial"), int(at["generator.dimension"])
    return compressibility(eta, dimension) + finite_size(eta, dimension, at["generator.count"])


def _henderson(at: At) -> float:
    from carom.observe.measures.theory import henderson  # noqa: PLC0415  # as above

    return henderson(_eta(at, "henderson", 2))


def _santos(at: At) -> float:
    eta, densest = _eta(at, "santos", 2), pi * sqrt(3.0) / 6.0
    return 1.0 / (1.0 - 2.0 * eta + (2.0 * densest - 1.0) * (eta / densest) ** 2)


def _carnahan_starling(at: At) -> float:
    from carom.observe.measures.theory import carnahan_starling  # noqa: PLC0415  # as above

    return carnahan_starling(_eta(at, "carnahan-starling", 3))


def _galperin(at: At) -> float:
    return pi * sqrt(at["balls[1].mass"] / at["balls[0].mass"])


def _order(at: At) -> float:
    from carom.solvers.stepped.integrators.cards import INTEGRATORS  # noqa: PLC0415  # as above

    return float(at["run.step"]) ** INTEGRATORS[at["run.integrator"]].order


def _krylov(at: At) -> float:
    return -clock_speed(at["generator.count"]) * log(at[PACKING])


def clock_speed(count: float | None = None) -> float:
    """The speed of clocks in the clock model, in steps per collision of a ball: 4.311 for many balls.

    Each ball carries a clock; when two meet, both show the later time, and one more. With C_k the share of clocks that
    show at most k, dC_k/dt = C_{k-1}² - C_k in units of the mean time between collisions. Ahead of the front 1 - C
    falls as e^(-γ (k - w t)) with w = (2 e^γ - 1)/γ, and the front runs at the least w, where w = 2 e^γ: γ = 0.768. N
    clocks are slower by π² γ² w''/(2 ln² N) = π² γ w/(2 ln² N): E. Brunet and B. Derrida, Phys. Rev. E 56 (1997) 2597.
    """
    gamma = 0.7680390470134656  # of 2 e^γ (1 - γ) = 1
    speed = 1.0 / (1.0 - gamma)
    return speed if count is None else speed * (1.0 - pi**2 * gamma / (2.0 * log(count) ** 2))


def _uniform(at: At) -> float:
    return 1.0 - float(at["plot.above"])


LAWS: dict[str, Law] = {
    "virial": Law(
        "virial series, for N",
        "Z(η) from ten virial coefficients, for N balls",
        "N. Clisby and B. M. McCoy, J. Stat. Phys. 122 (2006) 15; for N balls J. L. Lebowitz and J. K. Percus, "
        "Phys. Rev. 124 (1961) 1673",
        _virial,
    ),
    "henderson": Law(
        "Henderson", "Z = (1 + η²/8) / (1 - η)²", "D. Henderson, Mol. Phys. 30 (1975) 971", _henderson
    ),
    "santos": Law(
        "Santos, López de Haro, Yuste",
        "Z = 1 / (1 - 2 η + (2 η₀ - 1) (η/η₀)²), η₀ = π √3 / 6",
        "A. Santos, M. López de Haro and S. B. Yuste, J. Chem. Phys. 103 (1995) 4622",
        _santos,
    ),
    "carnahan-starling": Law(
        "Carnahan, Starling",
        "Z = (1 + η + η² - η³) / (1 - η)³",
        "N. F. Carnahan and K. E. Starling, J. Chem. Phys. 51 (1969) 635",
        _carnahan_starling,
    ),
    "galperin": Law(
        "π √(M/m)",
        "n = π √(M/m), to within 1",
        "G. Galperin, Regular and Chaotic Dynamics 8 (2003) 375",
        _galperin,
    ),
    "order": Law(
        "slope: order of the integrator",
        "error ~ step^p, p the order",
        "E. Hairer, C. Lubich and G. Wanner, Geometric Numerical Integration (2006), ch. IX.8",
        _order,
        "factor",
    ),
    "krylov": Law(
        "slope of the clock model",
        "λ/Γ = -w ln η + c, w = 4.311 (1 - π² γ / (2 ln² N))",
        "R. van Zon, H. van Beijeren and Ch. Dellago, Phys. Rev. Lett. 80 (1998) 2035",
        _krylov,
        "offset",
    ),
    "uniform": Law(
        "at random, at least",
        "1 - a, the least share of p-values above a",
        "what a p-value means; one of few values has more",
        _uniform,
    ),
}  # fmt: skip
