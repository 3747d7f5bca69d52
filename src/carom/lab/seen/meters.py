"""Measures a run: collisions, energies, momentum, temperature, pressure, speeds."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from carom.lab.bench.track import Track
from carom.lab.seen.view import Meters, Upcoming
from carom.observe.measures import geometry
from carom.scene import Scene
from carom.solvers.collision_record import WALL
from carom.solvers.registry import CARDS
from carom.views.measures import round_above

Floats = NDArray[np.float64]

MIN_GAS = 20
"""From this many free balls on, temperature and pressure are shown."""
BINS = 32
MOLECULE = 1e-20
"""Below this mass, kg, temperature is shown in K."""
BOLTZMANN = 1.380649e-23
"""J/K, exact (SI 2019)."""
MAX_UPCOMING = 8
"""Next collisions in the meters."""
MASS_SAMPLES = 16
"""Masses over which Maxwell's curve of a mixture is averaged."""


def measure(track: Track, upcoming: tuple[Upcoming, ...], start: float, while_: float) -> Meters:
    """All meters; `start` is the energy at the start of the segment, `while_` the averaging time of pressure, s."""
    sim, scene = track.sim, track.scene
    counts = track.counts()
    there = born(track)
    velocities = sim.velocities if there is None else np.where(there[:, None], sim.velocities, 0.0)
    masses = sim.masses if there is None else np.where(there, sim.masses, 0.0)
    kinetic, potential, drift, lost = _energies(track, start)
    speeds, end, curve = _histogram(scene, velocities, there)
    kt = _kt(scene, velocities, there)
    molecular = kt is not None and float(scene.balls.mass.max()) < MOLECULE
    return Meters(
        collisions=sum(counts.values()),
        by_kind=counts,
        upcoming=upcoming[:MAX_UPCOMING],
        kinetic=kinetic,
        potential=potential,
        total=kinetic + potential,
        drift=drift,
        lost=lost,
        momentum=tuple((masses[:, None] * velocities).sum(axis=0).tolist()),
        motion=float(masses @ np.linalg.norm(velocities, axis=1)),
        temperature=kt / BOLTZMANN if kt is not None and molecular else None,
        kt=kt,
        pressure=_pressure(track, while_) if kt is not None else None,
        centre_of_mass=_centre(masses, sim.positions),
        height=sim.height if len(scene.links) else None,
        speeds=speeds,
        speeds_end=end,
        maxwell=curve,
    )


def born(track: Track) -> NDArray[np.bool_] | None:
    """Which balls are born; None if all are."""
    times = track.scene.balls.born
    if not times.any():
        return None
    there: NDArray[np.bool_] = times <= track.sim.time
    return None if there.all() else there


def _energies(track: Track, start: float) -> tuple[float, float, float, dict[str, float]]:
    """Kinetic and potential energy, the unexplained rest, and losses by cause."""
    sim = track.sim
    if not CARDS[sim.solver].has_forces:
        kinetic, potential = sim.kinetic_energy, sim.potential_energy
        return kinetic, potential, kinetic + potential - start, {}
    account = sim.account
    lost = {name: value for name, value in account.lost.items() if value}
    return sim.kinetic_energy, sim.potential_energy, account.error, lost


def _centre(masses: Floats, positions: Floats) -> tuple[float, ...]:
    total = float(masses.sum())
    return tuple((masses @ positions / total).tolist()) if total > 0.0 else ()


def gaseous(scene: Scene) -> bool:
    """Are there many balls, and do they move freely?"""
    free = int((~scene.balls.fixed).sum())
    return free >= MIN_GAS and not len(scene.links) and not len(scene.triangles) and scene.attraction is None


def _free(scene: Scene, there: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    free: NDArray[np.bool_] = ~scene.balls.fixed
    return free if there is None else free & there


def _kt(scene: Scene, velocities: Floats, there: NDArray[np.bool_] | None) -> float | None:
    """Twice the mean kinetic energy per degree of freedom, J."""
    free = _free(scene, there)
    if not gaseous(scene) or not free.any():
        return None
    energies = scene.balls.mass[free] * (velocities[free] ** 2).sum(axis=1)
    return float(energies.mean() / scene.dimension)


def _pressure(track: Track, while_: float) -> float | None:
    """The momentum given to walls, per time and area (in 2D, length)."""
    area = wall_area(track.scene)
    begin = max(track.time - while_, track.segment.start)
    kept = track.log.chunks[0]["time"][0] if track.log.chunks else track.time
    if sum(track.counts().values()) > len(track.log.until(track.time)):  # the oldest have been forgotten
        begin = max(begin, float(kept))
    if area is None or track.time <= begin:
        return None
    given = sum(float(rows["impulse"][rows["kind"] == WALL].sum()) for rows in track.log.since(begin, track.time))
    return given / ((track.time - begin) * area)


def wall_area(scene: Scene) -> float | None:
    """Area of the walls around the scene, m² (in 2D length, m); None if there are none, or other walls too."""
    return None if scene.obstacles else geometry.finite_wall_area(scene) or None


def _histogram(
    scene: Scene, velocities: Floats, there: NDArray[np.bool_] | None
) -> tuple[tuple[float, ...], float, tuple[float, ...]]:
    """Density of speeds in equal bins, the end of the last, and Maxwell's curve at their middles."""
    free = _free(scene, there)
    if not gaseous(scene) or not free.any():
        return (), 0.0, ()
    speed = np.linalg.norm(velocities[free], axis=1)
    rms = float(np.sqrt((speed**2).mean()))
    if not rms:
        return (), 0.0, ()
    end = round_above(max(2.8 * rms, 1.001 * float(np.quantile(speed, 0.99))), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0))
    heights, edges = np.histogram(speed, bins=BINS, range=(0.0, end))
    width = edges[1] - edges[0]
    kt = float((scene.balls.mass[free] * speed**2).mean()) / scene.dimension
    curve = maxwell(0.5 * (edges[1:] + edges[:-1]), kt, scene.balls.mass[free], scene.dimension)
    return tuple((heights / (len(speed) * width)).tolist()), end, tuple(curve.tolist())


def maxwell(speed: Floats, kt: float, masses: Floats, dimension: int) -> Floats:
    """Maxwell's density of speeds, s/m: of a mixture, the mean over its masses.

    f(v) = v / s² exp(-v² / 2 s²) in the plane, sqrt(2/π) v² / s³ exp(-v² / 2 s²) in space, with s² = k_B T / m.
    """
    kinds, counts = np.unique(masses, return_counts=True)
    if len(kinds) > MASS_SAMPLES:
        kinds = np.quantile(masses, (np.arange(MASS_SAMPLES) + 0.5) / MASS_SAMPLES)
        counts = np.ones(MASS_SAMPLES, dtype=np.intp)
    s2 = (kt / kinds)[:, None]
    bell = np.exp(-(speed**2) / (2.0 * s2))
    each = speed / s2 * bell if dimension == 2 else np.sqrt(2.0 / pi) * speed**2 / s2**1.5 * bell
    mean: Floats = (counts[:, None] * each).sum(axis=0) / counts.sum()
    return mean
