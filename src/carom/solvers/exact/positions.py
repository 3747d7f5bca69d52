"""Where balls are between events, from their hot records: the formulas that everyone who looks shares.

`look` does all in one pass, for those who look often; its bits are those of `places`, `inside` and `velocities`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Real, inline, kernel
from carom.physics.flight import place, speed
from carom.solvers.exact.balls import Bodies
from carom.solvers.exact.events import predict
from carom.solvers.exact.world import World

Floats = NDArray[np.float64]


def pull(world: World, bodies: Bodies) -> Floats:
    """The acceleration of each ball: gravity, or what the wall that it rests on leaves of it."""
    gravity = np.array(world.gravity or (0.0, 0.0, 0.0))
    a = np.tile(gravity, (bodies.balls.size, 1))
    resting = np.flatnonzero(bodies.balls["rest"])
    if resting.size:
        walls = world.walls.records[bodies.rest_on[resting]]
        normal = np.stack([walls["nx"], walls["ny"], walls["nz"]], axis=1)
        k = (gravity[0] * normal[:, 0] + gravity[1] * normal[:, 1]) + gravity[2] * normal[:, 2]
        a[resting] -= k[:, None] * normal
    return a


def places(world: World, bodies: Bodies, t: float) -> Floats:
    """Where the balls are at a time after the origin."""
    balls = bodies.balls
    s = (t - balls["t"])[:, None]
    x = np.stack([balls["x"], balls["y"], balls["z"]], axis=1)
    v = np.stack([balls["vx"], balls["vy"], balls["vz"]], axis=1)
    if world.gravity is None:
        return np.asarray(x + v * s)
    return np.asarray(x + (v + 0.5 * pull(world, bodies) * s) * s)


def velocities(world: World, bodies: Bodies, t: float) -> Floats:
    """How fast they are then."""
    balls = bodies.balls
    v = np.stack([balls["vx"], balls["vy"], balls["vz"]], axis=1)
    if world.gravity is not None:
        v += pull(world, bodies) * (t - balls["t"])[:, None]
    return v


def inside(world: World, x: Floats) -> Floats:
    """The places themselves, those beyond a seam moved by a period."""
    for axis in range(world.dimension):
        if world.periodic[axis]:
            column, size = x[:, axis], world.size[axis]
            column -= np.floor(column / size) * size
    return x


@inline
def wrapped(x: Real, size: Real, periodic: bool) -> Any:
    """A coordinate, moved by periods into the box where the axis is periodic."""
    return x - np.floor(x / size) * size if periodic else x


@kernel
def read(bodies: Any, rules: Any, numbers: Any, t: Real, size: Any, periodic: Any, x: Any, v: Any) -> None:
    """Write the positions of the balls, inside the box, and their velocities into rows by their numbers."""
    for k in range(bodies.balls.size):
        i = np.uint64(k)
        ball = bodies.balls[i]
        row = np.uint64(numbers[i])
        ax, ay, az = predict.pull(bodies, rules, rules.gravity, k)
        s = t - ball.t
        x[row, 0] = wrapped(place(ball.x, ball.vx, ax, s), size[0], periodic[0])
        x[row, 1] = wrapped(place(ball.y, ball.vy, ay, s), size[1], periodic[1])
        v[row, 0], v[row, 1] = speed(ball.vx, ax, s), speed(ball.vy, ay, s)
        if x.shape[1] == 3:
            x[row, 2] = wrapped(place(ball.z, ball.vz, az, s), size[2], periodic[2])
            v[row, 2] = speed(ball.vz, az, s)


def look(world: World, bodies: Bodies, numbers: NDArray[np.intp], t: float) -> tuple[Floats, Floats]:
    """Where all balls of a scene are at a time after the origin, and how fast: rows of as many numbers as dimensions.

    `numbers` are those of the bodies.
    """
    anchors, d = world.anchors, world.dimension
    fixed = np.flatnonzero(anchors.fixed)
    x, v = np.empty((len(anchors), d)), np.empty((len(anchors), d))
    read(bodies, world.rules, numbers, t, world.size, world.periodic, x, v)
    x[fixed], v[fixed] = inside(world, anchors.place[fixed])[:, :d], 0.0
    return x, v
