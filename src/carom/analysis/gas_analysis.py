"""Measures a recording as a gas: temperature, pressure, rates, speeds, structure, transport, Lyapunov exponent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from carom.analysis import kinetics, spatial
from carom.analysis.frame_sequence import FrameSequence, sample_observables
from carom.analysis.gas_state import GasState
from carom.analysis.measure import Analysis, Line, counted
from carom.errors import CaromError, InputError
from carom.observe.blocks import estimate
from carom.observe.measures.geometry import mean_radius, volume
from carom.observe.measures.thermo import BOLTZMANN, thermal
from carom.observe.observable import observable

MIN_GAS_BALLS = 20
"""The smallest number of free balls that is measured as a gas."""
MAX_MOLECULE_MASS = 1e-20
"""For balls below this mass, kg, the temperature is also given in kelvin."""
COLLISIONS_PER_BALL = 5
"""Collisions per ball that a Lyapunov exponent needs: the difference must turn to the fastest growing direction."""
SLOWED_SHARE = 0.5
"""A run slows down if the largest kinetic energy of its last quarter is below this part of that of its first."""
MAX_COLLISIONS = 20_000_000
"""Largest number of collisions for a Lyapunov exponent."""


def measure_gas(frames: FrameSequence, found: Analysis) -> None:
    """Add all figures of a gas; add a remark on what cannot be measured."""
    recording, scene = frames.recording, frames.recording.scene
    free = int((~scene.balls.fixed).sum())
    reasons = {
        f"{counted(free, 'free ball')}, fewer than {MIN_GAS_BALLS}": free < MIN_GAS_BALLS,
        "links": len(scene.links) > 0,
        "cloth": len(scene.triangles) > 0,
        "attraction": scene.attraction is not None,
    }
    if any(reasons.values()):
        _lyapunov(frames, found)
        has = "; ".join(what for what, there in reasons.items() if there)
        found.remarks.append(f"it is no gas (it has {has}), so that there is no temperature, pressure or rate")
        return
    heats = [thermal(frame) for frame in frames]
    kt = estimate([heat.kt for heat in heats])
    try:
        room: float | None = volume(scene, mean_radius(scene))
    except InputError as error:
        room = None
        found.remarks.append(str(error))
    gas = GasState(frames, found, heats[0].who.size, heats[0].freedom, kt, room)
    if gas.no_law_reason:
        found.remarks.append(f"no laws are compared with: {gas.no_law_reason}")
    least, most = min(heat.freedom for heat in heats), max(heat.freedom for heat in heats)
    many = f"{most}" if least == most else f"{least} to {most}"
    gas.add("temperature", "k_B T", kt, "J", source=f"{many} degrees of freedom")
    if recording.masses.max() < MAX_MOLECULE_MASS:
        gas.add("temperature in kelvin", "T", replace(kt, mean=kt.mean / BOLTZMANN, error=kt.error / BOLTZMANN), "K")
    if gas.packing is not None and gas.diameter:
        found.facts.append(("packing fraction", f"{gas.packing:.6g}"))
    kinetics.collisions(gas)
    kinetics.speeds(gas)
    spatial.structure(gas)
    spatial.diffusion(gas)
    spatial.heights(gas)
    _lyapunov(frames, found)


def _lyapunov(frames: FrameSequence, found: Analysis) -> None:
    """Add the largest Lyapunov exponent, from the collisions."""
    log = frames.log
    if log is None or len(log) > MAX_COLLISIONS or not (len(log) or "lyapunov" in frames.recording.observables):
        return
    why = _no_exponent_reason(frames)
    if why:
        found.meaningless.add("lyapunov")
        found.remarks.append(f"there is no Lyapunov exponent: {why}")
        return
    try:
        series = sample_observables(frames, [observable("lyapunov")])["lyapunov"]
    except CaromError:
        return
    late = max(2, len(frames) // 5)  # until the difference has the fastest growing direction
    rates = estimate(series.values[late:], np.diff(series.times)[late - 1 :])
    if not np.isfinite(rates.mean):
        return
    source = "tangent dynamics"
    found.lines.append(
        Line("largest Lyapunov exponent", "λ", rates.mean, rates.error, "1/s", source=source, settled=rates.settled)
    )


def _no_exponent_reason(frames: FrameSequence) -> str:
    """The reason why a Lyapunov exponent has no meaning here; empty if it has one."""
    scene = frames.recording.scene
    free = np.flatnonzero(~scene.balls.fixed)
    if not free.size:
        return "nothing moves"
    first, last = frames.frame(0), frames.frame(-1)
    if scene.balls.born.max(initial=0.0) > first.time or np.isnan(last.positions[free]).any():
        return "balls come or go"
    energies, quarter = [frame.kinetic_energy for frame in frames], max(1, len(frames) // 4)
    if not (last.velocities[free] ** 2).sum(axis=1).all():
        return "balls are at rest at the end"
    before, after = max(energies[:quarter]), max(energies[-quarter:])
    if after < SLOWED_SHARE * before:
        return f"the kinetic energy falls from {before:.3g} to {after:.3g} J, and the exponent is of steady motion"
    met = sum(len(rows) for rows in frames.collisions(float(frames.times[0]), float(frames.times[-1])))
    if met < COLLISIONS_PER_BALL * free.size:
        return f"there are {counted(met, 'collision')}, and it takes about {COLLISIONS_PER_BALL} a ball. Record longer."
    return ""
