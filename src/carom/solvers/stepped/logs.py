"""Collisions written down as they happen, if anyone listens."""

from typing import Any

from carom.physics.jit import Index, Real, branch
from carom.world.collisions import BALL, CLOTH, NOBODY, WALL

__all__ = ["BALL", "CLOTH", "NOBODY", "WALL", "write"]


@branch
def write(
    logs: Any, clock: Any, t: Real, kind: Index, wall: Index, a: Index, b: Index, x: Real, y: Real, z: Real,
    nx: Real, ny: Real, nz: Real, impulse: Real,
) -> None:  # fmt: skip
    """Write a collision down; a and b are rows."""
    entry = logs[clock.logged]
    clock.logged += 1
    entry.time, entry.kind, entry.softened, entry.wall, entry.a, entry.b = t, kind, 0, wall, a, b
    entry.place[0], entry.place[1], entry.place[2] = x, y, z
    entry.normal[0], entry.normal[1], entry.normal[2] = nx, ny, nz
    entry.impulse = impulse
