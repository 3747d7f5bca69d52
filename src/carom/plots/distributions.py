"""Distributions of speeds and of distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError
from carom.observe.measures.structure import RadialDistribution
from carom.observe.measures.theory import maxwell_density
from carom.observe.measures.thermo import present, thermal
from carom.plots.data import (
    accept_path,
    as_numbers,
    as_pair,
    as_rows,
    frame_count_for,
    is_recording,
    sample_frames,
)
from carom.plots.style import axes, legend, note, style
from carom.storage.recorded_frame import balls_merge
from carom.views.units import length_unit, prefixed, speed_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

CURVE_POINTS = 400
"""Points of a drawn curve."""
MAX_SPEEDS, MAX_POSITIONS = 1_000_000, 200_000
"""Approximate numbers of speeds and positions that are used of a recording, evenly over its frames."""


@accept_path
def speeds(
    what: Any, ax: Axes | None = None, *, masses: Any = None, bins: int | None = None, theme: str = "light"
) -> Axes:
    """A histogram of speeds, against Maxwell's curve for the same kinetic energy.

    what    a recording (or the path of its file), of which up to 400 frames are used, evenly
            spread, and fewer for many balls (about a million speeds, at least 10 frames); or velocities, in m/s, as
            an array whose last axis is x, y and z (a frame, or several).
    masses  masses of the balls, in kg, for an array of velocities of unlike balls; a recording knows its masses.

    f(v) = v m / k_B T exp(-m v² / 2 k_B T) in the plane, sqrt(2/π) (m / k_B T)^(3/2) v² exp(-m v² / 2 k_B T) in space;
    for a mixture, the mean over its balls. k_B T comes from the same velocities; for a recording, without the
    common motion. The speeds of a single ball are drawn without a curve: it has no temperature.
    """
    given, mass, kt = _motion(what, masses)
    speed = np.linalg.norm(given, axis=-1).ravel()
    dimension, end = given.shape[-1], float(speed.max()) * 1.02 or 1.0
    count = bins or int(np.clip(2.0 * len(speed) ** (1.0 / 3.0), 8, 60))
    heights, edges = np.histogram(speed, bins=count, range=(0.0, end), density=True)
    at = np.linspace(0.0, end * 1.05, CURVE_POINTS)
    curves = (
        [part * maxwell_density(at, kt, m, dimension) for m, part in _shares(mass)] if kt else [np.zeros(CURVE_POINTS)]
    )
    curve = np.sum(curves, axis=0)
    scale, unit = speed_unit(end)
    density, name = prefixed(float(max(heights.max(), curve.max())) * scale, "")
    with style(theme) as colours:
        ax = axes(ax)
        bars, colour = (heights * scale / density, edges / scale), colours.series[0]
        ax.stairs(*bars, fill=True, color=colour, alpha=0.35, label=f"{len(speed):,} speeds")
        ax.stairs(*bars, color=colour, linewidth=1.0)
        if kt:
            ax.plot(at / scale, curve * scale / density, color=colours.series[1], linewidth=2.0, label="Maxwell")
        else:
            note(ax, "one ball: no temperature, no curve")
        ax.set_xlim(0.0, float(at[-1] / scale))
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel(f"speed in {unit}")
        ax.set_ylabel(f"density in {name + ' ' if name else ''}1/({unit})")
        legend(ax, 2)
    return ax


def _shares(mass: Floats) -> list[tuple[float, float]]:
    """The different masses, and the part of the balls that has each."""
    kinds, counts = np.unique(mass, return_counts=True)
    return list(zip(kinds.tolist(), (counts / counts.sum()).tolist(), strict=True))


def _motion(what: Any, masses: Any) -> tuple[Floats, Floats, float]:
    """Velocities (frames, balls, d) of the moving balls, their masses, and k_B T, J; 0 for a single ball."""
    if not is_recording(what):
        remedy = "Give a Recording, or an array whose last axis is x, y (and z)."
        given = as_numbers(what, "speeds", remedy)
        if given.ndim not in {2, 3} or given.shape[-1] not in {2, 3} or not given.size:
            raise CaromError(f"speeds: an array of shape {given.shape} are no velocities. {remedy}")
        given = given if given.ndim == 3 else given[None]
        mass = np.broadcast_to(np.asarray(1.0 if masses is None else masses, dtype=np.float64), given.shape[1:2])
        return given, mass, _kt(float((mass[:, None] * given**2).sum(axis=(1, 2)).mean() / given[0].size))
    seen: list[Any] = list(sample_frames(what, frame_count_for(what, MAX_SPEEDS, 10, 400)))
    who = present(seen[-1])
    if len(who) == 1:
        alone = np.stack([each.velocities[who] for each in seen if not np.isnan(each.velocities[who]).any()])
        return alone, seen[-1].masses[who], _kt(float(np.abs(alone).max())) * 0.0
    heats = [thermal(each) for each in seen]
    last = heats[-1]
    alike = [heat for heat in heats if len(heat.who) == len(last.who)]
    return np.stack([heat.velocities for heat in alike]), last.masses, _kt(float(np.mean([heat.kt for heat in alike])))


def _kt(found: float) -> float:
    if not found > 0.0:
        raise CaromError("speeds: nothing moves. Give a run in which balls do.")
    return found


@accept_path
def radial(what: Any, ax: Axes | None = None, *, theme: str = "light") -> Axes:
    """The radial distribution g(r): the probability of a ball at a distance, relative to that without order.

    what  a recording (or the path of its file), of which up to 100 frames are averaged, evenly spread,
          and fewer for many balls (about 200,000 positions, at least 4 frames); or (distances, g), in m.

    At large distances g is 1 only if balls are spread evenly: gravity and attraction gather them, which is noted.
    """
    distances, values, diameter = _radial(what)
    uneven = is_recording(what) and (any(what.scene.gravity) or what.scene.attraction is not None)
    scale, unit = length_unit(float(distances.max()))
    with style(theme) as colours:
        ax = axes(ax)
        ax.axhline(1.0, color=colours.soft, linewidth=1.0, linestyle="--")
        if diameter:
            ax.axvline(diameter / scale, color=colours.soft, linewidth=0.8, linestyle=":")
            ax.annotate(
                "contact", (diameter / scale, 1.0), xycoords=("data", "axes fraction"), xytext=(4, -4),
                textcoords="offset points", va="top", fontsize=8.5, color=colours.soft,
            )  # fmt: skip
        ax.plot(distances / scale, values, color=colours.series[0])
        ax.set_xlim(0.0, float(distances.max() / scale))
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel(f"distance in {unit}")
        ax.set_ylabel("g(r)")
        if uneven:
            note(ax, "a force gathers the balls: far away g(r) is not 1")
    return ax


def _radial(what: Any) -> tuple[Floats, Floats, float]:
    """Distances, g, and the diameter of equal balls, or 0."""
    if not is_recording(what):
        distances, values = as_pair(what, "(distances, g)")
        return distances, as_rows(values, len(distances), "g"), 0.0
    radii = what.radii
    if len(radii) < 2:
        raise CaromError("radial: there are no distances of a single ball. Give a run of two or more.")
    diameter = 2.0 * float(radii[0]) if np.ptp(radii) == 0.0 and not balls_merge(what.scene) else 0.0
    series = what.observables.get("radial_distribution")
    if series is not None and series.columns is not None:
        return series.columns, np.nanmean(series.values, axis=0), diameter
    measure = RadialDistribution()
    seen: list[Any] = list(sample_frames(what, frame_count_for(what, MAX_POSITIONS, 4, 100)))
    measure.begin(seen[0])
    return measure.columns(), np.mean([measure.sample(each) for each in seen], axis=0), diameter
