"""The log: collisions, written down as rows for the caller of a run."""

from typing import Any, NamedTuple

from carom.kernels.jit import Index, Real, inline, noinline


class Log(NamedTuple):
    """Where a run writes what happens, as far as there is room; empty arrays if nobody wants it."""

    collisions: Any  # rows of `collision_record`
    notes: Any  # rows of `note_record`, for a history


class Hit(NamedTuple):
    """A collision."""

    time: Any
    kind: Any
    softened: Any
    wall: Any
    a: Any
    b: Any
    impulse: Any


@inline
def write(log: Any, clock: Any, ball: Any, hit: Any, nx: Real, ny: Real, nz: Real) -> None:
    """Write down a collision of a ball, which is ball a of the hit, along a normal towards it."""
    if clock.logged < log.collisions.size:
        clock.logged += 1
        fill_row(log.collisions, clock.logged - 1, ball, hit, nx, ny, nz)


@noinline
def fill_row(rows: Any, row: Index, ball: Any, hit: Any, nx: Real, ny: Real, nz: Real) -> None:
    """Fill in a row so that the normal points towards the ball with the lower number."""
    entry = rows[row]
    swap = hit.b < hit.a
    s = -1.0 if swap else 1.0
    entry.time, entry.kind, entry.softened, entry.wall = hit.time, hit.kind, hit.softened, hit.wall
    entry.a, entry.b = (hit.b, hit.a) if swap else (hit.a, hit.b)
    entry.place[0], entry.place[1], entry.place[2] = ball.x - nx * ball.r, ball.y - ny * ball.r, ball.z - nz * ball.r
    entry.normal[0], entry.normal[1], entry.normal[2] = s * nx, s * ny, s * nz
    entry.impulse = hit.impulse
