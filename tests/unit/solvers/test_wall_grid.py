"""No wall that a ball in a cell could touch is missing from the cell's list."""

import numpy as np
import pytest

from carom import Ball, Box, Circle, Polygon, Scene, library
from carom.physics.walls import BOWL, DOME, PLANE, SEGMENT
from carom.solvers.exact.kinds import NONE
from carom.solvers.exact.neighbours.wall_grid import walls_by_cell
from carom.solvers.exact.wall_table import WallTable

SCENES = [
    pytest.param(Scene(boundary=Box(size=(1.0, 0.7))), id="box"),
    pytest.param(
        Scene(
            boundary=Polygon(
                vertices=[(0, 0), (1, 0.1), (0.9, 0.7), (0.5, 0.4), (0.1, 0.7)],
                holes=[Circle(centre=(0.3, 0.3), radius=0.1), [(0.6, 0.2), (0.8, 0.2), (0.7, 0.3)]],
            )
        ),
        id="polygon with holes",
    ),
    pytest.param(Scene(boundary=Circle(centre=(0.5, 0.35), radius=0.35)), id="circle"),
    pytest.param(library.load("stadium"), id="stadium"),
    pytest.param(
        Scene(
            boundary=Box(size=(1.0, 0.7), periodic=True),
            balls=[Ball(position=(0.02, 0.3), radius=0.05, fixed=True)],
            obstacles=[Circle(centre=(0.5, 0.35), radius=0.2)],
        ),
        id="periodic with a peg and a pillar",
    ),
]


def distance(wall, x, y):
    """From points to a wall, written down independently of the solver."""
    dx, dy = x - wall["px"], y - wall["py"]
    if wall["kind"] == PLANE:
        return np.abs(dx * wall["nx"] + dy * wall["ny"])
    if wall["kind"] == SEGMENT:
        along = np.clip(dx * wall["tx"] + dy * wall["ty"], 0.0, wall["length"])
        return np.hypot(dx - along * wall["tx"], dy - along * wall["ty"])
    far = np.hypot(dx, dy)
    if wall["kind"] not in (BOWL, DOME) or wall["cosine"] < -1.0:
        return np.abs(far - wall["r"])
    on_arc = dx * wall["nx"] + dy * wall["ny"] >= wall["cosine"] * far
    return np.where(on_arc, np.abs(far - wall["r"]), np.inf)


@pytest.mark.requirement("B-02", "B-03")
@pytest.mark.parametrize("reach", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("scene", SCENES)
def test_every_wall_within_reach_is_listed(scene, reach):
    walls = WallTable(scene).records
    low, shape, edge = (-0.1, -0.1, 0.0), (13, 9, 1), (0.1, 0.1, 1.0)
    first, near = walls_by_cell(walls, shape, low, edge, reach)
    listed = [set(near_cell(first, near, c)) for c in range(13 * 9)]
    rng = np.random.default_rng(7)
    x, y = rng.uniform(-0.1, 1.2, 4000), rng.uniform(-0.1, 0.8, 4000)
    cell = np.floor((x - low[0]) / 0.1).astype(int) + 13 * np.floor((y - low[1]) / 0.1).astype(int)
    hits = 0
    for w in range(walls.size):
        close = np.flatnonzero(distance(walls[w], x, y) <= reach)
        hits += close.size
        assert all(w in listed[cell[k]] for k in close)
    assert hits > 0 or reach == 0.0


def near_cell(first, near, cell):
    k = int(first[cell])
    while k != NONE and near[k] != NONE:
        yield int(near[k])
        k += 1


def test_far_walls_are_left_out():
    walls = WallTable(Scene(boundary=Box(size=(1.0, 1.0)))).records
    first, _ = walls_by_cell(walls, (10, 10, 1), (0.0, 0.0, 0.0), (0.1, 0.1, 1.0), 0.01)
    inner = [x + 10 * y for x in range(3, 7) for y in range(3, 7)]
    assert (first[inner] == NONE).all()


def test_without_walls_there_is_no_table():
    first, near = walls_by_cell(WallTable(Scene()).records, (3, 3, 1), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 0.1)
    assert (first.size, near.size) == (0, 0)
