"""Error bars for means of correlated samples, by the blocking method."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error.

    `inefficiency` is the statistical inefficiency: how many successive samples count as one independent sample.
    `settled` is False if the blocks did not become long enough; the error is then a lower bound.
    """

    mean: float
    error: float
    samples: int
    inefficiency: float
    settled: bool

    @property
    def independent(self) -> float:
        """The number of independent samples."""
        return self.samples / self.inefficiency

    def __str__(self) -> str:
        return f"{self.mean:.6g} ± {self.error:.2g}"


def estimate(samples: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """Mean of a time series with its standard error; NaN samples are left out.

    H. Flyvbjerg and H. G. Petersen, J. Chem. Phys. 91 (1989) 461: neighbours are averaged in pairs repeatedly; the
    error of the mean of the blocks, sqrt(Σ (x - mean)² / (n (n - 1))), grows until the blocks are independent. The
    block length B is the first with B³ > 2 n s², where s is the growth of the squared error: R. M. Lee and others,
    Phys. Rev. E 83 (2011) 066706. `weights` are the lengths of the intervals over which the samples are means.
    """
    values = np.asarray(samples, dtype=np.float64).ravel()
    shares = np.ones_like(values) if weights is None else np.asarray(weights, dtype=np.float64).ravel()
    good = np.isfinite(values) & (shares > 0.0)
    values, shares = values[good], shares[good]
    count = values.size
    if count < 2:
        return Estimate(float(values.mean()) if count else float("nan"), float("nan"), count, 1.0, settled=False)
    mean = float((values * shares).sum() / shares.sum())
    squares, spreads = levels(values, shares, mean)
    if squares[0] == 0.0:
        return Estimate(mean, 0.0, count, 1.0, settled=True)
    growth = squares / squares[0]
    lengths = 2.0 ** np.arange(squares.size)
    enough = lengths**3 > 2.0 * count * growth**2
    settled = bool(enough.any())
    level = int(np.argmax(enough)) if settled else int(np.argmax(squares - spreads))
    return Estimate(mean, sqrt(squares[level]), count, max(1.0, float(growth[level])), settled)


def levels(values: Floats, shares: Floats, mean: float) -> tuple[Floats, Floats]:
    """Squared error of the mean at each level of blocking, and the standard error of this estimate."""
    squares, spreads = [], []
    while values.size >= 2:
        n = values.size
        part = shares / shares.sum()
        squares.append(float(((part * (values - mean)) ** 2).sum() * n / (n - 1)))
        spreads.append(squares[-1] * sqrt(2.0 / (n - 1)))
        even = 2 * (n // 2)
        pairs, weight = values[:even].reshape(-1, 2), shares[:even].reshape(-1, 2)
        shares = weight.sum(axis=1)
        values = (pairs * weight).sum(axis=1) / shares
    return np.array(squares), np.array(spreads)


def columns(samples: ArrayLike, weights: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """Means and errors of each column of a table of samples."""
    table = np.asarray(samples, dtype=np.float64)
    flat = table.reshape(len(table), -1)
    estimates = [estimate(column, weights) for column in flat.T]
    shape = table.shape[1:]
    return np.array([e.mean for e in estimates]).reshape(shape), np.array([e.error for e in estimates]).reshape(shape)
