"""Does a stored state fit a run? What every solver asks before it takes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import SolverError

ANY = -1
"""In a shape: a length of any size."""
MANY = 2**62
"""More than anything that is counted."""


def misfit(name: str, what: str) -> SolverError:
    """The complaint about a state that does not fit."""
    return SolverError(f"state: {name} {what}. Restore it into a run of the scene and the solver that it came from.")


def part(state: Mapping[str, Any], name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    """A part of a state, as an array of a shape and a type; a `SolverError` if it is none."""
    if name not in state:
        raise misfit(name, "is missing")
    found = np.asarray(state[name])
    fits = len(found.shape) == len(shape) and all(
        want in (ANY, have) for want, have in zip(shape, found.shape, strict=True)
    )
    if not fits:
        wanted = "×".join("any" if want == ANY else str(want) for want in shape) or "one number"
        raise misfit(name, f"has the shape {'×'.join(map(str, found.shape)) or 'of one number'} where {wanted} fits")
    if found.dtype != np.dtype(kind):
        raise misfit(name, f"has numbers of type {found.dtype} where {np.dtype(kind)} fits")
    return found


def check(fits: bool, name: str, what: str) -> None:
    """Complain if something is not so."""
    if not fits:
        raise misfit(name, what)


def check_finite(found: Mapping[str, NDArray[Any]], *names: str) -> None:
    """Complain about numbers that are not finite."""
    for name in names:
        check(bool(np.isfinite(found[name]).all()), name, "has numbers that are not finite")


def check_range(found: NDArray[Any], low: float, high: float, name: str) -> None:
    """Complain about numbers below `low`, or not below `high`."""
    check(bool(((found >= low) & (found < high)).all()), name, f"has numbers that are not within {low} and {high}")
