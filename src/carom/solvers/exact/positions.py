"""Positions, velocities and accelerations of balls between events."""

from typing import Any

import numpy as np

from carom.kernels.jit import Real, inline, kernel
from carom.physics.flight import place, speed
from carom.solvers.exact.events import predict
from carom.solvers.exact.tables import open_bodies, open_numbers, open_state, periodic_of, rules_of, size_of


@inline
def wrapped(x: Real, size: Real, periodic: bool) -> Any:
    """A coordinate, moved by periods into the box where the axis is periodic."""
    return x - np.floor(x / size) * size if periodic else x


@kernel
def read(state_block: Any, t: Real, x: Any, v: Any, dim: Any, pulled: Any) -> None:
    """Write where the bodies are at a time after the origin, and how fast, into the rows of their numbers.

    All rows are moved by periods into the box, those of fixed balls too.
    """
    bodies, state, which = open_bodies(state_block), open_state(state_block), open_numbers(state_block)
    rules, size, periodic = rules_of(dim, pulled, state), size_of(state.space[0]), periodic_of(state.space[0])
    for k in range(bodies.balls.size):
        i = np.uint64(k)
        if which.still[i]:
            continue
        ball = bodies.balls[i]
        row = np.uint64(which.numbers[i])
        ax, ay, az = predict.pull(bodies, rules, rules.gravity, k)
        s = t - ball.t
        x[row, 0], x[row, 1] = place(ball.x, ball.vx, ax, s), place(ball.y, ball.vy, ay, s)
        v[row, 0], v[row, 1] = speed(ball.vx, ax, s), speed(ball.vy, ay, s)
        if len(dim) == 3:
            x[row, 2], v[row, 2] = place(ball.z, ball.vz, az, s), speed(ball.vz, az, s)
    for k in range(x.shape[0]):
        i = np.uint64(k)
        x[i, 0], x[i, 1] = wrapped(x[i, 0], size[0], periodic[0]), wrapped(x[i, 1], size[1], periodic[1])
        if len(dim) == 3:
            x[i, 2] = wrapped(x[i, 2], size[2], periodic[2])


@kernel
def accelerations(state_block: Any, a: Any, dim: Any, pulled: Any) -> None:
    """Write the accelerations of the bodies into the rows of their numbers."""
    bodies, state = open_bodies(state_block), open_state(state_block)
    if len(pulled) == 0:
        return
    rules, which = rules_of(dim, pulled, state), open_numbers(state_block)
    for k in range(bodies.balls.size):
        row = np.uint64(which.numbers[np.uint64(k)])
        a[row, 0], a[row, 1], a[row, 2] = predict.pull(bodies, rules, rules.gravity, k)
