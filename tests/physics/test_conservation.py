"""Energy and momentum over many events: rounding errors add up as a random walk, and no worse."""

import math
from itertools import pairwise

import numpy as np
import pytest

from carom import Ball, Box, Scene, Simulation, library

EPS = np.finfo(float).eps


@pytest.mark.requirement("T-08", "T-18")
def test_energy_and_momentum_over_ten_million_collisions():
    """Each collision rounds the velocities of two of N disks, that is, the energy by at most about EPS/N.

    Over n collisions that could make EPS n/N = 2e-11 if all errors had one sign; a tenth of it is allowed (measured:
    1.2e-12). Momentum has no preferred direction, and its errors are a random walk, EPS √n/N.
    """
    n, collisions = 100, 10_000_000
    sim = Simulation(library.load("gas", count=n, packing_fraction=0.3, seed=5))
    energy = sim.kinetic_energy
    scale = float((sim.masses * np.linalg.norm(sim.velocities, axis=1)).sum())
    sim.run(collisions=collisions)
    assert sim.collisions == collisions
    assert abs(sim.kinetic_energy / energy - 1.0) < 0.1 * EPS * collisions / n  # 2.2e-12
    assert np.abs(sim.momentum).max() / scale < 4.0 * EPS * math.sqrt(collisions) / n * 4.0  # 1.1e-13
    assert (sim.positions >= 0.0).all()
    assert (sim.positions <= np.array(sim.scene.boundary.size)).all()
    assert deepest_overlap(sim) < 1e-9


def deepest_overlap(sim):
    """The largest overlap of two disks in a periodic box, in contact distances."""
    d = sim.positions[:, None, :] - sim.positions[None, :, :]
    size = np.array(sim.scene.boundary.size)
    d -= np.round(d / size) * size
    distance = np.sqrt((d**2).sum(axis=2)) + np.eye(len(d))
    contact = sim.radii[:, None] + sim.radii[None, :]
    return float((1.0 - distance / contact).max())


@pytest.mark.requirement("T-13")
def test_unequal_masses_and_radii_between_walls():
    """Walls take momentum, never energy; one rounding of a mass ratio may act the same way in each collision."""
    n, collisions = 100, 1_000_000
    sim = Simulation(
        library.load(
            "gas", count=n, packing_fraction=0.3, fraction=0.3, mass_ratio=7.0, radius_ratio=2.0, periodic=False, seed=6
        )
    )
    energy = sim.kinetic_energy
    sim.run(collisions=collisions)
    assert abs(sim.kinetic_energy / energy - 1.0) < EPS * collisions / n
    size = np.array(sim.scene.boundary.size)
    blur = 1e-12 * size
    assert (sim.positions >= sim.radii[:, None] - blur).all()
    assert (sim.positions <= size - sim.radii[:, None] + blur).all()


@pytest.mark.requirement("T-08")
def test_energy_under_gravity():
    """Kinetic and potential energy together: the gas falls, mixes and bounces, and the sum stays."""
    collisions = 200_000
    sim = Simulation(library.load("gas-under-gravity", count=100, seed=7))
    energy, kinetic = sim.energy, sim.kinetic_energy
    sim.run(collisions=collisions)
    assert sim.kinetic_energy != kinetic
    assert abs(sim.energy / energy - 1.0) < EPS * collisions / 10


@pytest.mark.requirement("M-11")
def test_with_restitution_energy_only_falls_and_momentum_holds():
    scene = library.load("gas", count=100, packing_fraction=0.2, seed=8).replace(restitution=0.95)
    sim = Simulation(scene)
    scale = float((sim.masses * np.linalg.norm(sim.velocities, axis=1)).sum())
    energies = [sim.kinetic_energy, *(sim.run(collisions=100).kinetic_energy for _ in range(20))]
    assert all(b < a for a, b in pairwise(energies))
    assert np.abs(sim.momentum).max() < 16 * EPS * math.sqrt(2000) * scale
    # P. K. Haff, J. Fluid Mech. 134 (1983) 401: a collision takes μ (1 - e²) u²/2. In a gas u is distributed as
    # u exp(-μ u²/2kT), so that this is (1 - e²) kT on average, and kT = E/N. Ten per cent are four standard errors.
    rate = math.log(energies[0] / energies[-1]) / 2000
    assert rate == pytest.approx((1.0 - 0.95**2) / 100, rel=0.1)


@pytest.mark.requirement("M-17")
def test_a_plane_scene_in_space_moves_the_same():
    """Balls in the middle plane of a flat box of three dimensions do what disks do in two, to the last bit."""
    flat = library.load("gas", count=20, packing_fraction=0.3, periodic=False, seed=9)
    width, height = flat.boundary.size
    depth = 4.0 * flat.balls.radius[0]
    balls = [
        Ball(position=(*b.position, 0.5 * depth), velocity=(*b.velocity, 0.0), mass=b.mass, radius=b.radius)
        for b in flat.balls
    ]
    plane = Simulation(flat)
    space = Simulation(Scene(boundary=Box(size=(width, height, depth)), balls=balls))
    for _ in range(5):
        plane.run(collisions=200)
        space.run(collisions=200)
        assert plane.time == space.time
        assert (plane.positions == space.positions[:, :2]).all()
        assert (plane.velocities == space.velocities[:, :2]).all()
    assert (space.positions[:, 2] == 0.5 * depth).all()
