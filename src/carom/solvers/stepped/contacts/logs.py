"""Collisions written down as they happen, if anyone listens."""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, noinline
from carom.physics.regions import OUTLINE
from carom.solvers.collision_record import BALL, CLOTH, NOBODY, WALL

__all__ = ["BALL", "CLOTH", "NOBODY", "WALL", "copy_notes", "write"]


@noinline
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


@noinline
def copy_notes(walls: Any, count: Index, end: Real, clock: Any, place: Any, logs: Any) -> None:
    """Write down the contacts with walls that were noted in a step, as collisions."""
    for k in range(count):
        note = walls.notes[np.uint64(k)]
        if clock.logged >= logs.size:
            return
        r = place[np.uint64(note.body), 3]
        impulse = (note.jx * note.nx + note.jy * note.ny) + note.jz * note.nz
        region = walls.regions[np.uint64(note.region)]
        label = walls.edges[np.uint64(note.edge)].label if region.kind == OUTLINE else region.label
        write(
            logs, clock, end - note.time, WALL, label, note.body, NOBODY, note.x - r * note.nx, note.y - r * note.ny,
            note.z - r * note.nz, note.nx, note.ny, note.nz, impulse,
        )  # fmt: skip
