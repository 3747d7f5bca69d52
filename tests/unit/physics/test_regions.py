"""Signed distances: against sampled surfaces, with the normal as gradient, and never steeper than one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom import Circle, Polygon, Wedge
from carom.kernels.jit import kernel
from carom.physics import regions as laws
from carom.scene.shapes.outline import Outline
from carom.solvers.stepped.regions.clearance import clearance_of, is_free
from carom.solvers.stepped.regions.table import RegionTable
from reference.laws import called

EPS = np.finfo(float).eps
nearest, probe, free = called(laws.nearest), called(laws.probe), called(is_free)


@kernel
def signed_distances(dim, regions, edges, k, points, out):
    for i in range(len(points)):
        d, nx, ny, nz, _ = laws.nearest(dim, regions, edges, k, points[i, 0], points[i, 1], points[i, 2])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = d, nx, ny, nz


STADIUM = Outline.closed([(-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)], [0.0, 1.0, 0.0, 1.0])
STAR = Outline.closed([(0.0, 1.0), (-0.3, 0.2), (-1.0, 0.0), (-0.2, -0.3), (0.4, -1.0), (0.3, 0.1)])
BITTEN = Outline.closed([(-1.0, -1.0), (1.0, -1.0), (0.5, 0.9), (-0.8, 0.7)], [-0.3, 0.2, -0.8, 0.0])
NEARLY_ROUND = Outline.closed([(-0.1, -1.0), (0.1, -1.0), (0.1, -0.9), (-0.1, -0.9)], [0.0, 0.0, 9.0, 0.0])
OUTLINES = {"stadium": STADIUM, "star": STAR, "bitten": BITTEN, "nearly round": NEARLY_ROUND}


def a_table(add):
    table = RegionTable()
    add(table)
    return table.finished()


def outlined(outline, *, container):
    return a_table(lambda table: table.add_outline(outline, ("wall",) * len(outline.start), "", container=container))


SHAPES = {
    "half-space": (3, a_table(lambda t: t.add_half_space((0.1, 0.2, 0.3), (1.0, -2.0, 0.5), "wall", "a"))),
    "ball": (3, a_table(lambda t: t.add_ball((0.1, 0.2, 0.3), 0.7, "wall", "a"))),
    "circle": (2, a_table(lambda t: t.add_ball((0.1, 0.2), 0.7, "wall", "a"))),
    "in a ball": (3, a_table(lambda t: t.add_ball((0.1, 0.2, 0.3), 1.7, "wall", "a", container=True))),
    "in a circle": (2, a_table(lambda t: t.add_ball((0.1, 0.2), 1.7, "wall", "a", container=True))),
    "cylinder": (3, a_table(lambda t: t.add_cylinder((0.1, 0.2), 0.7, "wall", "a"))),
    "in a cylinder": (3, a_table(lambda t: t.add_cylinder((0.1, 0.2), 1.7, "wall", "a", container=True))),
    "block": (3, a_table(lambda t: t.add_block((-0.5, -0.2, 0.1), (0.4, 0.6, 0.3), "wall", "a"))),
    "rectangle": (2, a_table(lambda t: t.add_block((-0.5, -0.2), (0.4, 0.6), "wall", "a"))),
    "wedge": (2, a_table(lambda t: t.add(Wedge(slope=0.5, intercept=0.1, x=(-1.0, 1.0), bottom=-0.2).solids("a"), 2))),
    "prism": (3, a_table(lambda t: t.add(Wedge(slope=-0.5, intercept=0.1, x=(-1.0, 0.7), bottom=-0.9).solids("a"), 3))),
    **{f"{name}, solid": (2, outlined(outline, container=False)) for name, outline in OUTLINES.items()},
    **{f"in {name}": (2, outlined(outline, container=True)) for name, outline in OUTLINES.items()},
}
each_shape = pytest.mark.parametrize(("dimension", "table"), SHAPES.values(), ids=SHAPES)


def measured(dimension, table, points):
    """Distances and normals of region 0 at points with two or three coordinates."""
    three = np.zeros((len(points), 3))
    three[:, : points.shape[1]] = points
    out = np.empty((len(points), 4))
    signed_distances((0,) * dimension, table.regions, table.edges, 0, three, out)
    return out[:, 0], out[:, 1 : 1 + points.shape[1]]


def some_points(dimension, count=2000, seed=5):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (count, dimension))


def sampled(outline, spacing):
    """Points on an outline, not further apart than that."""
    parts = []
    for k in range(len(outline.start)):
        angle = 4.0 * math.atan(outline.bulge[k])
        length = outline.radius[k] * abs(angle) if angle else float(np.hypot(*outline.chord[k]))
        t = np.linspace(0.0, 1.0, int(length / spacing) + 2)[:, None]
        if angle:
            begin = outline.start[k] - outline.centre[k]
            turn = angle * t
            x, y = begin
            bent = np.hstack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)])
            parts.append(outline.centre[k] + bent)
        else:
            parts.append(outline.start[k] + t * outline.chord[k])
    return np.concatenate(parts)


def assert_as_far_as(d, points, surface, spacing):
    """The distance is that of the nearest of many points of the surface, which is too large by the spacing at most."""
    brute = np.concatenate(
        [np.sqrt(((part[:, None, :] - surface[None]) ** 2).sum(axis=2).min(axis=1)) for part in np.split(points, 10)]
    )
    assert (np.abs(d) <= brute * (1.0 + 16 * EPS) + 16 * EPS).all()
    assert (brute <= np.abs(d) + spacing / 2.0).all()  # no place of the surface is further from the next point


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize("container", [False, True])
@pytest.mark.parametrize("outline", OUTLINES.values(), ids=OUTLINES)
def test_outline_against_sampled_edges(outline, container):
    points = some_points(2, 500)
    d, _ = measured(2, outlined(outline, container=container), points)
    assert_as_far_as(d, points, sampled(outline, 5e-4), 5e-4)
    assert ((d > 0.0) == (outline.contains(points) == container)).all()


@pytest.mark.requirement("M-08")
def test_outline_with_holes_as_one_region():
    room = Polygon(
        vertices=[(-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (-1.5, 1.5)],
        holes=[[(-1.0, -1.0), (-0.2, -1.0), (-0.2, 0.0)], Circle(centre=(0.6, 0.5), radius=0.4)],
    )
    table = RegionTable()
    table.add_outline(room.outline, room.material, "", container=True)
    for hole in room.holes:
        table.add_outline(hole.outline, ("wall",) * len(hole.outline.start), "hole ")
    whole = table.finished()
    whole.regions["count"][0] = len(whole.edges)
    points = some_points(2, 500)
    d, _ = measured(2, whole, points)
    surface = np.concatenate([sampled(part, 5e-4) for part in (room.outline, *(h.outline for h in room.holes))])
    assert_as_far_as(d, points, surface, 5e-4)
    inside = room.outline.contains(points) & ~np.any([h.outline.contains(points) for h in room.holes], axis=0)
    assert ((d > 0.0) == inside).all()


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize("dimension", [2, 3])
def test_block_against_sampled_faces(dimension):
    low, high = np.array([-0.5, -0.2, 0.1])[:dimension], np.array([0.4, 0.6, 0.3])[:dimension]
    count = 400 if dimension == 2 else 40
    grid = np.stack(np.meshgrid(*[np.linspace(a, b, count) for a, b in zip(low, high, strict=True)]), axis=-1)
    grid = grid.reshape(-1, dimension)
    surface = grid[((grid == low) | (grid == high)).any(axis=1)]
    points = some_points(dimension, 1000)
    d, _ = measured(dimension, SHAPES["rectangle" if dimension == 2 else "block"][1], points)
    assert_as_far_as(d, points, surface, float((high - low).max()) / (count - 1) * math.sqrt(dimension - 1))
    assert ((d < 0.0) == ((points > low) & (points < high)).all(axis=1)).all()


@pytest.mark.requirement("M-08")
def test_round_things_in_closed_form():
    points = some_points(3)
    from_axis = np.hypot(points[:, 0] - 0.1, points[:, 1] - 0.2)
    from_centre = np.hypot(from_axis, points[:, 2] - 0.3)
    for name, expected in [
        ("ball", from_centre - 0.7),
        ("in a ball", 1.7 - from_centre),
        ("cylinder", from_axis - 0.7),
        ("in a cylinder", 1.7 - from_axis),
        ("half-space", ((points - (0.1, 0.2, 0.3)) @ (1.0, -2.0, 0.5)) / math.sqrt(5.25)),
    ]:
        np.testing.assert_allclose(measured(3, SHAPES[name][1], points)[0], expected, rtol=0.0, atol=16 * EPS)


@pytest.mark.requirement("M-08")
@each_shape
def test_the_normal_leads_to_the_surface(dimension, table):
    points = some_points(dimension)
    d, n = measured(dimension, table, points)
    np.testing.assert_allclose((n * n).sum(axis=1), 1.0, rtol=0.0, atol=8 * EPS)
    for part in (0.5, 1.0):  # the way to the surface crosses no ridge, so the distance falls at the rate 1
        there, _ = measured(dimension, table, points - part * d[:, None] * n)
        np.testing.assert_allclose(there, (1.0 - part) * d, rtol=0.0, atol=64 * EPS)


coordinates = st.floats(-3.0, 3.0)
places = st.tuples(coordinates, coordinates, coordinates)


@each_shape
@given(one=places, other=places)
def test_distance_is_never_steeper_than_one(dimension, table, one, other):
    points = np.array([one, other])[:, :dimension]
    d, _ = measured(dimension, table, points)
    assert abs(d[0] - d[1]) <= np.linalg.norm(points[0] - points[1]) + 64 * EPS


@each_shape
@given(one=places, other=places)
def test_hollowness_bounds_the_distance_from_below(dimension, table, one, other):
    """What the sweep relies on, feature by feature, for places where the distance is one of a front."""
    dim, (x, y) = (0,) * dimension, (np.array(place) for place in (one, other))
    x[dimension:] = y[dimension:] = 0.0
    for j in range(max(len(table.edges), 1)):
        d, *n, kappa = probe(dim, table.regions, table.edges, 0, j, tuple(x), 0.0)
        there = probe(dim, table.regions, table.edges, 0, j, tuple(y), 0.0)[0]
        if d < math.inf and there < math.inf and kappa < math.inf:
            step = y - x
            assert there >= d + n @ step - kappa * (step @ step) / 2.0 - 256 * EPS * (1.0 + kappa)


@pytest.mark.parametrize("container", [False, True])
@pytest.mark.parametrize("hollow", [1.0, -1.0])
def test_a_tip_of_no_angle_has_a_normal(container, hollow):
    """Two arcs that part in the same direction: their normals cancel at the tip, of what is solid or what is free."""
    bend = -math.tan(math.atan(0.5) / 2.0)
    cusp = Outline.closed([(0.0, 0.0), (1.0, -0.5), (1.0, 0.5)], [bend, 0.0, bend])
    if hollow < 0.0:  # a dent of that shape in a square
        cusp = Outline.closed(
            [(0.0, 0.0), (1.0, -0.5), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, 0.5)][::-1],
            [0.0, 0.0, 0.0, 0.0, 0.0, -bend, -bend],
        )
    table = outlined(cusp, container=container)
    tip = table.edges[(table.edges["kind"] == laws.CORNER) & (table.edges["x"] == 0.0)]
    free_is_left = (hollow > 0.0) != container
    np.testing.assert_allclose([tip["nx"][0], tip["ny"][0]], [-1.0 if free_is_left else 1.0, 0.0], atol=1e-7)
    points = np.concatenate([some_points(2, 500), [(-1e-3, 0.0), (-0.1, 1e-3)]])
    d, _ = measured(2, table, points)
    assert ((d > 0.0) == (cusp.contains(points) == container)).all()


@each_shape
def test_clearance_never_says_too_much(dimension, table):
    grid = clearance_of(dimension, table.regions, table.edges, (-1.5,) * 3, (1.0, 1.3, 1.5))
    points = some_points(dimension, 3000)
    d, _ = measured(dimension, table, points)
    reach = np.abs(d) * np.random.default_rng(1).uniform(0.5, 1.2, len(d))
    three = np.zeros((len(points), 3))
    three[:, :dimension] = points
    said = np.array([free((0,) * dimension, grid, *at, far) for at, far in zip(three, reach, strict=True)])
    assert not (said & (d <= reach)).any()
    inner = (points > -1.5).all(axis=1) & (points < (1.0, 1.3, 1.5)[:dimension]).all(axis=1)
    assert said[inner & (d > reach + 0.3)].all()
    assert not said[~inner & (points.min(axis=1) < -1.5)].any()


def test_clearance_of_nothing():
    table = RegionTable().finished()
    assert free((0, 0), clearance_of(2, table.regions, table.edges, (0, 0), (1, 1)), 0.5, 0.5, 0.0, 1e300)
    empty = clearance_of(2, table.regions, table.edges, (0, 0), (0, 0))
    assert not free((0, 0), empty, 0.0, 0.0, 0.0, 1.0)
