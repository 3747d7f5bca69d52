"""`analyse`: measures a recording with error bars, and compares the results with theory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import floor, isfinite, log10
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.analysis.frame_sequence import FrameSequence, at_collisions, sample_observables
from carom.errors import ArgumentError
from carom.observe.blocks import columns
from carom.observe.measures.rates import MOST_SPECIES
from carom.observe.observable import kind_of, observable
from carom.observe.series import Series, mean_of
from carom.observe.triggers import is_number
from carom.plots.times import ROUNDING_SHARE
from carom.scene.fields.base import shown
from carom.storage.hdf5.open_file import one_line
from carom.storage.recorded_frame import RecordedFrame
from carom.storage.recording import Recording

Floats = NDArray[np.float64]

SETTLING_SHARE = 0.1
"""The part of a recording that is left out at its start by default."""
MIN_FRAMES = 8
"""The smallest number of frames for an error bar."""
NEGLIGIBLE = 0.1
"""An uncertainty below this part of the measured error changes a deviation by less than 0.5 %, and is not shown."""
MAX_DRIFT = 0.01
"""A run is not stationary if its energy changes by more than this part."""
MAX_CURVE_POINTS = 1000
"""Approximate largest number of points of a curve over time."""
MECHANICS = ("kinetic_energy", "potential_energy", "energy", "momentum")
"""Observables that are reported for every recording."""
CURVE_NAMES = {
    "radial_distribution": "Radial distribution", "speeds": "Speeds", "density_profile": "Density profile",
    "temperature_profile": "Temperature profile",
}  # fmt: skip
"""Curves that the analysis itself draws, by the observable that they replace."""


@dataclass(frozen=True)
class Line:
    """One figure: its value with the standard error, and the expected value with its source.

    `expected_error` is the known uncertainty of the expected value (a truncated series, a finite size). `settled` is
    False if the run was too short: the error is then a lower bound.
    """

    name: str
    symbol: str
    value: float
    error: float
    unit: str
    expected: float | None = None
    expected_error: float = 0.0
    source: str = ""
    settled: bool = True

    @property
    def deviation(self) -> float | None:
        """The difference from the expected value in standard errors, both errors taken together."""
        if self.expected is None or not isfinite(self.value):
            return None
        spread = float(np.hypot(self.error, self.expected_error))
        return (self.value - self.expected) / spread if spread > 0.0 else None

    def text(self) -> str:
        """The value with its error, rounded to the digits of the error."""
        text = with_error(self.value, self.error)
        return text if self.settled else text.replace("± ", "± ≥ ")

    def expected_text(self) -> str:
        """The expected value, with its uncertainty if that matters; empty if nothing is expected."""
        if self.expected is None:
            return ""
        counts = self.expected_error > NEGLIGIBLE * self.error
        return with_error(self.expected, self.expected_error if counts else 0.0)


@dataclass(frozen=True)
class Curve:
    """A measured function with its error, and the law that it is compared with, if there is one."""

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
    """The result of an analysis: facts, lines with errors, curves, and remarks on what could not be measured."""

    path: Path
    facts: list[tuple[str, str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    meaningless: set[str] = field(default_factory=set)
    """Recorded observables that have no meaning here."""

    def __getitem__(self, name: str) -> Line:
        """The line with this name."""
        for line in self.lines:
            if line.name == name:
                return line
        raise KeyError(f"{name!r} was not measured; there are {', '.join(line.name for line in self.lines)}")

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values for JSON; NaN and infinity become None."""
        return {
            "recording": str(self.path),
            "facts": dict(self.facts),
            "lines": [
                {
                    "name": line.name, "symbol": line.symbol, "value": _plain(line.value), "error": _plain(line.error),
                    "unit": line.unit, "expected": _plain(line.expected),
                    "expected_error": None if line.expected is None else _plain(line.expected_error),
                    "deviation": _plain(line.deviation), "source": line.source, "settled": line.settled,
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
    """Measure a recording from the time `since` on, s; by default without its first tenth, in which the run settles.

    `progress` is called from time to time with the finished part, from 0 to 1.
    """
    if not isinstance(recording, Recording):
        with Recording(recording) as opened:
            return analyse(opened, since=since, progress=progress)
    with np.errstate(over="ignore", invalid="ignore"):  # squares of huge numbers become NaN
        return _analyse(recording, since, progress)


def _analyse(recording: Recording, since: float | None, progress: Callable[[float], object] | None) -> Analysis:
    from carom.analysis.gas_analysis import measure_gas  # noqa: PLC0415  # it knows Line, which is here

    begin = _start_of(recording, since)
    found = Analysis(recording.path, facts=list(_facts(recording, begin)))
    frames = FrameSequence(recording, begin, progress=progress)
    _energy(frames, found)
    if at_collisions(frames):
        found.remarks.append("frames were taken at collisions, when balls are faster than on average: use --every")
    if len(frames) >= MIN_FRAMES:
        measure_gas(frames, found)
    else:
        left = f"{counted(len(frames), 'frame')} {'is' if len(frames) == 1 else 'are'} left to measure"
        found.remarks.append(f"only {left}; {MIN_FRAMES} at least are needed. Record with a shorter --every.")
    if len(frames) > 1:
        found.lines.extend(_mechanics(frames, found))
    measured = {curve.name for curve in found.curves}
    for series in recording.observables.values():
        if series.name in found.meaningless:
            continue
        found.lines.extend(_lines_of(series, begin, recording.dimension))
        if CURVE_NAMES.get(series.name) not in measured:
            found.curves.extend(_curves_of(series, begin))
    short = [line.name for line in found.lines if "≥" in line.text()]
    if short:
        what = f"errors with ≥ are lower bounds, as the run is short for them ({_listed(short)})"
        found.remarks.append(f"{what}. Record more frames, over a longer time.")
    return found


def counted(count: int, noun: str) -> str:
    """`1 ball`, `2 balls`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _listed(names: list[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def _start_of(recording: Recording, since: float | None) -> float:
    """The time from which the recording is measured, s."""
    begin, end = recording.span
    if since is None:
        return begin + SETTLING_SHARE * (end - begin)
    if not is_number(since):
        raise ArgumentError.of("time.not-a-time", where="since", source=str(recording.path), value=shown(since))
    if not since <= end:
        raise ArgumentError.of("since.too-late", where="since", source=str(recording.path), since=since, end=end)
    return max(begin, since)


def _facts(recording: Recording, since: float) -> Iterator[tuple[str, str]]:
    scene, log = recording.scene, recording.collisions
    begin, end = recording.span
    yield "scene", f"{scene.name or 'without a name'}, {counted(len(scene.balls), 'ball')}, {scene.dimension}D"
    if recording.origin:
        told = ", ".join(
            f"{one_line(str(name))} = {one_line(shown(value))}" for name, value in recording.origin.items()
        )
        yield "made by the library", told
    yield "solver", recording.solver
    yield "time", f"{begin:.6g} to {end:.6g} s, measured from {since:.6g} s on"
    yield "frames", f"{len(recording):,}"
    yield "collisions", "not recorded" if log is None else f"{len(log):,}"
    yield "written by", ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    if not recording.complete:
        yield "state", "not closed: frame being written, or its writer came to a sudden end"


def _energy(frames: FrameSequence, found: Analysis) -> None:
    """Add the energy and its change, if frames determine it: kinetic energy and that of gravity."""
    attraction = frames.recording.scene.attraction
    energies = np.array([frame.energy for frame in frames] if attraction is None else [])
    if not energies.size or not isfinite(energies[0]) or not energies[0]:
        return
    found.facts.append(("energy", _energy_text(frames, float(energies[0]), float(energies[-1]))))
    # The zero of potential energy is arbitrary: changes are compared with the kinetic energy.
    kinetic = max(frame.kinetic_energy for frame in frames)
    most = float(np.nanmax(np.abs(energies - energies[0])))
    if kinetic > 0.0 and most > MAX_DRIFT * kinetic:
        what = f"it is not stationary: its energy changes by {100.0 * most / kinetic:.3g} % of the kinetic energy"
        found.remarks.append(f"{what}, so that means over time depend on when and how long one looks")


def _energy_text(frames: FrameSequence, begin: float, end: float) -> str:
    """The energy of the first frame and of the first measured frame, and its change from there."""
    recording, since = frames.recording, float(frames.times[0])
    measured = f"{begin:.9g} J at {since:.6g} s"
    if frames.indices[0] > 0:
        first = RecordedFrame(recording, recording[0], 0)
        measured = f"{first.energy:.9g} J at {first.time:.6g} s; {measured}, where measuring begins"
    return f"{measured}, then changed by {end / begin - 1.0:+.1e} of it"


def _mechanics(frames: FrameSequence, found: Analysis) -> Iterator[Line]:
    """Mean energies and momentum from the frames; recorded observables are reported from the recording instead."""
    measured = frames.recording.observables
    wanted = [observable(name) for name in MECHANICS if name not in measured]
    lost = False
    for series in sample_observables(frames, wanted).values():
        if np.isnan(series.values).any():
            lost = True
            continue
        lines = _lines_of(series, -np.inf, frames.recording.dimension, "from the frames")
        if series.name == "momentum" and np.abs(series.values).max() < ROUNDING_SHARE * _total_momentum_scale(frames):
            lines = (replace(line, error=0.0, settled=True, source="zero but for rounding") for line in lines)
        yield from lines
    if lost:
        found.remarks.append("frames do not tell the potential energy of links or attraction: use --observe energy")


def _total_momentum_scale(frames: FrameSequence) -> float:
    """The largest Σ m |v| of all frames, kg m/s: the momentum if all balls moved in the same direction."""
    return max(float(np.nansum(frame.masses * np.linalg.norm(frame.velocities, axis=1))) for frame in frames)


def _lines_of(series: Series, begin: float, dimension: int, source: str = "as recorded") -> Iterator[Line]:
    """The mean of an observable, if it is a plain number, a vector or a small table."""
    kind = kind_of(series.name)
    if kind.of_time or series.columns is not None:
        return
    times, values = series.since(begin)
    for label, entries in _entries(values, kind.labels, dimension):
        found = mean_of(entries, series.weights(times), inverse=kind.inverse_mean)
        line = Line(
            f"{series.name} {label}".rstrip(), series.symbol, found.mean, found.error, series.unit, source=source,
            settled=found.settled,
        )  # fmt: skip
        if not kind.inverse_mean or isfinite(line.value):
            yield line


def _entries(values: Floats, labels: tuple[str, ...], dimension: int) -> Iterator[tuple[str, Floats]]:
    """The entries of samples with their labels: none for plain numbers, axes for vectors, indices for others."""
    if values.ndim == 1:
        yield "", values
    elif values.ndim == 2 and len(labels) == values.shape[1]:
        yield from zip(labels, values.T, strict=True)
    elif values.ndim == 2 and values.shape[1] == dimension:
        yield from zip("xyz", values.T, strict=False)
    elif max(values.shape[1:]) <= MOST_SPECIES:
        for which in np.ndindex(values.shape[1:]):
            yield " with ".join(map(str, which)), values[(slice(None), *which)]


def _curves_of(series: Series, begin: float) -> Iterator[Curve]:
    """The curve of an observable that is a function: its mean, such as g(r), or its values over time."""
    kind = kind_of(series.name)
    if kind.of_time:
        step = max(1, -(-len(series.times) // MAX_CURVE_POINTS))
        times, values = series.times[::step], series.values[::step]
        for label, entries in _entries(values, kind.labels, values.shape[-1]):
            name = f"{series.name} {label}".rstrip()
            yield Curve(f"{name} as recorded", ("time", "s"), (series.symbol, series.unit), times, entries)
        return
    times, values = series.since(begin)
    if series.columns is not None and len(values) > 1:
        mean, error = columns(values, series.weights(times))
        up = (series.symbol, series.unit)
        yield Curve(f"{series.name} as recorded", kind.across, up, series.columns, mean, error)


def with_error(value: float, error: float) -> str:
    """`1.5704 ± 0.0004`: the error with two digits, and the value with the same decimals."""
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
