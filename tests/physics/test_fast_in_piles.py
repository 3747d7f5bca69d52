"""A shot into a pile: one hit leads to the next within a step, and nobody passes anybody, whatever the speed."""

import numpy as np
import pytest

from carom import Ball, Box, Open, Scene, Simulation
from carom.kernels.jit import kernel
from carom.solvers.stepped.pile import pieces as pile_pieces

next_piece = kernel(pile_pieces.next_piece.py_func)

STEP = 1.0 / 60.0
RADIUS = 0.02


def row(speed, e, count=4):
    """A ball that flies at others in a line, which stand half a metre apart."""
    balls = [
        Ball(position=(0.5 * k, 0.0), velocity=(speed if k == 0 else 0.0, 0.0), radius=RADIUS, mass=1.0 + 0.5 * k)
        for k in range(count)
    ]
    return Scene(boundary=Open(), balls=balls, restitution=e)


@pytest.mark.requirement("M-08", "M-11")
@pytest.mark.parametrize("speed", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
def test_who_is_hit_hits_the_next_as_the_exact_solver_has_it(speed, e):
    """Within a step or a few, where that solver has all the hits in a row; to the last hits that make them one body."""
    seconds = max(20.0 / speed, STEP)
    exact = Simulation(row(speed, max(e, 0.01)), solver="exact").run(until=seconds)
    piled = Simulation(row(speed, e), solver="stepped", contacts="pile", step=STEP)
    piled.run(until=STEP * np.ceil(seconds / STEP))
    assert piled.velocities[:, 0] / speed == pytest.approx(exact.velocities[:, 0] / speed, abs=0.02)
    assert np.diff(piled.positions[:, 0]).min() > 2.0 * RADIUS * 0.98
    momentum = (piled.masses * piled.velocities[:, 0]).sum()
    assert momentum == pytest.approx(speed, rel=1e-12)


def heap(speed):
    """A hundred disks that lie in a box, and one that is shot at them."""
    x, y = np.meshgrid(np.arange(10), np.arange(10))
    place = np.stack([0.05 + 0.1 * x.ravel() + 0.002 * (y.ravel() % 2), 0.05 + 0.1 * y.ravel()], axis=1)
    balls = [Ball(position=p, radius=0.045, mass=1.0) for p in place]
    shot = Ball(position=(0.5, 1.5), velocity=(0.3 * speed, -speed), radius=0.045, mass=1.0)
    return Scene(
        boundary=Box(size=(1.01, 2.0)), gravity=(0.0, -9.81), restitution=0.3, friction=0.4, balls=[*balls, shot]
    )


def deepest(sim):
    """The deepest overlap of two balls, or of one and a wall, in radii."""
    x, r = sim.positions, sim.radii
    apart = np.linalg.norm(x[:, None] - x[None], axis=2) + 1e9 * np.eye(len(x))
    size = np.array(sim.scene.boundary.size)
    beyond = np.maximum(r[:, None] - x, x + r[:, None] - size).max()
    return float(max((r[:, None] + r[None] - apart).max(), beyond) / r[0])


@pytest.mark.requirement("M-08", "M-11")
@pytest.mark.parametrize("speed", [1e2, 1e4, 1e6])
def test_a_shot_into_a_heap_passes_nobody_and_makes_no_energy(speed):
    sim = Simulation(heap(speed), step=STEP)
    assert sim.method.contacts == "pile"
    energy = [sim.account.kinetic + sum(sim.account.potential.values())]
    worst = 0.0
    for k in range(1, 121):
        sim.run(until=k * STEP)
        energy.append(sim.account.kinetic + sum(sim.account.potential.values()))
        worst = max(worst, deepest(sim))
    assert worst < 1.0  # while the blow goes through the heap; who passes another is at 2 on the way
    assert max(energy) == energy[0]
    assert np.diff(energy).max() < 0.01 * energy[0]
    sim.run(until=6.0)
    assert deepest(sim) < 0.05
    assert sim.kinetic_energy < 1e-3 * len(sim.masses)


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize(
    ("speed", "away", "pieces"), [(1.0, 5.0, 1), (100.0, 5.0, 125), (100.0, 1e4, 1), (1e12, 5.0, 2**16)]
)
def test_a_step_is_made_in_pieces_only_for_who_could_hit_somebody(speed, away, pieces):
    """In a step of 0.1 s with radii of 0.08 m: 100 m/s is 125 radii, and reaches 10 m."""
    lying = [Ball(position=(0.2 * k, 0.0), radius=0.08) for k in range(3)]
    shot = Ball(position=(-away, 0.0), velocity=(speed, 0.0), radius=0.08)
    sim = Simulation(Scene(boundary=Open(), balls=[*lying, shot], restitution=0.5), solver="stepped", contacts="pile")
    engine = sim._solver
    assert next_piece(engine.dim, 0.1, 0.1, engine.bodies, 4) == pytest.approx(0.1 / pieces, rel=1e-9)
