"""The largest Lyapunov exponent: how fast nearby trajectories diverge.

It is found by tangent dynamics, not from two nearby runs: the linearised motion needs no small distance to
choose, has no error of that size, cannot miss a collision that only one of two runs has, and can follow
any recorded run, from its collisions alone. The tests compare it with two nearby runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.observable import Floats, Observable, RunState, register
from carom.physics.walls import BOWL, CORNER, DOME
from carom.scene import Scene
from carom.solvers.collision_record import BALL
from carom.solvers.exact.wall_table import WallTable

NEAR = 1e-6
"""A contact is with a round wall if its surface is this near, in units of its radius plus that of the ball."""
SEED = 1996
"""Seed of the first direction, which does not matter after a short time."""


@register
class LyapunovExponent(Observable):
    """λ = ln(|δ(t)| / |δ(t₀)|) / (t - t₀), 1/s, over the interval since the last sample; its mean is the exponent.

    δ is a difference in places and velocities of all balls, in units of a mean radius and the mean speed, carried by
    the linearised motion (Ch. Dellago, H. A. Posch and W. G. Hoover, Phys. Rev. E 53 (1996) 1485; renormalised at each
    sample as in G. Benettin, L. Galgani and J.-M. Strelcyn, Phys. Rev. A 14 (1976) 2338). Until δ has turned into
    the direction that grows fastest, samples are too small: leave some out.
    """

    name, symbol, unit = "lyapunov", "λ", "1/s"
    wants_collisions: ClassVar[bool] = True
    over_interval: ClassVar[bool] = True

    def begin(self, sim: RunState) -> None:
        """Choose the first direction, and find the round walls."""
        scene = sim.scene
        _check(scene)
        count, d = sim.positions.shape
        self.weights = np.where(scene.balls.fixed, 0.0, 1.0 / sim.masses)
        self.gravity = np.zeros(3)
        self.gravity[:d] = scene.gravity
        self.radii = sim.radii
        self.round = _round_walls(scene)
        speed = float(np.sqrt((sim.velocities**2).sum(axis=1).mean()))
        length = float(sim.radii.mean()) or _extent(sim)
        self.units = np.array([length, speed or 1.0])
        rng = np.random.default_rng(SEED)
        start = rng.standard_normal((2, count, d))
        self.dq, self.dv = (np.zeros((count, 3)) for _ in range(2))
        moving = ~scene.balls.fixed
        self.dq[moving, :d] = start[0, moving] * self.units[0]
        self.dv[moving, :d] = start[1, moving] * self.units[1]
        self.shrunk, self.since = 0.0, sim.time
        self._meet(sim)
        self._renormalise()

    def _meet(self, sim: RunState) -> None:
        """Take over the velocities of the run, so that rounding errors do not accumulate."""
        self.velocities = np.zeros((len(self.dq), 3))
        self.velocities[:, : sim.scene.dimension] = np.nan_to_num(sim.velocities)
        self.times = np.full(len(self.dq), sim.time)

    def _renormalise(self) -> float:
        """Scale δ to length 1, and return the logarithm of its length before."""
        norm = float(np.sqrt(((self.dq / self.units[0]) ** 2).sum() + ((self.dv / self.units[1]) ** 2).sum()))
        if norm > 0.0:
            self.dq /= norm
            self.dv /= norm
        return float(np.log(norm)) if norm > 0.0 else float("nan")

    def collide(self, rows: NDArray[Any]) -> None:
        """Carry δ through these collisions."""
        from carom.physics.linearised import (  # noqa: PLC0415  # Numba is loaded by who needs it
            CollisionColumns,
            Tangent,
            through_collisions,
        )

        if not len(rows):
            return
        pairs = rows["kind"] == BALL
        others = np.where(pairs, rows["b"].astype(np.int64), -1)
        radii = self.radii[rows["a"]]
        apart = radii + np.where(pairs, self.radii[np.where(pairs, others, 0)], 0.0)
        curvature = np.zeros(len(rows))
        curvature[pairs] = 1.0 / apart[pairs]
        if len(self.round):
            curvature[~pairs] = self._curvatures(rows[~pairs], radii[~pairs])
        collisions = CollisionColumns(
            np.ascontiguousarray(rows["time"]), rows["a"].astype(np.int64), others,
            np.ascontiguousarray(rows["normal"]), np.ascontiguousarray(rows["impulse"]), curvature,
        )  # fmt: skip
        motion = Tangent(self.times, self.velocities, self.dq, self.dv, self.weights, self.gravity)
        self.shrunk += through_collisions(collisions, motion)

    def _curvatures(self, rows: NDArray[Any], radii: Floats) -> Floats:
        """Curvature of the walls at these contacts as seen by a centre, 1/m: 1/(r + R) outside, -1/(r - R) inside."""
        found = np.zeros(len(rows))
        centre = rows["place"] + radii[:, None] * rows["normal"]  # of the ball
        for wall in self.round:
            middle = np.array([wall["px"], wall["py"], wall["pz"]])
            inside = wall["kind"] == BOWL
            reach = wall["r"] - radii if inside else wall["r"] + radii
            arm = centre - middle
            far = np.sqrt((arm**2).sum(axis=1))
            facing = np.abs((arm * rows["normal"]).sum(axis=1) - (-far if inside else far))
            scale = NEAR * (wall["r"] + radii)
            here = (np.abs(far - reach) <= scale) & (facing <= scale) & (reach > 0.0)
            found[here] = (-1.0 if inside else 1.0) / reach[here]
        return found

    def sample(self, sim: RunState) -> float:
        """The exponent over the time since the previous sample."""
        self.dq += self.dv * (sim.time - self.times)[:, None]
        dt = sim.time - self.since
        grown = self._renormalise() + self.shrunk
        self.shrunk, self.since = 0.0, sim.time
        self._meet(sim)
        return grown / dt if dt > 0.0 else float("nan")

    def state(self) -> dict[str, NDArray[Any]]:
        """The difference δ, and what it is relative to."""
        return {
            "dq": self.dq.copy(), "dv": self.dv.copy(), "velocities": self.velocities.copy(),
            "times": self.times.copy(), "units": self.units.copy(), "since": np.array([self.since, self.shrunk]),
        }  # fmt: skip

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue with this difference."""
        for name in ("dq", "dv", "velocities", "times", "units"):
            setattr(self, name, np.array(state[name], dtype=np.float64))
        self.since, self.shrunk = map(float, state["since"])


def _check(scene: Scene) -> None:
    """Refuse scenes with more than free flight, gravity and collisions, whose linearised motion is not known here."""
    found = scene.forces_needed
    if scene.piles_up:
        found = [*found, "balls that come to rest"]
    if found:
        raise ArgumentError.of("lyapunov.not-linear", where="lyapunov", found=found)


def _round_walls(scene: Scene) -> NDArray[Any]:
    """Records of the round walls and corners, with their periodic images."""
    records = WallTable(scene).records
    return np.asarray(records[np.isin(records["kind"], (BOWL, DOME, CORNER))])


def _extent(sim: RunState) -> float:
    """The extent of a scene of points, m, as a unit of length."""
    return float(np.ptp(sim.positions, axis=0).max()) or 1.0
