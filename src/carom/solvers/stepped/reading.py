"""What can be read of a run in steps, at any moment, without a change to it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.solvers.collision_record import collision_record
from carom.solvers.stepped.energy.account import Account
from carom.solvers.stepped.energy.energies import kinetic, potentials
from carom.solvers.stepped.forces.custom import Force
from carom.solvers.stepped.forces.sum import Forces
from carom.solvers.stepped.integrators.method import Method
from carom.solvers.stepped.rows import State

Floats = NDArray[np.float64]

LOSSES = ("restitution", "friction", "contacts", "drag", "damping", "breaking", "merging")
"""Kinds of energy that the clock adds up as lost."""


class Glimpse(NamedTuple):
    """A run as it is at a time; rows in the order of the run."""

    place: Floats
    velocity: Floats
    turns: NDArray[np.int64]
    clock: NDArray[Any]
    """Counts and losses up to then."""


class Reading:
    """A run of the stepped solver, for reading only."""

    scene: Scene
    method: Method
    rows: State
    forces: Forces
    extra: tuple[Force, ...]
    clock: NDArray[Any]
    wall_names: list[str]
    start: float
    """Kinetic and potential energy when the run began, J."""

    _seen: tuple[float, Glimpse] | None = None
    """The last look between two steps, and when that was, s."""

    def look_ahead(self) -> None:
        """Set the accelerations, if they are not those of the present places, to look along the path to come."""
        raise NotImplementedError

    def _glimpse(self, s: float) -> Glimpse:
        """The run s after its last step."""
        raise NotImplementedError

    def forget(self) -> None:
        """The run has changed: what was seen between its steps holds no more."""
        self._seen = None

    @property
    def origin(self) -> float:
        """The time from which steps are counted, s."""
        return float(self.clock["begin"][0])

    @property
    def time(self) -> float:
        """The end of the last step, s."""
        return self.origin + int(self.clock["steps"][0]) * self.method.step

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """Collisions so far, by kind."""
        kinds = {"ball-ball": "ball_ball", "ball-wall": "ball_wall"}
        if len(self.scene.triangles):
            kinds["ball-cloth"] = "ball_cloth"
        return {name: int(self.clock[key][0]) for name, key in kinds.items()}

    @property
    def collisions(self) -> int:
        """Collisions so far."""
        return sum(int(self.clock[key][0]) for key in ("ball_ball", "ball_wall", "ball_cloth"))

    def at(self, t: float) -> Glimpse:
        """The run at a time after its last step, as a step up to then would leave it: a look changes nothing."""
        state, s = self.rows, t - self.time
        if abs(s) <= 1e-9 * self.method.step:
            return Glimpse(state.place[:, :3], state.velocity[:, :3], state.turns, self.clock)
        if self._seen is None or self._seen[0] != t:
            self._seen = t, self._glimpse(s)
        return self._seen[1]

    def _in_order(self, rows: NDArray[Any]) -> NDArray[Any]:
        out = np.empty_like(rows)
        out[self.rows.number] = rows
        return out

    def places(self, t: float) -> Floats:
        """Where all balls of the scene are."""
        return self._in_order(self.at(t).place)

    def velocities(self, t: float) -> Floats:
        """How fast they are."""
        return self._in_order(self.at(t).velocity)

    def look(self, t: float) -> tuple[Floats, Floats]:
        """Places and velocities together."""
        return self.places(t), self.velocities(t)

    def accelerations(self, t: float) -> Floats:  # noqa: ARG002  # of the last step
        """What forces do to all balls of the scene where they were at the end of the last step."""
        self.look_ahead()
        born = (np.arange(len(self.rows.number)) < self.clock["bodies"][0])[:, None]
        return self._in_order(np.where(born, self.rows.accel[:, :3], 0.0))

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many times each ball has gone round each periodic axis."""
        return self._in_order(self.rows.turns)

    @property
    def born(self) -> NDArray[np.bool_]:
        """Which balls are there."""
        return self._in_order(np.arange(len(self.rows.number)) < self.clock["bodies"][0])

    def _energies(self, t: float) -> tuple[float, dict[str, float]]:
        """Kinetic energy, and what each force has stored, of all that are born, J."""
        n = int(self.clock["bodies"][0])
        seen = self.at(t)
        x, v = seen.place[:n], seen.velocity[:n]
        m = self.rows.accel[:n, 3]
        moving = self.rows.velocity[:n, 3] > 0.0
        return kinetic(v, m), potentials(self.forces, self.extra, t, x, v, m, moving)

    def potential(self, t: float) -> dict[str, float]:
        """What each force has stored, J."""
        return self._energies(t)[1]

    def account(self, t: float) -> Account:
        """All energies, and what was lost."""
        moving, stored = self._energies(t)
        clock = self.at(t).clock
        lost = {name: float(clock[name][0]) for name in LOSSES}
        return Account(moving, stored, lost, float(clock["work"][0]), self.start)

    def next_together(self) -> NDArray[Any]:
        """Nothing: this solver does not know what comes."""
        return np.zeros(0, collision_record)

    @property
    def resting(self) -> tuple[int, ...]:
        """Balls that are born, free, and do not move at all."""
        state = self.rows
        still = (state.velocity[:, :3] == 0.0).all(axis=1) & (state.velocity[:, 3] > 0.0)
        return tuple(np.sort(state.number[still & (np.arange(len(still)) < self.clock["bodies"][0])]).tolist())

    softened = 0
    """No collision is part of a longer contact here."""
    contact_time = 0.0

    def wall_name(self, wall: int) -> str:
        """What a region is called."""
        return self.wall_names[wall]

    def mechanical_energy(self, t: float) -> float:
        """Kinetic and potential energy, J."""
        moving, stored = self._energies(t)
        return moving + sum(stored.values())
