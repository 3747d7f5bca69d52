"""Low restitution: each collision loses what e says, also where a blow passes through balls that touch."""

from itertools import pairwise

import numpy as np
import pytest

from carom import Ball, Balls, Box, Scene, Simulation, library


def three_on_a_line(e: float) -> Scene:
    """Two balls fly at a third one that lies between them; they reach it one after the other."""
    balls = [
        Ball(position=(-1.0, 0.0), velocity=(1.0, 0.0), radius=0.1),
        Ball(position=(0.3, 0.0), radius=0.1),
        Ball(position=(1.0, 0.0), velocity=(-1.0, 0.0), radius=0.1),
    ]
    return Scene(restitution=e, balls=balls)


def row(count: int, e: float) -> Scene:
    """Balls that touch in a row, the first of which is struck along it at 1 m/s."""
    position = np.stack([0.25 * np.arange(count), np.zeros(count)], axis=1)
    velocity = np.zeros((count, 2))
    velocity[0, 0] = 1.0
    return Scene(restitution=e, balls=Balls(position=position, velocity=velocity, radius=0.125))


@pytest.mark.requirement("M-11", "T-12")
@pytest.mark.parametrize("solver", ["exact", "stepped"])
def test_three_balls_of_clay_stay_together(solver: str) -> None:
    """All momentum is gone, so they rest; 2^-32 of the approach may be left when the contact counts as lasting."""
    sim = Simulation(three_on_a_line(0.0), solver=solver).run(until=5.0)
    assert sim.velocities == pytest.approx(np.zeros((3, 2)), abs=2.0**-31)
    assert sim.kinetic_energy < 2.0**-60


@pytest.mark.requirement("M-11", "T-12")
@pytest.mark.parametrize("e", [0.0, 0.05, 0.0718, 0.1, 0.3, 0.5, 0.8, 0.95])
def test_both_solvers_give_the_same_velocities(e: float) -> None:
    """Below e = 7 - 4√3 = 0.0718 three balls collapse, above they part."""
    exact, stepped = (Simulation(three_on_a_line(e), solver=name).run(until=5.0) for name in ("exact", "stepped"))
    assert exact.velocities == pytest.approx(stepped.velocities, abs=1e-9)


@pytest.mark.requirement("M-11", "T-12")
@pytest.mark.parametrize("count", [3, 5, 16])
@pytest.mark.parametrize("e", [0.0, 0.2, 0.5, 0.9])
def test_every_collision_loses_what_e_says_until_it_counts_as_lasting(count: int, e: float) -> None:
    """J = μ (1 + e) u and ΔE = μ (1 - e²) u²/2 give ΔE = J² (1 - e)/(2 μ (1 + e)), with μ = m/2."""
    sim = Simulation(row(count, e), solver="exact")
    before, momentum = sim.kinetic_energy, sim.momentum
    log = sim.collide(until=10.0)
    mu = 0.5 * sim.masses[0]
    lost = (log["impulse"] ** 2 * (1.0 - e) / (2.0 * mu * (1.0 + e)))[log["softened"] == 0].sum()
    assert before - sim.kinetic_energy == pytest.approx(lost, rel=1e-12)
    assert sim.momentum == pytest.approx(momentum, abs=1e-13)
    # At one instant balls are in no order in time, but none may overtake its neighbour.
    assert all(a <= b + 1e-12 for a, b in pairwise(sim.velocities[:, 0]))
    assert (log["softened"] == 0).sum() >= count


@pytest.mark.requirement("T-11", "T-12")
def test_a_long_row_of_clay_moves_on_together() -> None:
    """The common motion has p²/2M; hardly more is left when the row counts as one contact."""
    count = 60
    sim = Simulation(row(count, 0.0), solver="exact")
    first = sim.kinetic_energy
    sim.run(until=10.0)
    assert first / count - 1e-12 < sim.kinetic_energy < 1.5 * first / count


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize("e", [0.0, 0.2, 0.5])
def test_collapse_ends(e: float) -> None:
    """A gas that loses energy makes clusters in which infinitely many collisions would fall into a finite time."""
    gas = library.load("gas", count=200, packing_fraction=0.3, seed=3).replace(restitution=e)
    sim = Simulation(gas, solver="exact")
    last, energy = 0.0, sim.kinetic_energy
    for _ in range(5):
        sim.run(collisions=40_000)
        assert sim.time > last
        assert sim.kinetic_energy < energy
        last, energy = sim.time, sim.kinetic_energy
    assert sim.report.softened > 0 or e == 0.5


@pytest.mark.requirement("T-11", "M-11")
def test_clay_does_not_bounce_off_a_wall_with_a_ball_behind_it() -> None:
    """A ball lies at a wall; another one hits it. Both stay."""
    box = Box(size=(2.0, 1.0))
    balls = [Ball(position=(0.1, 0.5), radius=0.1), Ball(position=(1.0, 0.5), velocity=(-1.0, 0.0), radius=0.1)]
    sim = Simulation(Scene(boundary=box, restitution=0.0, balls=balls), solver="exact").run(until=5.0)
    assert sim.velocities == pytest.approx(np.zeros((2, 2)), abs=2.0**-31)
