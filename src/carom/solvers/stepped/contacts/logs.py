"""Collisions written down as they happen, if anyone listens."""

from typing import Any, NamedTuple

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline
from carom.physics.regions import OUTLINE
from carom.solvers.collision_record import BALL, CLOTH, NOBODY, WALL

__all__ = ["BALL", "CLOTH", "NOBODY", "WALL", "LogRow", "book_wall_contacts", "copy_notes", "write"]


class LogRow(NamedTuple):
    """A collision to be written down; a and b are rows of bodies."""

    t: Any
    kind: Any
    wall: Any
    a: Any
    b: Any
    place: Any
    normal: Any
    impulse: Any


@noinline
def write(log: Any, clock: Any, row: Any) -> None:
    """Write a collision down."""
    entry = log[clock.logged]
    clock.logged += 1
    entry.time, entry.kind, entry.softened, entry.wall, entry.a, entry.b = row.t, row.kind, 0, row.wall, row.a, row.b
    entry.place[0], entry.place[1], entry.place[2] = row.place
    entry.normal[0], entry.normal[1], entry.normal[2] = row.normal
    entry.impulse = row.impulse


@noinline
def copy_notes(walls: Any, count: Index, end: Real, clock: Any, place: Any, log: Any) -> None:
    """Write down the contacts with walls that were noted in a step, as collisions."""
    for k in range(count):
        note = walls.notes[np.uint64(k)]
        if clock.logged >= log.size:
            return
        r = place[np.uint64(note.body), 3]
        impulse = (note.jx * note.nx + note.jy * note.ny) + note.jz * note.nz
        region = walls.regions[np.uint64(note.region)]
        label = walls.edges[np.uint64(note.edge)].label if region.kind == OUTLINE else region.label
        at = (note.x - r * note.nx, note.y - r * note.ny, note.z - r * note.nz)
        normal = (note.nx, note.ny, note.nz)
        write(log, clock, LogRow(end - note.time, WALL, label, note.body, NOBODY, at, normal, impulse))


@inline
def book_wall_contacts(step: Any, walls: Any, met: Any) -> None:
    """Count contacts with walls and what they took: `met` is (energy by restitution, by friction, how many)."""
    clock = step.clock
    clock.restitution += met[0]
    clock.friction += met[1]
    clock.ball_wall += met[2]
    copy_notes(walls, min(met[2], walls.notes.size), step.t + step.dt, clock, step.bodies.place, step.log)
