"""Fast bodies of a pile: those that can move beyond adjacent cells in a step, and the pairs that they form."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.stepped.contacts.grid import ITSELF, Space, shift_of
from carom.solvers.stepped.pile.broad_phase import add_pair, reach_of, square_of_distance
from carom.solvers.stepped.pile.memory import FAST, SLOW, WIDEST, Pile


@inline
def nearest_period(d: Real, size: Real, periodic: bool) -> Index:
    """How many periods (-1, 0 or 1) to add to the partner's place for the nearest image."""
    return int(min(max(np.rint(d / size), -1.0), 1.0)) if periodic else 0


@inline
def nearest_image(dim: Any, pile: Pile, space: Space, a: Index, b: Index) -> Index:
    """The code of the image of slot b that is nearest to slot a."""
    reach = pile.reach
    ix = nearest_period(reach[a, 0] - reach[b, 0], space.size[0], space.periodic[0])
    iy = nearest_period(reach[a, 1] - reach[b, 1], space.size[1], space.periodic[1])
    iz = nearest_period(reach[a, 2] - reach[b, 2], space.size[2], space.periodic[2]) if len(dim) == 3 else 0
    return ITSELF + ix + 3 * iy + 9 * iz


@inline
def add_fast_pair(dim: Any, pile: Pile, space: Space, count: Index, a: Index, b: Index) -> Index:
    """Add a pair, with the nearest image, if it is within reach, but not within the reach of cells."""
    image = nearest_image(dim, pile, space, a, b)
    d2 = square_of_distance(dim, pile.reach, a, b, shift_of(space, image))
    near, far = pile.reach[a, 3] + pile.reach[b, 3], reach_of(pile, a) + reach_of(pile, b)
    return add_pair(pile, count, a, b, image, d2 < far * far and not d2 < near * near)


@inline
def cells_within(x: Real, far: Real, low: Real, per_metre: Real, n: Index, periodic: bool) -> tuple[int, int]:
    """The first and last cell on an axis within `far`; on a periodic axis they may be out of range."""
    first, last = np.floor((x - far - low) * per_metre), np.floor((x + far - low) * per_metre)
    if not periodic:
        return int(min(max(first, 0.0), n - 1.0)), int(min(max(last, 0.0), n - 1.0))
    return (int(first), int(last)) if last - first < n - 1.0 else (0, n - 1)


@inline
def visit_cells_around(dim: Any, pile: Pile, space: Space, count: Index, a: Index, act: Any) -> Index:
    """Do count = act(dim, pile, space, count, a, b) with all slots in the cells within the reach of a fast body."""
    first, shape, frame, x = pile.grid.first, pile.grid.shape, pile.grid.frame, pile.x
    nx, ny, nz = shape[0], shape[1], shape[2]
    around = reach_of(pile, a) + pile.limits[WIDEST]
    x0, x1 = cells_within(x[a, 0], around, frame[0], frame[3], nx, space.periodic[0])
    y0, y1 = cells_within(x[a, 1], around, frame[1], frame[4], ny, space.periodic[1])
    z0, z1 = (0, 0)
    if len(dim) == 3:
        z0, z1 = cells_within(x[a, 2], around, frame[2], frame[5], nz, space.periodic[2])
    for z in range(z0, z1 + 1):
        for y in range(y0, y1 + 1):
            for c in range(x0, x1 + 1):
                cell = (c % nx) + nx * ((y % ny) + ny * (z % nz))
                for b in range(first[np.uint32(cell)], first[np.uint32(cell + 1)]):
                    count = act(dim, pile, space, count, a, np.uint32(b))
    return count


@inline
def add_hit_by_fast(dim: Any, pile: Pile, space: Space, count: Index, a: Index, b: Index) -> Index:
    """Extend the reach of a body that a fast one can hit, v' = v m/(m + m'); list it if that makes it fast."""
    far, w, i = pile.far, pile.v, pile.grid.order[b]
    d2 = square_of_distance(dim, pile.reach, a, b, shift_of(space, nearest_image(dim, pile, space, a, b)))
    reach = reach_of(pile, a) + pile.reach[b, 3]
    if d2 < reach * reach and w[b, 3] > 0.0:
        hit = far[pile.grid.order[a]] * (w[b, 3] / (w[a, 3] + w[b, 3]))
        if hit > pile.limits[SLOW] and not far[i] > pile.limits[SLOW]:
            pile.fast[np.uint32(count)] = b
            count += 1
        far[i], pile.pushed[b] = max(far[i], hit), max(pile.pushed[b], hit)
    return count


@inline
def add_slow_partner(dim: Any, pile: Pile, space: Space, count: Index, a: Index, b: Index) -> Index:
    """Add the pair of a fast body and a slow one, if they are not in reach by cells."""
    if pile.far[pile.grid.order[b]] > pile.limits[SLOW]:
        return count
    return add_fast_pair(dim, pile, space, count, a, b)


@noinline
def add_hits_by_fast(dim: Any, pile: Pile, space: Space) -> None:
    """List bodies that a fast body can hit as fast, where the hit makes them so."""
    many = pile.tally[FAST]
    for k in range(pile.tally[FAST]):
        many = visit_cells_around(dim, pile, space, many, pile.fast[np.uint32(k)], add_hit_by_fast)
    pile.tally[FAST] = many


@noinline
def find_fast_pairs(dim: Any, pile: Pile, space: Space, count: int) -> Index:
    """List the pairs with fast bodies that are out of reach by cells."""
    for k in range(pile.tally[FAST]):
        a = pile.fast[np.uint32(k)]
        count = visit_cells_around(dim, pile, space, count, a, add_slow_partner)
        for m in range(k):
            count = add_fast_pair(dim, pile, space, count, a, pile.fast[np.uint32(m)])
    return count
