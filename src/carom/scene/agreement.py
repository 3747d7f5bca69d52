"""Do the parts of a scene agree: on the dimension, and on what gravity may do?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from carom.errors import Problem, SceneError
from carom.scene.fields.base import fault
from carom.scene.shapes.base import Boundary, Shape


@dataclass(frozen=True)
class Witness:
    """A part of a scene that tells its dimension."""

    who: str
    dimension: int
    """2 or 3, or 0 if it goes with both."""
    spatial: bool = False
    """Is it of a kind that there is in space only, whatever its numbers?"""
    told: str = "dimension.differs"
    """The id of the problem of not agreeing."""

    @classmethod
    def of(cls, who: str, part: Shape) -> Witness:
        """What a boundary or an obstacle tells."""
        if part.flat:
            return cls(who, 0)
        if part.only_in_space:
            return cls(who, part.dimension, spatial=True, told=part.only_in_space)
        return cls(who, part.dimension)

    def problem(self, first: Witness) -> Problem:
        """The complaint of a witness that does not agree with the first one."""
        return Problem(self.told, where=self.who, dimension=self.dimension, who=first.who, first=first.dimension)


def common_dimension(witnesses: Iterable[Witness]) -> int:
    """The dimension that all agree on; 2 if nothing tells."""
    told = sorted((each for each in witnesses if each.dimension), key=lambda each: each.spatial)
    if not told:
        return 2
    first = told[0]
    problems = [each.problem(first) for each in told if each.dimension != first.dimension]
    if problems:
        raise SceneError(problems)
    return first.dimension


def check_falling(space: Boundary, gravity: Sequence[float]) -> None:
    """Nothing may fall for ever round a periodic axis."""
    around = np.isfinite(periods(space, len(gravity)))
    falling = [axis for axis, pull in enumerate(gravity) if pull and around[axis]]
    if falling:
        axis = falling[0]
        raise fault("gravity.along-period", where=f"gravity[{axis}]", gravity=gravity[axis], axis="xyz"[axis])


def check_attraction(space: Boundary) -> None:
    """Attraction reaches without end, and so do the images of a periodic axis: the nearest alone would not do."""
    around = [axis for axis, period in enumerate(periods(space, 3)) if np.isfinite(period)]
    if around:
        raise fault("attraction.along-period", where="attraction", axis="xyz"[around[0]])


def periods(space: Boundary, dimension: int) -> list[float]:
    """The period of each axis, m; infinite where space does not repeat."""
    if space.box is None:
        return [np.inf] * dimension
    return [size if around else np.inf for size, around in zip(space.box.size, space.box.periodic, strict=True)]
