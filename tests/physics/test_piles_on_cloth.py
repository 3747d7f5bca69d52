"""Balls that rest on each other beside a cloth, and on it."""

import numpy as np
import pytest

from carom import Ball, Cloth, HalfSpace, Scene, Simulation

G = 9.81
R = 0.1
TRIANGLE = ((-1.0, 0.0, -1.0), (1.0, 0.0, -1.0), (0.0, 0.0, 1.5))
SLOP = 0.025  # part of a radius by which contacts of a pile overlap at most


def column(count: int, *, aside: float) -> Scene:
    """Balls above each other over a floor, and a held triangle in the height of the floor so far from them."""
    tower = [Ball(position=(0.0, 1.1 * R + 2.1 * R * k, 0.0), radius=R) for k in range(count)]
    corners = [Ball(position=(x + aside, y, z), fixed=True) for x, y, z in TRIANGLE]
    floor = [HalfSpace(point=(0.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0))] if aside else []
    return Scene(
        gravity=(0.0, -G, 0.0), restitution=0.3, friction=0.3, balls=[*tower, *corners], obstacles=floor,
        triangles=[(count, count + 1, count + 2)],
    )  # fmt: skip


@pytest.mark.requirement("M-07", "M-14")
@pytest.mark.parametrize("aside", [5.0, 0.0], ids=["beside", "on"])
def test_a_column_stands_beside_a_cloth_and_on_it(aside: float) -> None:
    sim = Simulation(column(4, aside=aside))
    assert sim.method.contacts == "pile"
    sim.run(until=4.0)
    heights = sim.positions[:4, 1]
    assert heights[0] > (1.0 - SLOP) * R
    assert (np.diff(heights) > (2.0 - SLOP) * R).all()
    assert np.abs(sim.velocities).max() < 1e-4
    cloth, wall = sim.collisions_by_kind["ball-cloth"], sim.collisions_by_kind["ball-wall"]
    assert (cloth > 0, wall > 0) == (aside == 0.0, aside > 0.0)


@pytest.mark.requirement("M-14")
def test_a_column_on_a_cloth_goes_on_to_the_same_bits() -> None:
    sim = Simulation(column(4, aside=0.0)).run(until=0.5)
    copy = Simulation(column(4, aside=0.0))
    copy._solver.restore(sim._solver.state())
    assert (copy.run(until=1.0).positions == sim.run(until=1.0).positions).all()


@pytest.mark.requirement("M-14")
@pytest.mark.parametrize("speed", [3.0, 300.0, 3e4])
def test_nothing_in_a_pile_passes_a_cloth(speed: float) -> None:
    """Two balls side by side, and one above them, are thrown at a cloth that is held at its edge."""
    cloth = Cloth(
        corner=(-0.5, 0.0, -0.5), sides=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), counts=(5, 5), stiffness=1e4, damping=1.0,
        held="corners",
    )  # fmt: skip
    thrown = [(0.06, 0.3, 0.03), (-0.05, 0.3, 0.03), (0.01, 0.4, 0.03)]
    balls = [Ball(position=x, velocity=(0.0, -speed, 0.0), radius=0.05, mass=0.01) for x in thrown]
    scene = Scene(gravity=(0.0, -G, 0.0), restitution=0.3, balls=balls, structures=[cloth])
    sim = Simulation(scene, step=1e-4)
    assert sim.method.contacts == "pile"
    sim.run(until=0.35 / speed + 3e-4)
    assert sim.collisions_by_kind["ball-cloth"] > 0
    assert (sim.velocities[:3, 1] > -0.9 * speed).all()
    middle = sim.positions[3 + 12, 1]
    assert (sim.positions[:3, 1] > middle).all()
