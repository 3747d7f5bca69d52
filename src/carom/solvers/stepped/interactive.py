"""Interactive forces: hands that pull, motors that drive, a push."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.solvers.stepped.forces.sum import NO_HANDS, Hands
from carom.solvers.stepped.integrators.stability import Grips, largest_stable_step
from carom.solvers.stepped.reading import Reading


@dataclass(frozen=True)
class Hand:
    """A spring from a ball to a place that someone moves, and a motor's thrust."""

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    """N/m"""
    damping: float = 0.0
    """N s/m, against the ball's velocity."""
    thrust: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m/s²"""


class Steered(Reading):
    """A run with interactive forces; their work is counted."""

    hands: dict[int, Hand]
    """Those that pull, by the number of the ball."""
    driven: set[int]
    """Balls that keep a velocity whatever happens."""

    def steer(self, hands: Mapping[int, Hand]) -> None:
        """Let these hands pull from now on, by the number of the ball."""
        row, rows = self.rows.row, list(hands.values())
        self.hands = dict(hands)
        self.forces = self.forces._replace(
            hands=Hands(
                body=row[list(hands)].astype(np.uint32),
                target=np.array([hand.target for hand in rows]),
                k=np.array([hand.stiffness for hand in rows]),
                c=np.array([hand.damping for hand in rows]),
                thrust=np.array([hand.thrust for hand in rows]),
            )
            if hands
            else NO_HANDS
        )
        self.clock["fresh"] = 0
        self.forget()

    @property
    def grips(self) -> Grips:
        """How stiff the hands are, and how they damp."""
        return {ball: (hand.stiffness, hand.damping) for ball, hand in self.hands.items()}

    def bears(self, grips: Grips) -> bool:
        """Are these hands stable at this step, or is it too large without them already?"""
        others = {ball: grip for ball, grip in self.grips.items() if ball not in grips}
        step, used = self.method.step, self.method.used
        return step <= largest_stable_step(self.scene, {**others, **grips}, used) or step > largest_stable_step(
            self.scene, others, used
        )

    def set_velocity(self, ball: int, velocity: Sequence[float]) -> None:
        """Drive a ball at a velocity, which it keeps whatever happens."""
        self.driven.add(ball)
        self._rows_change(ball, velocity, 0.0)

    def set_free(self, ball: int) -> None:
        """Let a driven ball move by forces again, at the velocity that it has; one that is fixed stands."""
        self.driven.discard(ball)
        row = self.rows.row[ball]
        if self.scene.balls.fixed[ball]:
            self._rows_change(ball, (0.0, 0.0, 0.0), 0.0)
        else:
            self._rows_change(ball, self.rows.velocity[row, :3], 1.0 / self.rows.accel[row, 3])

    def push(self, ball: int, impulse: Sequence[float]) -> None:
        """Change a ball's velocity by an impulse, N s."""
        v = self.rows.velocity[self.rows.row[ball]]
        self._rows_change(ball, v[:3] + v[3] * np.array(impulse), v[3])

    def _rows_change(self, ball: int, velocity: Any, inverse_mass: float) -> None:
        """Give a ball another velocity or mobility at once; what that takes counts as work."""
        before = self.mechanical_energy(self.time)
        self.forget()
        self.rows.velocity[self.rows.row[ball]] = (*velocity, inverse_mass)
        self.clock["fresh"] = 0
        self.clock["begun"] = 0
        self.clock["work"] += self.mechanical_energy(self.time) - before

    def count_as_merging(self, work: float) -> None:
        """Book as lost by merging what the last edit took, given what was booked as work before it."""
        self.clock["merging"] += work - self.clock["work"]
        self.clock["work"] = work
