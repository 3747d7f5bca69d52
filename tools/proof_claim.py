"""A claim of docs/proof.md: a statement, its law, carom's result, and the test that requires it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from carom.observe.blocks import Estimate

EPS = float(np.finfo(float).eps)
SIGMAS = 4.0  # allowed deviation of a mean in standard errors: exceeded by chance once in 16,000


@dataclass(frozen=True)
class Found:
    """A result, its deviation, and the allowed deviation."""

    value: str
    off: float
    allowed: float
    errors: bool = False
    """Is `off` in standard errors?"""

    @property
    def holds(self) -> bool:
        """Is the deviation allowed?"""
        return bool(abs(self.off) <= self.allowed)

    @property
    def distance(self) -> str:
        """The deviation as text."""
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
    """`file::function`, below tests/."""
    measure: Callable[[], Found]

    @property
    def where(self) -> str:
        """The last column: the test in words, so that lines can be wrapped."""
        file, _, function = self.test.partition("::")
        return f"{file}: {in_words(function)}"


CLAIMS: list[Claim] = []


def in_words(test: str) -> str:
    """`test_a_ball_stays` as `a ball stays`."""
    return test.removeprefix("test_").replace("_", " ")


def claim(group: str, says: str, law: str, test: str) -> Callable[[Callable[[], Found]], Callable[[], Found]]:
    """Register a measurement as a claim."""

    def enter(measure: Callable[[], Found]) -> Callable[[], Found]:
        CLAIMS.append(Claim(group, says, law, test, measure))
        return measure

    return enter


def power(x: float) -> str:
    """A number like `1.2·10⁻¹⁵`, or plain if that is as short."""
    if 0.01 <= abs(x) < 1000.0:
        return f"{x:.2g}"
    mantissa, exponent = f"{x:.1e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def near(value: str, found: ArrayLike, expected: ArrayLike, allowed: float, scale: float = 1.0) -> Found:
    """Compare numbers: the largest difference, divided by a scale."""
    off = float(np.abs(np.asarray(found, dtype=float) - np.asarray(expected, dtype=float)).max()) / scale
    return Found(value, off, allowed)


def mean(found: Estimate, expected: float, own: float = 0.0) -> Found:
    """Compare a mean with a law: the difference in standard errors, including the law's uncertainty."""
    off = (found.mean - expected) / float(np.hypot(found.error, own))
    digits = max(0, 1 - int(np.floor(np.log10(found.error))))
    return Found(f"{found.mean:.{digits}f} ± {found.error:.{digits}f}", off, SIGMAS, errors=True)
