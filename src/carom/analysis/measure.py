"""All that can be measured of a recording, with errors, and what theory says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import floor, isfinite, log10
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.analysis.along import Reel, at_collisions
from carom.errors import Problem, SceneError
from carom.observe.blocks import columns, estimate
from carom.storage.recording import Recording, Series

Floats = NDArray[np.float64]

SETTLING = 0.1
"""This part of a recording is left out at its beginning if nobody says otherwise."""
FEWEST = 8
"""Frames that an error bar needs."""


@dataclass(frozen=True)
class Line:
    """One figure: its value with the standard error, and what theory expects, with the source of that.

    `expected_error` is the known uncertainty of the expectation itself (a series cut off, a finite size).
    """

    name: str
    symbol: str
    value: float
    error: float
    unit: str
    expected: float | None = None
    expected_error: float = 0.0
    source: str = ""

    @property
    def deviation(self) -> float | None:
        """How many standard errors the value is from what is expected."""
        if self.expected is None or not isfinite(self.value):
            return None
        spread = float(np.hypot(self.error, self.expected_error))
        return (self.value - self.expected) / spread if spread > 0.0 else None

    def text(self) -> str:
        """The value with its error, rounded to where the error begins."""
        return with_error(self.value, self.error)


@dataclass(frozen=True)
class Curve:
    """A function that was measured, with its error and the law that it is compared with, if there is one."""

    name: str
    across: tuple[str, str]
    up: tuple[str, str]
    x: Floats
    y: Floats
    error: Floats | None = None
    law: Floats | None = None
    law_name: str = ""


@dataclass
class Analysis:
    """What was measured: facts in words, lines with errors, curves, and remarks on what could not be measured."""

    path: Path
    facts: list[tuple[str, str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Line:
        """A line by its name."""
        for line in self.lines:
            if line.name == name:
                return line
        raise KeyError(f"{name!r} was not measured; there are {', '.join(line.name for line in self.lines)}")

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; what is not a number is None."""
        return {
            "recording": str(self.path),
            "facts": dict(self.facts),
            "lines": [
                {
                    "name": line.name, "symbol": line.symbol, "value": _plain(line.value), "error": _plain(line.error),
                    "unit": line.unit, "expected": _plain(line.expected), "deviation": _plain(line.deviation),
                    "source": line.source,
                }
                for line in self.lines
            ],
            "remarks": self.remarks,
        }  # fmt: skip


def analyse(
    recording: Recording | str | Path,
    *,
    since: float | None = None,
    progress: Callable[[float], object] | None = None,
) -> Analysis:
    """Measure a recording from a time on, s; if that is left out, without the first tenth, in which a run settles.

    `progress` is called now and then with the part that is done, from 0 to 1.
    """
    from carom.analysis.gas import measure_gas  # noqa: PLC0415  # it knows Line, which is here

    if not isinstance(recording, Recording):
        with Recording(recording) as opened:
            return analyse(opened, since=since, progress=progress)
    begin = _begin(recording, since)
    found = Analysis(recording.path, facts=list(_facts(recording, begin)))
    reel = Reel(recording, begin, progress=progress)
    found.facts.extend(_energy(reel))
    if at_collisions(reel):
        found.remarks.append("frames were taken at collisions, when balls are faster than on average: use --every")
    if len(reel) >= FEWEST:
        measure_gas(reel, found)
    else:
        few = f"only {len(reel)} frames are left to measure; {FEWEST} at least are needed"
        found.remarks.append(f"{few}. Record with a shorter --every.")
    for series in recording.observables.values():
        found.lines.extend(_of_series(series, begin))
        found.curves.extend(_curve_of(series, begin))
    return found


def _begin(recording: Recording, since: float | None) -> float:
    """From when on it is measured, s."""
    begin, end = recording.span
    if since is None:
        return begin + SETTLING * (end - begin)
    if not since <= end:
        what, remedy = f"{since:g} s is after the end, {end:.6g} s", "Choose an earlier time."
        raise SceneError([Problem("since", what, remedy)], source=str(recording.path))
    return max(begin, since)


def _facts(recording: Recording, since: float) -> Iterator[tuple[str, str]]:
    scene, log = recording.scene, recording.collisions
    begin, end = recording.span
    yield "scene", f"{scene.name or 'without a name'}, {len(scene.balls):,} balls, {scene.dimension}D"
    yield "solver", recording.solver
    yield "time", f"{begin:.6g} to {end:.6g} s, measured from {since:.6g} s on"
    yield "frames", f"{len(recording):,}"
    yield "collisions", "not recorded" if log is None else f"{len(log):,}"
    yield "written by", ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    if not recording.complete:
        yield "state", "not closed: still being written, or its writer came to a sudden end"


def _energy(reel: Reel) -> Iterator[tuple[str, str]]:
    """Energy and how it has changed, where frames tell it: kinetic and that of gravity."""
    attraction = reel.recording.scene.attraction
    energies = [still.energy for still in reel] if attraction is None else []
    if energies and isfinite(energies[0]) and energies[0]:
        change = energies[-1] / energies[0] - 1.0
        yield "energy", f"{energies[0]:.9g} J at first, then changed by {change:+.1e} of it"


def _of_series(series: Series, begin: float) -> Iterator[Line]:
    """The mean of an observable that was recorded, if it is a plain number or a vector."""
    times, values = _measured(series, begin)
    if values.ndim == 2 and values.shape[1] <= 3 and series.columns is None:
        for axis, name in zip(range(values.shape[1]), "xyz", strict=False):
            yield _line(f"{series.name} {name}", series, times, values[:, axis])
    elif values.ndim == 1:
        yield _line(series.name, series, times, values)


def _line(name: str, series: Series, times: Floats, values: Floats) -> Line:
    found = estimate(values, _weights(series, times))
    return Line(name, series.symbol, found.mean, found.error, series.unit, source="as recorded")


def _curve_of(series: Series, begin: float) -> Iterator[Curve]:
    """The mean of an observable that is a function, such as g(r)."""
    times, values = _measured(series, begin)
    if series.columns is not None and len(values) > 1:
        mean, error = columns(values, _weights(series, times))
        yield Curve(f"{series.name} as recorded", ("", ""), (series.symbol, series.unit), series.columns, mean, error)


def _measured(series: Series, begin: float) -> tuple[Floats, Floats]:
    """From a time on; the first of interval means is that of an interval which began before."""
    late = series.times > begin if series.over_interval else series.times >= begin
    return series.times[late], series.values[late]


def _weights(series: Series, times: Floats) -> Floats | None:
    """The lengths of the intervals that values are means over, s."""
    if not series.over_interval or not len(times):
        return None
    before = series.times[series.times < times[0]]
    return np.diff(times, prepend=before[-1] if before.size else times[0])


def with_error(value: float, error: float) -> str:
    """`1.5704 ± 0.0004`: the error with two digits, the value just as far."""
    if not isfinite(value):
        return str(value)
    if not isfinite(error) or error <= 0.0:
        return f"{value:.6g}"
    if error < 1e-14 * abs(value):
        return f"{value:.9g}"
    power = floor(log10(max(abs(value), error)))
    if -4 <= power < 6:
        digits = max(0, 1 - floor(log10(error)))
        return f"{value:.{digits}f} ± {error:.{digits}f}"
    digits = max(0, 1 - floor(log10(error)) + power)
    scale = 10.0**power
    return f"({value / scale:.{digits}f} ± {error / scale:.{digits}f})e{power:+d}"


def _plain(value: float | None) -> float | None:
    return float(value) if value is not None and isfinite(value) else None
