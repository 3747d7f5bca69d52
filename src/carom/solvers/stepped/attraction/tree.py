"""Attraction by a tree, in which far bodies pull as a group; and the choice between it and the sum over all pairs.

After Barnes and Hut ("A hierarchical O(N log N) force-calculation algorithm", Nature 324, 1986), with second moments
and one walk for a group of bodies (Barnes, "A modified tree code: don't laugh; it runs", J. Comput. Phys. 87, 1990).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from carom.errors import Problem, SceneError
from carom.kernels.jit import Index, by_type, kernel
from carom.solvers.stepped.attraction.columns import columns_for
from carom.solvers.stepped.attraction.direct import (
    Direct,
    add_direct,
    attract_first,
    attract_rest,
    direct,
    energy_direct,
    fill,
)
from carom.solvers.stepped.attraction.nodes import LEAF, MOMENTS, SPOT, Tree
from carom.solvers.stepped.attraction.walk import add_tree, energy_tree

CROSSOVER = 4000  # bodies: from so many on, the tree is faster, even where they crowd around a centre
PARTED = 2000  # bodies: from so many on, pairs are summed in two parts, one of which another thread may do
OPENING = 0.5  # θ by default
COARSEST = 2.0  # the largest θ: beyond, nothing is left of the accuracy


def attraction_of(
    n: int, G: float, softening: float = 0.0, opening: float | None = None, strict: bool = False
) -> Direct | Tree:
    """Attraction between at most n bodies: parameters, and the memory that the kernels need.

    `opening` is θ of the tree; 0 takes all pairs, None the faster of the two (with θ = OPENING). `strict` takes IEEE's
    square root and division instead of the quick inverse cube. Either gives the same bits on every machine.
    """
    problems = []
    if not math.isfinite(G):
        problems.append(Problem("attraction.constant", where="attraction.G", G=G))
    if not 0.0 <= softening < 1e75:
        problems.append(Problem("attraction.softening", where="attraction.softening", softening=softening))
    if opening is not None and not 0.0 <= opening <= COARSEST:
        problems.append(Problem("attraction.coarseness", where="attraction.opening", opening=opening, most=COARSEST))
    if problems:
        raise SceneError(problems)
    if opening is None:
        opening = OPENING if n >= CROSSOVER else 0.0
    soft, flavour = softening * softening, (1.0,) if strict else ()
    if opening == 0.0:
        return direct(G, soft, flavour, n, parted=n >= PARTED)
    leaves = max(1, -(-n // int(LEAF)))
    nodes = 2 * leaves - 1
    first, of_leaves, left, far, near = (np.zeros(nodes, np.uint32) for _ in range(5))
    low, high, spot, moments = (np.zeros(width * nodes) for width in (4, 4, int(SPOT), int(MOMENTS)))
    rows = np.zeros(4 * leaves * int(LEAF))
    return Tree(
        *(G, soft, flavour, opening, columns_for(n)),
        *(rows, first, of_leaves, left, low, high, spot, moments, far, near, np.zeros(1, np.int64)),
    )


add_attraction = by_type({Direct: add_direct, Tree: add_tree})
"""(dim, attraction, place, accel, n): add to the accelerations of the first n bodies the attraction between them."""

attraction_energy: Callable[..., float] = by_type({Direct: energy_direct, Tree: energy_tree})
"""(dim, attraction, place, accel, n): the potential energy of the first n bodies, J."""


@kernel
def potential_energy(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> float:
    """The potential energy of the first n bodies, J; for Python."""
    return attraction_energy(dim, attraction, place, accel, n)


@kernel
def line_up(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> int:
    """Write bodies into the columns of a sum over all pairs; gives their number, a multiple of eight."""
    return int(fill(dim, attraction, place, accel, np.uint64(n)))


@kernel
def sum_part(dim: Any, attraction: Any, full: Index, rest: bool) -> None:
    """Do one of the two parts of the sum over all pairs; for threads."""
    if rest:
        attract_rest(dim, attraction, np.uint64(full))
    else:
        attract_first(dim, attraction, np.uint64(full))
