"""Check that the parts of a scene agree on the dimension, and on forces along periodic axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from carom.errors import Problem, SceneError
from carom.scene.fields.base import fault
from carom.scene.shapes.base import Boundary, Shape


@dataclass(frozen=True)
class DimensionClaim:
    """The dimension that a part of a scene claims. `who` is the key of the part."""

    who: str
    dimension: int
    """2 or 3, or 0 if it fits both."""
    spatial: bool = False
    """True if its kind exists in 3D only."""
    problem_id: str = "dimension.differs"
    """The id of the problem if it does not agree."""

    @classmethod
    def of(cls, who: str, part: Shape) -> DimensionClaim:
        """The claim of a boundary or an obstacle."""
        if part.flat:
            return cls(who, 0)
        if part.only_in_space:
            return cls(who, part.dimension, spatial=True, problem_id=part.only_in_space)
        return cls(who, part.dimension)

    def problem(self, first: DimensionClaim) -> Problem:
        """The problem of a claim that does not agree with the first one."""
        return Problem(self.problem_id, where=self.who, dimension=self.dimension, who=first.who, first=first.dimension)


def common_dimension(claims: Iterable[DimensionClaim]) -> int:
    """The dimension that all claims agree on; 2 without claims."""
    claimed = sorted((each for each in claims if each.dimension), key=lambda each: each.spatial)
    if not claimed:
        return 2
    first = claimed[0]
    problems = [each.problem(first) for each in claimed if each.dimension != first.dimension]
    if problems:
        raise SceneError(problems)
    return first.dimension


def check_falling(space: Boundary, gravity: Sequence[float]) -> None:
    """Refuse gravity along a periodic axis, along which balls would fall for ever."""
    around = np.isfinite(periods(space, len(gravity)))
    falling = [axis for axis, pull in enumerate(gravity) if pull and around[axis]]
    if falling:
        axis = falling[0]
        raise fault("gravity.along-period", where=f"gravity[{axis}]", gravity=gravity[axis], axis="xyz"[axis])


def check_attraction(space: Boundary) -> None:
    """Refuse attraction with periodic axes: all images would attract, not only the nearest."""
    around = [axis for axis, period in enumerate(periods(space, 3)) if np.isfinite(period)]
    if around:
        raise fault("attraction.along-period", where="attraction", axis="xyz"[around[0]])


def periods(space: Boundary, dimension: int) -> list[float]:
    """The period of each axis, m; infinite if it is not periodic."""
    if space.box is None:
        return [np.inf] * dimension
    return [size if around else np.inf for size, around in zip(space.box.size, space.box.periodic, strict=True)]
