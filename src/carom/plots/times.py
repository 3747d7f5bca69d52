"""Energy and momentum over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.plots.data import accept_path, as_pair, as_rows, is_recording, sample_frames
from carom.plots.style import axes, legend, mark, note, style
from carom.views.units import prefixed, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

AXES = ("x", "y", "z")
ROUNDING_SHARE = 1e-9
"""A momentum below this part of Σ m |v| is the rounding error of zero."""
ENERGY_NAMES = {"kinetic_energy": "kinetic", "potential_energy": "potential", "energy": "total"}


@accept_path
def energy(what: Any, ax: Axes | None = None, *, theme: str = "light") -> Axes:
    """Energies over time: kinetic, potential and their sum.

    what  a recording, or the path of its file; or (times, energies), in s and J, with energies as a table by name:
          `(t, {"kinetic": K, "potential": U})`.

    Recorded observables kinetic_energy, potential_energy and energy are drawn if there are any. Otherwise the
    kinetic energy is computed from the frames, and so is that of uniform gravity if no other force has one.
    """
    times, parts = _energies(what)
    if "total" not in parts and {"kinetic", "potential"} <= set(parts):
        parts["total"] = parts["kinetic"] + parts["potential"]
    largest = max((float(np.nanmax(np.abs(values), initial=0.0)) for values in parts.values()), default=0.0)
    scale, unit = prefixed(largest, "J")
    with style(theme) as colours:
        ax = axes(ax)
        look = {"kinetic": colours.series[0], "potential": colours.series[2], "total": colours.ink}
        for k, (name, values) in enumerate(parts.items()):
            colour = look.get(name, colours.series[k % len(colours.series)])
            ax.plot(times / time_unit(_span(times))[0], values / scale, label=name, color=colour, marker=mark(times))
        _label_times(ax, times)
        ax.set_ylabel(f"energy in {unit}")
        ax.set_ylim(*_with_zero(ax))
        legend(ax, len(parts))
    return ax


@accept_path
def momentum(what: Any, ax: Axes | None = None, *, theme: str = "light") -> Axes:
    """Total momentum over time, by its components.

    what  a recording, or the path of its file; or (times, momenta), in s and kg m/s, one row of momenta per time.

    If the momentum of a recording is zero except for rounding, the scale is Σ m |v|: the momentum if all balls moved
    in the same direction.
    """
    times, values = _momenta(what)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    whole = _whole(what) if is_recording(what) else 0.0
    nothing = largest < ROUNDING_SHARE * whole
    scale, unit = prefixed(whole if nothing else largest, "kg·m/s")
    with style(theme) as colours:
        ax = axes(ax)
        for k, component in enumerate(values.T):
            ax.plot(
                times / time_unit(_span(times))[0], component / scale, label=f"{AXES[k]}", color=colours.series[k],
                linestyle=("-", "--", ":")[k], marker=mark(times),
            )  # fmt: skip
        _label_times(ax, times)
        ax.set_ylabel(f"momentum in {unit}")
        if nothing:
            ax.set_ylim(-1.06 * whole / scale, 1.06 * whole / scale)
            note(ax, f"zero but for rounding; Σ m|v| = {whole / scale:.3g} {unit}")
        else:
            ax.set_ylim(*_with_zero(ax))
        legend(ax, values.shape[1])
    return ax


def _energies(what: Any) -> tuple[Floats, dict[str, Floats]]:
    if not is_recording(what):
        times, parts = as_pair(what, '(times, {"kinetic": values, ...})')
        table = parts if isinstance(parts, dict) else {"total": parts}
        return times, {str(name): as_rows(values, len(times), str(name)) for name, values in table.items()}
    kept = {words: what.observables[name] for name, words in ENERGY_NAMES.items() if name in what.observables}
    if kept:
        first = next(iter(kept.values()))
        return first.times, {words: series.values for words, series in kept.items()}
    return _from_frames(what)


def _from_frames(recording: Any) -> tuple[Floats, dict[str, Floats]]:
    frames = list(sample_frames(recording))
    parts = {"kinetic": np.array([each.kinetic_energy for each in frames])}
    if any(recording.scene.gravity):
        potential = np.array([each.potential_energy for each in frames])
        if not np.isnan(potential).any():
            parts["potential"] = potential
    return np.array([each.time for each in frames]), parts


def _momenta(what: Any) -> tuple[Floats, Floats]:
    if not is_recording(what):
        times, values = as_pair(what, "(times, momenta)")
        momenta = as_rows(values, len(times), "momenta")
        return times, momenta if momenta.ndim == 2 else momenta[:, None]
    if "momentum" in what.observables:
        series = what.observables["momentum"]
        return series.times, series.values
    rows = [(each.time, each.momentum) for each in sample_frames(what)]
    return np.array([time for time, _ in rows]), np.array([total for _, total in rows])


def _whole(recording: Any) -> float:
    """The largest Σ m |v| of some frames, kg m/s."""
    some = sample_frames(recording, 5)
    return max(float(np.nansum(each.masses * np.linalg.norm(each.velocities, axis=1))) for each in some)


def _span(times: Floats) -> float:
    return float(np.abs(times).max(initial=0.0))


def _label_times(ax: Axes, times: Floats) -> None:
    ax.set_xlabel(f"time in {time_unit(_span(times))[1]}")
    if len(times) > 1:
        ax.margins(x=0.0)


def _with_zero(ax: Axes) -> tuple[float, float]:
    """Limits that include zero, with a margin: a conserved quantity is a flat line, not noise at full height."""
    low, high = ax.dataLim.intervaly
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    room = 0.06 * (high - low) or 1.0
    return (low - room if low else -0.02 * (high or 1.0)), high + room
