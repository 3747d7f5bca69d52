"""A recording as a gas: heat, pressure, rates, speeds, structure, transport, and what theory says of each."""

from __future__ import annotations

import numpy as np

from carom.analysis import kinetics, places
from carom.analysis.along import Reel, taken
from carom.analysis.measure import Analysis, Line
from carom.analysis.subject import Gas
from carom.errors import CaromError, SceneError
from carom.observe.blocks import estimate
from carom.observe.observable import observable
from carom.observe.room import mean_radius, volume
from carom.observe.thermo import BOLTZMANN, thermal

GAS = 20
"""From so many free balls on, one may speak of a gas."""
MOLECULE = 1e-20
"""Balls of less mass, kg, have their temperature in kelvin."""
MOST_FOLLOWED = 20_000_000
"""Collisions along which a small difference is followed, at most."""


def measure_gas(reel: Reel, found: Analysis) -> None:
    """Add all that a gas tells; a remark where something cannot be measured."""
    recording, scene = reel.recording, reel.recording.scene
    free = int((~scene.balls.fixed).sum())
    if free < GAS or len(scene.links) or len(scene.triangles) or scene.attraction is not None:
        _follow(reel, found)
        found.remarks.append(
            f"it is no gas ({free} free balls; from {GAS} on, without links or attraction, it would be)"
        )
        return
    heats = [thermal(still) for still in reel]
    kt = estimate([heat.kt for heat in heats])
    try:
        room: float | None = volume(scene, mean_radius(scene))
    except SceneError as error:
        room = None
        found.remarks.append(str(error))
    gas = Gas(reel, found, heats[0].who.size, heats[0].freedom, kt, room)
    gas.add("temperature", "k_B T", kt, "J", source=f"{heats[0].freedom} degrees of freedom")
    if recording.masses.max() < MOLECULE:
        gas.add("temperature in kelvin", "T", (kt.mean / BOLTZMANN, kt.error / BOLTZMANN), "K")
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
    log = reel.recording.collisions
    if log is None or not 0 < len(log) <= MOST_FOLLOWED:
        return
    try:
        series = taken(reel, [observable("lyapunov")])["lyapunov"]
    except CaromError:
        return
    late = max(2, len(reel) // 5)  # until the difference points where it grows most
    rates = estimate(series.values[late:], np.diff(series.times)[late - 1 :])
    found.lines.append(
        Line("largest Lyapunov exponent", "λ", rates.mean, rates.error, "1/s", source="tangent dynamics")
    )
