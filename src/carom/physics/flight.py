"""Motion between events: uniform, or uniformly accelerated.

An acceleration of None means none at all, and costs nothing: Numba compiles that case on its own.
"""

from typing import Any

from carom.kernels.jit import inline

NO_ACCELERATION = (None, None, None)


@inline
def place(x: float, v: float, a: Any, s: float) -> float:
    """x + v s + a s²/2, one component."""
    if a is None:
        return x + v * s
    return x + (v + 0.5 * a * s) * s


@inline
def speed(v: float, a: Any, s: float) -> float:
    """v + a s, one component."""
    if a is None:
        return v
    return v + a * s


@inline
def fly(dim: Any, ball: Any, t: float, ax: Any, ay: Any, az: Any) -> None:
    """Move a ball's anchor to the time t."""
    s = t - ball.t
    ball.x = place(ball.x, ball.vx, ax, s)
    ball.y = place(ball.y, ball.vy, ay, s)
    ball.vx = speed(ball.vx, ax, s)
    ball.vy = speed(ball.vy, ay, s)
    if len(dim) == 3:
        ball.z = place(ball.z, ball.vz, az, s)
        ball.vz = speed(ball.vz, az, s)
    ball.t = t
