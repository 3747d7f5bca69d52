"""Collision rates, mean free time and mean free path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.interval import OverInterval
from carom.observe.measures.thermo import present
from carom.observe.observable import Floats, RunState, ratio, register
from carom.scene import Scene
from carom.solvers.collision_record import BALL, CLOTH, NOBODY, WALL

MOST_SPECIES = 16
KINDS = (BALL, WALL, CLOTH)


@register
class CollisionRate(OverInterval):
    """Γ: the number of collisions with other balls per ball and second; N balls with n collisions: 2 n / (N t), 1/s.

    A collision with a fixed ball counts for the moving ball. In a dilute gas of equal balls it is √2 n σ <v>, with
    the cross-section σ = π D² (2 D in the plane): S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform
    Gases (3rd ed., Cambridge 1970), ch. 5.
    """

    name, symbol, unit = "collision_rate", "Γ", "1/s"

    def begin(self, sim: RunState) -> None:
        """Find the balls that can move."""
        super().begin(sim)
        self.moves = ~sim.scene.balls.fixed

    def collide(self, rows: NDArray[Any]) -> None:
        """Count both partners."""
        met = rows[rows["kind"] == BALL]
        self.tally[0] += self.moves[met["a"]].sum() + self.moves[met["b"]].sum()

    def mean(self, sim: RunState, dt: float) -> float | Floats:
        """The mean over the interval."""
        return ratio(float(self.tally[0]), present(sim).size * dt)


@register
class MeanFreeTime(CollisionRate):
    """τ = 1 / Γ = N t / (2 n), s: the mean time between two collisions of a ball with others; infinite without any.

    S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases (3rd ed., Cambridge 1970), ch. 5: the
    collision interval.
    """

    name, symbol, unit = "mean_free_time", "τ", "s"
    inverse_mean: ClassVar[bool] = True

    def mean(self, sim: RunState, dt: float) -> float:
        """The mean over the interval."""
        return float(np.divide(present(sim).size * dt, self.tally[0])) if self.tally[0] else float("inf")


@register
class MeanFreePath(CollisionRate):
    """ℓ = <v> / Γ, m: the total length of all trajectories over the number of collisions of balls with balls.

    <v> is the mean of the mean speeds at the two ends of the interval. A dilute gas of equal balls has 1 / (√2 n σ):
    S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases (3rd ed., Cambridge 1970), ch. 5.
    """

    name, symbol, unit = "mean_free_path", "ℓ", "m"
    inverse_mean: ClassVar[bool] = True

    def begin(self, sim: RunState) -> None:
        """Take the mean speed at the start."""
        super().begin(sim)
        self._before = mean_speed(sim)

    def mean(self, sim: RunState, dt: float) -> float:
        """The mean over the interval."""
        now = mean_speed(sim)
        path = 0.5 * (self._before + now) * present(sim).size * dt
        self._before = now
        return path / float(self.tally[0]) if self.tally[0] else float("inf")

    def state(self) -> dict[str, NDArray[Any]]:
        """The state, with the mean speed at the start of the interval."""
        return {**super().state(), "before": np.array(self._before)}

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue within the interval."""
        super().load(state)
        self._before = float(state["before"])


@register
class RatesByKind(OverInterval):
    """n_k / t, 1/s: collisions of all balls per second, by kind k: between balls, with walls, with cloth.

    A count, by definition. A collision between two balls counts once here and twice in Γ, so that Γ = 2 n_1 / (N t)
    if no ball is fixed. Walls of area A have n_2 / t = n <v> A / 4 in equilibrium, in the plane n <v> A / π:
    S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases (3rd ed., Cambridge 1970), ch. 5.
    """

    name, symbol, unit = "rates_by_kind", "n_k / t", "1/s"
    labels: ClassVar[tuple[str, ...]] = ("between balls", "with walls", "with cloth")

    def zero(self, sim: RunState) -> Floats:  # noqa: ARG002  # a subclass may need it
        """One sum per kind."""
        return np.zeros(len(KINDS))

    def collide(self, rows: NDArray[Any]) -> None:
        """Count the collisions by kind."""
        self.tally += [(rows["kind"] == kind).sum() for kind in KINDS]

    def mean(self, sim: RunState, dt: float) -> Floats:  # noqa: ARG002  # nothing but the counts is needed
        """The mean over the interval."""
        return self.tally / dt


@register
class RatesBySpecies(OverInterval):
    """Γ_ij, 1/s: collisions per second of a ball of species i with species j (see `species`): a square table.

    Γ_ij = n_ij / (N_i t) for n_ij collisions between the two (twice as many for i = j), so that N_i Γ_ij = N_j Γ_ji;
    the sum over j is the rate of species i. For mixtures in equilibrium: S. Chapman and T. G. Cowling, The Mathematical
    Theory of Non-Uniform Gases (3rd ed., Cambridge 1970), ch. 5.
    """

    name, symbol, unit = "rates_by_species", "Γ_ij", "1/s"

    def begin(self, sim: RunState) -> None:
        """Find the species of each ball."""
        self.kinds, self.count = species(sim.scene)
        super().begin(sim)

    def zero(self, sim: RunState) -> Floats:  # noqa: ARG002  # a subclass may need it
        """One sum per pair of species."""
        return np.zeros((self.count, self.count))

    def collide(self, rows: NDArray[Any]) -> None:
        """Count each collision for both partners."""
        met = rows[(rows["kind"] == BALL) & (rows["b"] != NOBODY)]
        one, other = self.kinds[met["a"]], self.kinds[met["b"]]
        np.add.at(self.tally, (one, other), 1.0)
        np.add.at(self.tally, (other, one), 1.0)

    def mean(self, sim: RunState, dt: float) -> Floats:
        """The mean over the interval."""
        there = np.bincount(self.kinds[~np.isnan(sim.positions[:, 0])], minlength=self.count)
        return np.asarray(self.tally / (np.maximum(there, 1)[:, None] * dt))


def species(scene: Scene) -> tuple[NDArray[np.intp], int]:
    """The species of each ball, and the number of species; equal mass, radius, material and `fixed` make one species.

    Species are numbered in the order of their first ball.
    """
    balls = scene.balls
    table = np.stack([balls.mass, balls.radius, balls.material.codes, balls.fixed], axis=1)
    _, first, kinds = np.unique(table, axis=0, return_index=True, return_inverse=True)
    if first.size > MOST_SPECIES:
        raise ArgumentError.of("rates.too-many-species", where="rates_by_species", count=first.size, most=MOST_SPECIES)
    rank = np.empty(first.size, dtype=np.intp)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[kinds.ravel()], int(first.size)


def mean_speed(sim: RunState) -> float:
    """The mean speed of the balls that exist and can move, m/s."""
    velocities = sim.velocities[present(sim)]
    return float(np.sqrt((velocities**2).sum(axis=1)).mean()) if len(velocities) else 0.0
