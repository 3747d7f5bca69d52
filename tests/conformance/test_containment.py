"""No ball ever leaves, point or disc, with or without gravity, whatever the walls."""

from typing import Any

import numpy as np
import pytest

from carom import Ball, Circle, Polygon, Scene, Simulation
from reference.separation import deepest_overlap, depth_outside, distance

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
EPS = float(np.finfo(float).eps)
SIZE = 4.0  # of the largest region
# The time of an event is rounded; in an epoch of 4096 events it grows to as many crossings of the region, and a fast
# ball moves by a few times the mean speed in what rounding takes.
ROUNDING = 4.0 * 4096.0 * EPS * SIZE


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


BENT_STAR = Polygon(
    vertices=[(0.0, 0.0), (0.75, 0.35), (1.5, 0.0), (1.1, 0.75), (1.5, 1.5), (0.75, 1.1), (0.0, 1.5), (0.4, 0.75)],
    bulges=[0.2, 0.0, -0.15, 0.0, 0.1, 0.0, 0.0, -0.1],
    holes=[Circle(centre=(0.75, 0.72), radius=0.12), [(0.3, 0.3), (0.4, 0.32), (0.32, 0.42)]],
)
SLACK = 65536.0 * EPS * 1.5  # what a wall takes for rounding: of the region's size


@pytest.mark.requirement("B-02", "B-03", "T-11")
def test_a_fast_point_for_a_million_bounces() -> None:
    """Every bounce is on a wall, every flight between two bounces is inside, and the energy holds."""
    bounces = 1_000_000
    point = Ball(position=(0.6, 0.5), velocity=(1e6, 0.37e6), radius=0.0)
    sim = Simulation(Scene(boundary=BENT_STAR, balls=[point]), neighbours="cells")
    energy, start = sim.kinetic_energy, np.array([point.position])
    walls: set[int] = set()
    for _ in range(100):
        logs = sim.collide(collisions=bounces // 100)
        places = np.concatenate([start, logs["place"][:, :2]])
        walls.update(logs["wall"].tolist())
        assert np.abs(clearance(BENT_STAR, places[1:])).max() <= SLACK
        assert clearance(BENT_STAR, (places[:-1] + places[1:]) / 2.0).min() >= -SLACK
        start = places[-1:]
    assert sim.collisions == bounces
    names = {sim.wall_name(wall) for wall in walls}
    assert names >= {f"edge {k}" for k in range(8)} | {"hole 0"} | {f"hole 1 edge {k}" for k in range(3)}
    # The unit normal of an oblique wall is rounded once for all, by about a unit in the last place.
    assert abs(sim.kinetic_energy / energy - 1.0) <= EPS * bounces


def clearance(region: Polygon, places: Any) -> Any:
    """How far places are from the nearest wall of a region; negative outside it."""
    point = np.zeros(len(places))
    free = -depth_outside(region, places, point)
    for hole in region.holes:
        if isinstance(hole, Circle):
            free = np.minimum(free, np.linalg.norm(places - hole.centre, axis=1) - hole.radius)
        else:
            away, inside = distance(hole, places)
            free = np.minimum(free, np.where(inside, -away, away))
    return free
