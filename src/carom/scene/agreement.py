"""Do the parts of a scene agree: on the dimension, and on what gravity may do?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from carom.errors import Problem, SceneError
from carom.scene.boundary import Boundary, Box, Obstacle, Open
from carom.scene.fields.base import fault
from carom.scene.shapes.polygon import Polygon
from carom.scene.shapes.solids import Cylinder, Wedge


def flat(part: Boundary | Obstacle) -> bool:
    """Is it drawn in the plane, and in 3D the same at every z?"""
    return isinstance(part, Polygon | Wedge)


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
    def of(cls, who: str, part: Boundary | Obstacle) -> Witness:
        """What a boundary or an obstacle tells."""
        if flat(part) or isinstance(part, Open | Wedge):
            return cls(who, 0)
        return cls(who, part.dimension, spatial=isinstance(part, Cylinder))

    def problem(self, first: Witness) -> Problem:
        """The complaint of a witness that does not agree with the first one."""
        if self.spatial:
            return Problem("cylinder.in-plane", where=self.who, who=first.who, dimension=first.dimension)
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
    if not isinstance(space, Box):
        return
    falling = [axis for axis, (pull, around) in enumerate(zip(gravity, space.periodic, strict=True)) if pull and around]
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
    if not isinstance(space, Box):
        return [np.inf] * dimension
    return [size if around else np.inf for size, around in zip(space.size, space.periodic, strict=True)]
