"""Warnings about attraction that steps cannot follow."""

from __future__ import annotations

from dataclasses import dataclass

from carom.solvers.stepped.energy.account import Account

ASTRAY = 0.01
"""The integrator's error, as a part of all energies, from which attraction is not followed any more. Orbits that are
resolved stay below a thousandth."""
ASTRAY_IN_PILES = 0.1
"""That limit where contacts are soft: the energy they take is known to some hundredths."""
FIRST_LOOK, LAST_LOOK = 16, 4096
"""Steps between two looks at that error, at first and later on: a look costs about as much as a step."""
RARER = 8
"""Each pause is longer than the last by an eighth, so that the last look is never long before the end of a run."""


@dataclass
class Watch:
    """When to look at the energy: seldom, and more and more so. It goes by steps alone, however a run is cut."""

    steps: int = 0
    pause: int = FIRST_LOOK

    @property
    def left(self) -> int:
        """Steps up to the next look."""
        return self.pause - self.steps

    def is_due(self, steps: int) -> bool:
        """Is it time, so many steps later?"""
        self.steps += steps
        if self.steps < self.pause:
            return False
        self.steps, self.pause = 0, min(self.pause + self.pause // RARER, LAST_LOOK)
        return True


def is_astray(account: Account, *, piled: bool) -> bool:
    """Is the error of the integrator so large that the motion is wrong?"""
    return not abs(account.error) <= (ASTRAY_IN_PILES if piled else ASTRAY) * account.scale


def close_approach(account: Account, time: float, step: float) -> str:
    """The text of the warning."""
    due = account.mechanical - account.error
    return (
        f"step: the energy is {account.mechanical:.4g} J at t = {time:.6g} s, and should be {due:.4g} J: balls that "
        f"attract each other came closer than steps of {step:.6g} s can follow. "
        "Give the attraction a softening=…, or use a smaller step."
    )
