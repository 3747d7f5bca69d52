"""What an event is: the table of its kinds, and how a ball's record holds the one that comes next.

A new kind of event is a row of `KINDS` and a function that does it, and one that foretells it (CONTRIBUTING).
"""

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.jit import Index, inline

NONE: Final = 0xFFFFFFFF  # no ball, no wall, no block


class Kind(NamedTuple):
    """A kind of event. Its number is its place in `KINDS`, and orders events that happen at one instant."""

    name: str
    partner: str  # what the event is with: "ball", "wall" or "" for nothing
    collision: bool  # is it counted, and handed out to those who listen?


KINDS: Final = (
    Kind("nothing", "", collision=False),
    Kind("ball-ball", "ball", collision=True),
    Kind("ball-wall", "wall", collision=True),
    Kind("end of the wall that the ball slides on", "wall", collision=False),
)
NOTHING, BALL, WALL, EDGE = range(4)

# In a ball's `kind` stand the kind of its next contact and, above it, the image of the ball that it meets.
KIND_BITS: Final = 3
MOST_KINDS: Final = 1 << KIND_BITS
COLLISIONS: Final = sum(1 << number for number, kind in enumerate(KINDS) if kind.collision)

# What comes first for a ball (`exit`): its contact, or leaving its cell (axis * 2 + upward) or its neighbour list.
CONTACT: Final = 255
LEAVES_LIST: Final = 6
ALL_AROUND: Final = 6  # in place of a face: no cell is known yet
SEAM: Final = 8  # added to the axis code when the face of the cell is the seam of a periodic axis


@inline
def packed(kind: Index, image: Index) -> int:
    """A kind and an image as a ball's record holds them; without an image this is the kind itself."""
    return np.uint8(kind + MOST_KINDS * image)  # type: ignore[return-value]  # as the record stores it


@inline
def partner_kind(ball: Any) -> int:
    """The kind of a ball's next contact."""
    return np.int64(ball.kind) & (MOST_KINDS - 1)  # type: ignore[return-value]  # a NumPy integer is one


@inline
def partner_image(ball: Any) -> int:
    """The image of the ball that a ball meets next (`neighbours.candidate`)."""
    return np.int64(ball.kind >> KIND_BITS)  # type: ignore[return-value]  # a NumPy integer is one


@inline
def is_collision(kind: Index) -> bool:
    """Is a contact of this kind counted as a collision?"""
    return bool((COLLISIONS >> kind) & 1)


@inline
def axis_of(face: Index) -> int:
    """The axis of the face of a cell, or of a seam."""
    return int((face & (SEAM - 1)) >> 1)


@inline
def is_upper(face: Index) -> int:
    """1 if a face of a cell, or a seam, is at the upper end of its axis, else 0."""
    return int(face & 1)


def collides_next(ball: np.void) -> bool:
    """Is a collision what comes first for a ball? For Python."""
    return bool(ball["exit"] == CONTACT and KINDS[ball["kind"] % MOST_KINDS].collision)
