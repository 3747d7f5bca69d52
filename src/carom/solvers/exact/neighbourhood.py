"""One interface to the two ways of knowing one's neighbours: cells and neighbour lists.

A kernel calls these names; which of the two is meant follows from the type of `hood`, when the kernel is compiled.
Neither can change the motion: they only say which pairs are worth a look, and until when that holds.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from carom.physics.jit import INLINE, Index, Real
from carom.solvers.exact import cells, listing, lists


def candidates(dim: Any, hood: Any, balls: Any, i: Index, face: Index, found: Any) -> int:
    """How many balls ball i could touch before its neighbourhood expires; they are collected in `found` if need be."""
    raise NotImplementedError


def where(hood: Any, i: Index, found: Any) -> tuple[Any, int]:
    """Where those stand: an array, and the place of the first.

    Behind them stands ball i itself, so often that their number becomes a multiple of the pace.
    """
    raise NotImplementedError


def pace(hood: Any) -> int:
    """How many are looked at at once."""
    raise NotImplementedError


def first_wall(hood: Any, balls: Any, i: Index) -> int:
    """Where the list of the walls near ball i begins in `hood.near`."""
    raise NotImplementedError


def expiry(dim: Any, hood: Any, balls: Any, i: Index, now: Real, ax: Any, ay: Any, az: Any) -> tuple[float, int]:
    """When and how the neighbourhood of ball i expires."""
    raise NotImplementedError


def renew(
    dim: Any, hood: Any, clock: Any, balls: Any, i: Index, face: Index, now: Real, ax: Any, ay: Any, az: Any
) -> bool:
    """Bring the neighbourhood of ball i up to date after it expired; False: no memory left, build everything anew."""
    raise NotImplementedError


def warm(hood: Any, balls: Any, i: Index, stage: Index, second: bool) -> None:
    """Ask for the memory that ball i's next event will read."""
    raise NotImplementedError


def offer(stub: Callable[..., Any], by_cells: Callable[..., Any], by_lists: Callable[..., Any]) -> None:
    """Let Numba choose between the two by the type of the neighbourhood."""

    def choose(*arguments: Any) -> Callable[..., Any]:
        hood = next(each for each in arguments if hasattr(each, "instance_class"))
        chosen = by_cells if hood.instance_class is cells.Cells else by_lists
        return chosen.py_func  # type: ignore[attr-defined]  # a Numba dispatcher

    options: Any = INLINE
    overload(stub, jit_options=options, strict=False)(choose)


offer(candidates, cells.candidates, lists.candidates)
offer(where, cells.where, lists.where)
offer(pace, cells.pace, lists.pace)
offer(first_wall, cells.first_wall, lists.first_wall)
offer(expiry, cells.expiry, lists.expiry)
offer(renew, cells.renew, listing.renew)
offer(warm, cells.warm, lists.warm)
