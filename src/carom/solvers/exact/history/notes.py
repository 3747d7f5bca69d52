"""Events that move anchors, written down as they happen, if anyone remembers: enough to do them again."""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.solvers.exact.kinds import BALL, CONTACT, NONE, SEAM, is_collision, partner_image, partner_kind

# How a byte tells what happened. Files of all versions hold these: a kind that comes later has no image.
SEAMS: Final = 128  # added to the face of a seam; below it, 4 * image + kind
FIRST_KINDS: Final = 4  # kinds below this have two bits; a later one is 4 * (kind - 3), where these bits are zero

note_record = np.dtype(
    [
        ("time", "f8"),  # s after the origin
        ("ball", "u4"),  # its number in the scene
        ("partner", "u4"),  # the other ball's number, or the wall
        ("kind", "u1"),  # what happened (`coded`), or SEAMS and the face
    ]
)


@inline
def coded(kind: Index, image: Index) -> int:
    """The byte that tells of a contact."""
    return int(kind + FIRST_KINDS * image if kind < FIRST_KINDS else FIRST_KINDS * (kind - FIRST_KINDS + 1))


def decoded(code: Index) -> tuple[Index, Index]:
    """The kind and the image that a byte tells of."""
    kind, rest = code % FIRST_KINDS, code // FIRST_KINDS
    return (kind, rest) if kind > 0 or rest == 0 else (rest + FIRST_KINDS - 1, 0)


@noinline
def note(notes: Any, clock: Any, balls: Any, i: Index, t: Real) -> bool:
    """Write down what ball i is about to do, if it moves an anchor and may be done; False when there is no room left.

    All in one place, and called for every entry, so that a run that nobody remembers pays for no more than a look.
    """
    ball = balls[np.uint32(i)]
    kind = partner_kind(ball)
    partner = np.uint32(ball.partner)
    how: Index = coded(kind, partner_image(ball))
    if ball.exit != CONTACT:
        if ball.exit < SEAM or clock.quota == 0:
            return True
        partner, how = np.uint32(NONE), np.int64(ball.exit) + SEAMS
    else:
        if clock.quota == 0 or (clock.quota < 0 and is_collision(kind)):
            return True
        if kind == BALL:
            other = balls[partner]
            if other.moved > ball.planned:
                return True
            partner = np.uint32(other.id)
    if clock.noted == notes.size:
        return False
    row = notes[np.uint64(clock.noted)]
    row.time, row.ball, row.partner, row.kind = t, ball.id, partner, how
    clock.noted += 1
    return True
