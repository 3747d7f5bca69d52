"""From a scene to rows: bodies in the order of their births, links between rows, tables of materials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.solvers.stepped.forces.sum import Hinges, Springs

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass
class State:
    """The bodies of a scene as rows, in the order of their births."""

    place: Floats
    velocity: Floats
    accel: Floats
    born: Floats
    turns: NDArray[np.int64]
    material: NDArray[np.uint8]
    number: Rows
    """The number in the scene of the ball in each row."""

    @classmethod
    def of(cls, scene: Scene) -> State:
        """The bodies of a scene at its start."""
        balls = scene.balls
        n, d = balls.position.shape
        number = np.argsort(balls.born, kind="stable")
        place, velocity, accel = (np.zeros((n, 4)) for _ in range(3))
        place[:, :d], velocity[:, :d] = balls.position[number], balls.velocity[number]
        place[:, 3] = balls.radius[number]
        velocity[:, 3] = np.where(balls.fixed[number], 0.0, 1.0 / balls.mass[number])
        accel[:, 3] = balls.mass[number]
        return cls(
            place=place,
            velocity=velocity,
            accel=accel,
            born=balls.born[number],
            turns=np.zeros((n, 3), np.int64),
            material=balls.material.codes[number].astype(np.uint8),
            number=number,
        )

    @property
    def row(self) -> Rows:
        """The row of each ball of the scene."""
        row = np.empty(self.number.size, np.intp)
        row[self.number] = np.arange(self.number.size)
        return row


def periods_of(scene: Scene) -> tuple[float, ...]:
    """The lengths of periodic axes, 0 for others; empty where no axis is periodic."""
    box = scene.boundary.box
    if box is None or not any(box.periodic):
        return ()
    lengths = [size if around else 0.0 for size, around in zip(box.size, box.periodic, strict=True)]
    return (*lengths, *(0.0,) * (3 - len(lengths)))


def separation(scene: Scene, one: Rows, two: Rows) -> Floats:
    """The vectors from balls to balls at the start, to the nearest image where space is periodic."""
    d = scene.balls.position[two] - scene.balls.position[one]
    for axis, period in enumerate(periods_of(scene)[: scene.dimension]):
        if period:
            d[:, axis] -= period * np.rint(d[:, axis] / period)
    return np.asarray(d)


def springs_of(scene: Scene, row: Rows, linked: NDArray[np.uint32]) -> Springs | tuple[()]:
    """The links between rows; the ends of each in order, and the links in the order of their first ends."""
    links = scene.links
    if not len(links):
        return ()
    ends = np.sort(row[links.between], axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    rest = np.array(links.length[order])
    breaking = links.breaking[order]
    return Springs(
        ends=ends[order].astype(np.uint32),
        k=np.array(links.stiffness[order]),
        rest=rest,
        c=np.array(links.damping[order]) if links.damping.any() else np.zeros(0),
        limit=rest * (1.0 + breaking) if np.isfinite(breaking).any() else np.zeros(0),
        number=order,
        linked=linked,
    )


def hinges_of(scene: Scene, row: Rows) -> Hinges | tuple[()]:
    """The bends between rows; where there are links but no bends, none, for the same kernel."""
    bends = scene.bends
    if not len(bends) and not len(scene.links):
        return ()
    return Hinges(bodies=row[bends.corner].astype(np.uint32), k=np.array(bends.stiffness), rest=np.array(bends.angle))
