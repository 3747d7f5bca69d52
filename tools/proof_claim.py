"""A claim of docs/proof.md: what holds, by which law, what carom gives, and the test that requires it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from carom.observe.blocks import Estimate

EPS = float(np.finfo(float).eps)
SIGMAS = 4.0  # standard errors that a measured mean may be off: by chance once in 16,000


@dataclass(frozen=True)
class Found:
    """What a run gave, how far it is off, and how far it may be."""

    value: str
    off: float
    allowed: float
    errors: bool = False
    """Is `off` in standard errors?"""

    @property
    def holds(self) -> bool:
        """Is it within what is allowed?"""
        return bool(abs(self.off) <= self.allowed)

    @property
    def distance(self) -> str:
        """How far it is off, in words."""
        if self.errors:
            return f"{self.off:+.1f} standard errors"
        return "none" if self.off == 0.0 else power(self.off)


@dataclass(frozen=True)
class Claim:
    """One row of a table."""

    group: str
    says: str
    law: str
    test: str
    """`file::function`, from tests/ on."""
    measure: Callable[[], Found]

    @property
    def where(self) -> str:
        """Its last column: the test in words, which can be broken into lines."""
        file, _, function = self.test.partition("::")
        return f"{file}: {in_words(function)}"


CLAIMS: list[Claim] = []


def in_words(test: str) -> str:
    """`test_a_ball_stays` as `a ball stays`."""
    return test.removeprefix("test_").replace("_", " ")


def claim(group: str, says: str, law: str, test: str) -> Callable[[Callable[[], Found]], Callable[[], Found]]:
    """Enter a measurement into the list of claims."""

    def enter(measure: Callable[[], Found]) -> Callable[[], Found]:
        CLAIMS.append(Claim(group, says, law, test, measure))
        return measure

    return enter


def power(x: float) -> str:
    """`1.2·10⁻¹⁵`; plain where that is as short."""
    if 0.01 <= abs(x) < 1000.0:
        return f"{x:.2g}"
    mantissa, exponent = f"{x:.1e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def near(value: str, found: ArrayLike, expected: ArrayLike, allowed: float, scale: float = 1.0) -> Found:
    """Numbers against numbers: the largest difference, over a scale."""
    off = float(np.abs(np.asarray(found, dtype=float) - np.asarray(expected, dtype=float)).max()) / scale
    return Found(value, off, allowed)


def mean(found: Estimate, expected: float, own: float = 0.0) -> Found:
    """A mean against a law: the difference in standard errors, with the law's own uncertainty."""
    off = (found.mean - expected) / float(np.hypot(found.error, own))
    digits = max(0, 1 - int(np.floor(np.log10(found.error))))
    return Found(f"{found.mean:.{digits}f} ± {found.error:.{digits}f}", off, SIGMAS, errors=True)
