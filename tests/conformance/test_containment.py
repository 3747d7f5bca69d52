"""No ball ever leaves, point or disc, with or without gravity, whatever the walls."""

from typing import Any

import numpy as np
import pytest

from carom import Ball, Circle, Polygon, Scene, Simulation
from reference.separation import deepest_overlap

SQUARE = [(0.0, 0.0), (1.5, 0.0), (1.5, 1.5), (0.0, 1.5)]
REGIONS: dict[str, Any] = {
    "triangle": Polygon(vertices=[(0.0, 0.0), (3.0, 0.1), (0.3, 4.0)]),
    "star": Polygon(
        vertices=[(0.0, 0.0), (0.75, 0.35), (1.5, 0.0), (1.1, 0.75), (1.5, 1.5), (0.75, 1.1), (0.0, 1.5), (0.4, 0.75)]
    ),
    "stadium": Polygon(vertices=[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], bulges=[0.0, 1.0, 0.0, 1.0]),
    "arcs in and out": Polygon(vertices=SQUARE, bulges=[-0.2, 0.3, 0.0, 0.6]),
    "circle": Circle(centre=(0.7, 0.7), radius=0.6),
}
SIZE = 4.0  # of the largest region
# The time of an event is rounded; in an epoch of 4096 events it grows to as many crossings of the region, and a fast
# ball moves by a few times the mean speed in what rounding takes.
ROUNDING = 4.0 * 4096.0 * float(np.finfo(float).eps) * SIZE


@pytest.mark.requirement("B-02", "B-03")
@pytest.mark.parametrize("gravity", [(0.0, 0.0), (0.1, -1.0)], ids=["free", "falling"])
@pytest.mark.parametrize("radius", [0.0, 0.05], ids=["points", "discs"])
@pytest.mark.parametrize("name", REGIONS)
def test_stays_inside(name: str, radius: float, gravity: tuple[float, float]) -> None:
    balls = [
        Ball(position=(0.8, 0.7), velocity=(1.0, 0.37), radius=radius),
        Ball(position=(0.6, 0.55), velocity=(-0.3, 0.8), radius=radius),
    ]
    sim = Simulation(Scene(boundary=REGIONS[name], balls=balls, gravity=gravity), neighbours="cells")
    for _ in range(20):
        sim.run(collisions=1000, until=sim.time + 1e5)
        assert deepest_overlap(sim.snapshot()) <= ROUNDING
    assert sim.collisions == 20_000
