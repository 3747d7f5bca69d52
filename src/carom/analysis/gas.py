"""A recording as a gas: heat, pressure, rates, speeds, structure, transport, and what theory says of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from carom.analysis import kinetics, places
from carom.analysis.along import Reel, taken
from carom.analysis.measure import Analysis, Line, counted
from carom.analysis.stills import Still
from carom.analysis.subject import Gas
from carom.errors import CaromError, InputError
from carom.observe.blocks import estimate
from carom.observe.measures.geometry import mean_radius, volume
from carom.observe.measures.thermo import BOLTZMANN, thermal
from carom.observe.observable import observable

GAS = 20
"""From so many free balls on, one may speak of a gas."""
MOLECULE = 1e-20
"""Balls of less mass, kg, have their temperature in kelvin."""
EACH = 5
"""Collisions a ball that a Lyapunov exponent takes: a small difference has to turn into the direction that grows."""
SLOWED = 0.5
"""A run whose last quarter has less than this part of the most kinetic energy of its first slows down."""
MOST_FOLLOWED = 20_000_000
"""Collisions along which a small difference is followed, at most."""


def measure_gas(reel: Reel, found: Analysis) -> None:
    """Add all that a gas tells; a remark where something cannot be measured."""
    recording, scene = reel.recording, reel.recording.scene
    free = int((~scene.balls.fixed).sum())
    reasons = {
        f"{counted(free, 'free ball')}, fewer than {GAS}": free < GAS,
        "links": len(scene.links) > 0,
        "cloth": len(scene.triangles) > 0,
        "attraction": scene.attraction is not None,
    }
    if any(reasons.values()):
        _follow(reel, found)
        has = "; ".join(what for what, there in reasons.items() if there)
        found.remarks.append(f"it is no gas (it has {has}), so that there is no temperature, pressure or rate")
        return
    heats = [thermal(still) for still in reel]
    kt = estimate([heat.kt for heat in heats])
    try:
        room: float | None = volume(scene, mean_radius(scene))
    except InputError as error:
        room = None
        found.remarks.append(str(error))
    gas = Gas(reel, found, heats[0].who.size, heats[0].freedom, kt, room)
    if gas.lawless:
        found.remarks.append(f"no laws are compared with: {gas.lawless}")
    least, most = min(heat.freedom for heat in heats), max(heat.freedom for heat in heats)
    many = f"{most}" if least == most else f"{least} to {most}"
    gas.add("temperature", "k_B T", kt, "J", source=f"{many} degrees of freedom")
    if recording.masses.max() < MOLECULE:
        gas.add("temperature in kelvin", "T", replace(kt, mean=kt.mean / BOLTZMANN, error=kt.error / BOLTZMANN), "K")
    if gas.packing is not None and gas.diameter:
        found.facts.append(("packing fraction", f"{gas.packing:.6g}"))
    kinetics.collisions(gas)
    kinetics.speeds(gas)
    places.structure(gas)
    places.diffusion(gas)
    places.heights(gas)
    _follow(reel, found)


def _follow(reel: Reel, found: Analysis) -> None:
    """The largest Lyapunov exponent, along the collisions."""
    log = reel.log
    if log is None or len(log) > MOST_FOLLOWED or not (len(log) or "lyapunov" in reel.recording.observables):
        return
    why = _unfit(reel)
    if why:
        found.meaningless.add("lyapunov")
        found.remarks.append(f"there is no Lyapunov exponent: {why}")
        return
    try:
        series = taken(reel, [observable("lyapunov")])["lyapunov"]
    except CaromError:
        return
    late = max(2, len(reel) // 5)  # until the difference points where it grows most
    rates = estimate(series.values[late:], np.diff(series.times)[late - 1 :])
    if not np.isfinite(rates.mean):
        return
    source = "tangent dynamics"
    found.lines.append(
        Line("largest Lyapunov exponent", "λ", rates.mean, rates.error, "1/s", source=source, settled=rates.settled)
    )


def _unfit(reel: Reel) -> str:
    """Why a Lyapunov exponent would mean nothing; nothing if it means something."""
    scene = reel.recording.scene
    free = np.flatnonzero(~scene.balls.fixed)
    if not free.size:
        return "nothing moves"
    first, last = next(iter(reel)), Still(reel.recording, reel.recording[int(reel.frames[-1])])
    if scene.balls.born.max(initial=0.0) > first.time or np.isnan(last.positions[free]).any():
        return "balls come or go"
    energies, quarter = [still.kinetic_energy for still in reel], max(1, len(reel) // 4)
    if not (last.velocities[free] ** 2).sum(axis=1).all():
        return "balls are at rest at the end"
    before, after = max(energies[:quarter]), max(energies[-quarter:])
    if after < SLOWED * before:
        return f"the kinetic energy falls from {before:.3g} to {after:.3g} J, and the exponent is of steady motion"
    met = sum(len(rows) for rows in reel.collisions(float(reel.times[0]), float(reel.times[-1])))
    if met < EACH * free.size:
        return f"there are {counted(met, 'collision')}, and it takes about {EACH} a ball. Record longer."
    return ""
