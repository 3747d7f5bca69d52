"""No wall that a ball in a cell could touch is missing from the cell's list."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from carom import Ball, Box, Circle, Polygon, Scene, library
from carom.kernels.jit import kernel
from carom.physics.walls import BOWL, DOME, PLANE, SEGMENT
from carom.solvers.exact.engine import Engine
from carom.solvers.exact.kinds import NONE
from carom.solvers.exact.neighbours import wall_grid
from carom.solvers.exact.wall_table import WallTable
from carom.solvers.exact.world import World


class Table(NamedTuple):
    """The part of an index that lists walls."""

    first: Any
    near: Any


@kernel
def count(walls, grid, reach, table):
    return wall_grid.count_near(walls, grid, reach, table)


@kernel
def fill(walls, grid, reach, table):
    return wall_grid.list_near(walls, grid, reach, table, 0, 0)


def walls_by_cell(walls, shape, low, edge, reach):
    """Where the list of each cell begins, and the lists."""
    grid = wall_grid.WallGrid(low, edge, shape)
    room = 2 * count(walls, grid, reach, Table(np.zeros(0, np.uint32), np.zeros(0, np.uint32)))
    table = Table(np.zeros(int(np.prod(shape)), np.uint32), np.zeros(room, np.uint32))
    assert fill(walls, grid, reach, table) <= room
    return table


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
    engine = Engine(World.of(Scene(balls=[Ball(position=(0.0, 0.0), radius=0.1)])))
    assert (engine.index.first.size, engine.index.near.size) == (0, 0)
    walled = Engine(World.of(Scene(boundary=Box(size=(1.0, 1.0)), balls=[Ball(position=(0.5, 0.5), radius=0.1)])))
    assert (walled.index.first != NONE).any()
