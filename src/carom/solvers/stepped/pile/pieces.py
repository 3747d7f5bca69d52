"""In how many pieces a step of a pile is made: one, unless a body is so fast that one hit leads to the next within it.

Contacts are found once per piece, with the normals that they will have when bodies meet on their present paths. A ball
that has been hit changes its path, and may meet others that were not on it; the farther it moves, the more this
matters. So where a ball that could hit another moves far, none moves farther than a radius in a piece.
"""

import math
from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline

FARTHEST: Final = 16.0  # times the smallest radius: a ball that moves farther in a step could hit two in a row
FARTHEST_IN_PIECE: Final = 1.0  # times that radius: how far the fastest moves in a piece of such a step
SHORTEST: Final = 2.0**-16  # of a step: no piece is shorter, however fast a ball is
MOST_TRIED: Final = 16  # fast balls that are tried against all others; of more, some will hit


@inline
def square_of(dim: Any, rows: Any, i: Index) -> Real:
    """The square of the length of a vector."""
    total = 0.0
    for axis in range(len(dim)):
        total += rows[i, axis] * rows[i, axis]
    return total


@inline
def next_piece(dim: Any, dt: Real, left: Real, bodies: Any, n: Index) -> Real:
    """The length of the next piece of a step of dt, of which `left` remains: all of that, or an equal part of it, s."""
    fastest, least = 0.0, np.inf
    for k in range(n):
        i = np.uint64(k)
        fastest = max(fastest, square_of(dim, bodies.velocity, i))
        if bodies.place[i, 3] > 0.0:
            least = min(least, bodies.place[i, 3])
    speed, far = (
        math.sqrt(fastest),
        (FARTHEST if left == dt else FARTHEST_IN_PIECE) * least,
    )  # once in pieces, to the end of the step
    if not speed * left > far or not can_hit(dim, left, far, bodies, n):
        return left
    return left / math.ceil(min(speed / (FARTHEST_IN_PIECE * least), 1.0 / (SHORTEST * dt)) * left)


@noinline
def can_hit(dim: Any, left: Real, far: Real, bodies: Any, n: Index) -> bool:
    """Is any body within reach of a ball that moves farther than `far`, in whatever direction?"""
    place, velocity = bodies.place, bodies.velocity
    fast = 0
    for k in range(n):
        i = np.uint64(k)
        way = math.sqrt(square_of(dim, velocity, i)) * left
        if not way > far:
            continue
        fast += 1
        if fast > MOST_TRIED:
            return True
        for other in range(n):
            j = np.uint64(other)
            reach = way + math.sqrt(square_of(dim, velocity, j)) * left + place[i, 3] + place[j, 3]
            apart = 0.0
            for axis in range(len(dim)):
                d = place[i, axis] - place[j, axis]
                apart += d * d
            if j != i and apart < reach * reach:
                return True
    return False
