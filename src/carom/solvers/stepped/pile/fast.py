"""Fast bodies: those that come farther in a step than adjacent cells show, and what they hit."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.stepped.contacts.grid import ITSELF, Space, shift_of
from carom.solvers.stepped.pile.contacts import full, note, separation
from carom.solvers.stepped.pile.memory import FAST, SLOW, WIDEST, Pile


@inline
def nearest(d: Real, size: Real, periodic: bool) -> Index:
    """How many periods to add to the partner, of -1, 0 and 1, to have it as near as can be."""
    return int(min(max(np.rint(d / size), -1.0), 1.0)) if periodic else 0


@inline
def nearest_image(dim: Any, pile: Pile, space: Space, a: Index, b: Index) -> Index:
    """The code of the image of slot b that is nearest to slot a."""
    reach = pile.reach
    ix = nearest(reach[a, 0] - reach[b, 0], space.size[0], space.periodic[0])
    iy = nearest(reach[a, 1] - reach[b, 1], space.size[1], space.periodic[1])
    iz = nearest(reach[a, 2] - reach[b, 2], space.size[2], space.periodic[2]) if len(dim) == 3 else 0
    return ITSELF + ix + 3 * iy + 9 * iz


@inline
def note_fast(dim: Any, pile: Pile, space: Space, count: Index, a: Index, b: Index) -> Index:
    """Write a pair down, with the nearest image, if it is within reach, but not within that of cells."""
    image = nearest_image(dim, pile, space, a, b)
    d2 = separation(dim, pile.reach, a, b, shift_of(space, image))
    near, far = pile.reach[a, 3] + pile.reach[b, 3], full(pile, a) + full(pile, b)
    return note(pile, count, a, b, image, d2 < far * far and not d2 < near * near)


@inline
def cells_within(x: Real, far: Real, low: Real, per_metre: Real, n: Index, periodic: bool) -> tuple[int, int]:
    """The first and the last cell on an axis that are no farther than this; beyond a seam they are counted on."""
    first, last = np.floor((x - far - low) * per_metre), np.floor((x + far - low) * per_metre)
    if not periodic:
        return int(min(max(first, 0.0), n - 1.0)), int(min(max(last, 0.0), n - 1.0))
    return (int(first), int(last)) if last - first < n - 1.0 else (0, n - 1)


@inline
def look_around(dim: Any, pile: Pile, space: Space, count: Index, a: Index, act: Any) -> Index:
    """Do count = act(dim, pile, space, count, a, b) with all slots in the cells within the reach of a fast body."""
    first, shape, frame, x = pile.grid.first, pile.grid.shape, pile.grid.frame, pile.x
    nx, ny, nz = shape[0], shape[1], shape[2]
    around = full(pile, a) + pile.limits[WIDEST]
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
def lend(dim: Any, pile: Pile, space: Space, count: Index, a: Index, b: Index) -> Index:
    """Give what a fast body can hit the reach that it has then, v' = v m/(m + m'); and count one more fast body."""
    far, w, i = pile.far, pile.v, pile.grid.order[b]
    d2 = separation(dim, pile.reach, a, b, shift_of(space, nearest_image(dim, pile, space, a, b)))
    reach = full(pile, a) + pile.reach[b, 3]
    if d2 < reach * reach and w[b, 3] > 0.0:
        hit = far[pile.grid.order[a]] * (w[b, 3] / (w[a, 3] + w[b, 3]))
        if hit > pile.limits[SLOW] and not far[i] > pile.limits[SLOW]:
            pile.fast[np.uint32(count)] = b
            count += 1
        far[i], pile.lent[b] = max(far[i], hit), max(pile.lent[b], hit)
    return count


@inline
def note_slow(dim: Any, pile: Pile, space: Space, count: Index, a: Index, b: Index) -> Index:
    """Write down the pair of a fast body and one that is not, if adjacent cells do not show it."""
    if pile.far[pile.grid.order[b]] > pile.limits[SLOW]:
        return count
    return note_fast(dim, pile, space, count, a, b)


@noinline
def lend_fast(dim: Any, pile: Pile, space: Space) -> None:
    """What a fast body can hit is fast too."""
    many = pile.tally[FAST]
    for k in range(pile.tally[FAST]):
        many = look_around(dim, pile, space, many, pile.fast[np.uint32(k)], lend)
    pile.tally[FAST] = many


@noinline
def walk_fast(dim: Any, pile: Pile, space: Space, count: int) -> Index:
    """Write down the pairs of fast bodies that are farther apart than what adjacent cells show."""
    for k in range(pile.tally[FAST]):
        a = pile.fast[np.uint32(k)]
        count = look_around(dim, pile, space, count, a, note_slow)
        for m in range(k):
            count = note_fast(dim, pile, space, count, a, pile.fast[np.uint32(m)])
    return count
