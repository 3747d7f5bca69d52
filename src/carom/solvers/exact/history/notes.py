"""Events that move anchors, written down as they happen, if anyone remembers: enough to do them again."""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, noinline
from carom.solvers.exact.records import BALL, CONTACT, EDGE, NONE, SEAM

SEAMS: Final = 128  # added to the face of a seam in `kind`; below, the kind of a contact and its image

note_record = np.dtype(
    [
        ("time", "f8"),  # s after the origin
        ("ball", "u4"),  # its number in the scene
        ("partner", "u4"),  # the other ball's number, or the wall
        ("kind", "u1"),  # as in a ball's record, or SEAMS and the face
    ]
)


@noinline
def note(notes: Any, clock: Any, balls: Any, i: Index, t: Real) -> bool:
    """Write down what ball i is about to do, if it moves an anchor and may be done; False when there is no room left.

    All in one place, and called for every entry, so that a run that nobody remembers pays for no more than a look.
    """
    ball = balls[np.uint32(i)]
    kind = np.int64(ball.kind) & 3
    partner = np.uint32(ball.partner)
    how = np.int64(ball.kind)
    if ball.exit != CONTACT:
        if ball.exit < SEAM or clock.quota == 0:
            return True
        partner, how = np.uint32(NONE), np.int64(ball.exit) + SEAMS
    else:
        if clock.quota == 0 or (clock.quota < 0 and kind != EDGE):
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
