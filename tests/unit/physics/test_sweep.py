"""When a ball on a parabola meets a region: against a fine scan, at any speed, and not through corners."""

import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom import Wedge
from carom.kernels.jit import kernel
from carom.physics import regions as region_laws
from carom.physics import swept_contact as laws
from carom.physics.regions import NO_EDGE
from carom.scene.shapes.outline import Outline
from carom.solvers.stepped.regions.table import RegionTable
from reference.laws import called

EPS = np.finfo(float).eps
falling_time, nearest = called(laws.falling_time), called(region_laws.nearest)
NOTHING = (np.uint32(NO_EDGE),) * 4
SAMPLES = 2000


@kernel
def swept(dim, regions, edges, paths, radii, span, skipped, out):
    for i in range(len(paths)):
        p = paths[i]
        path = (p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8])
        tau, k, j = laws.first_contact(dim, regions, edges, path, radii[i], span, skipped)
        out[i, 0], out[i, 1], out[i, 2] = tau, k, j


@kernel
def scanned(dim, regions, edges, paths, radii, span, samples, out):
    """The first fall of the gap to zero, between samples by bisection; and the least gap before it."""
    for i in range(len(paths)):
        p = paths[i]
        path = (p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8])
        out[i, 0], out[i, 1] = -1.0, np.inf
        for s in range(samples + 1):
            tau = span * (samples - s) / samples
            g = gap_at(dim, regions, edges, path, radii[i], tau)
            if g < 0.0:
                early, late = span * (samples - s + 1) / samples, tau
                for _ in range(80):
                    middle = 0.5 * (early + late)
                    if gap_at(dim, regions, edges, path, radii[i], middle) < 0.0:
                        late = middle
                    else:
                        early = middle
                out[i, 0] = late
                break
            out[i, 1] = min(out[i, 1], g)


@numba.njit
def gap_at(dim, regions, edges, path, r, tau):
    x, y, z = laws.place_before(dim, path, tau)
    g = np.inf
    for k in range(len(regions)):
        g = min(g, region_laws.nearest(dim, regions, edges, k, x, y, z)[0] - r)
    return g


def a_table(add):
    table = RegionTable()
    add(table)
    return table.finished()


def outlined(vertices, bulges, *, container):
    outline = Outline.closed(vertices, bulges)
    return a_table(lambda t: t.add_outline(outline, ("wall",) * len(outline.start), "", container=container))


def a_room(table):
    for axis in range(2):
        for side in (1.0, -1.0):
            normal = np.zeros(3)
            normal[axis] = side
            table.add_half_space(-2.0 * normal, normal, "wall", "face")
    table.add_ball((0.3, 0.4), 0.5, "wall", "pillar")
    table.add_block((-1.0, -1.2), (-0.5, 0.1), "wall", "block")


STADIUM = [(-1.0, -0.7), (1.0, -0.7), (1.0, 0.7), (-1.0, 0.7)], [0.0, 1.0, 0.0, 1.0]
BITTEN = [(-1.0, -1.0), (1.0, -1.0), (0.5, 0.9), (-0.8, 0.7)], [-0.3, 0.2, -0.8, 0.0]
STAR = [(0.0, 1.0), (-0.3, 0.2), (-1.0, 0.0), (-0.2, -0.3), (0.4, -1.0), (0.3, 0.1)], [0.0] * 6
SHAPES = {
    "half-space": (3, a_table(lambda t: t.add_half_space((0.1, 0.2, 0.3), (1.0, -2.0, 0.5), "wall", "a"))),
    "ball": (3, a_table(lambda t: t.add_ball((0.1, 0.2, 0.3), 0.9, "wall", "a"))),
    "in a ball": (3, a_table(lambda t: t.add_ball((0.1, 0.2, 0.3), 1.7, "wall", "a", container=True))),
    "cylinder": (3, a_table(lambda t: t.add_cylinder((0.1, 0.2), 0.7, "wall", "a"))),
    "in a circle": (2, a_table(lambda t: t.add_ball((0.1, 0.2), 1.7, "wall", "a", container=True))),
    "block": (3, a_table(lambda t: t.add_block((-0.5, -0.7, -0.8), (0.4, 0.6, 0.5), "wall", "a"))),
    "prism": (3, a_table(lambda t: t.add(Wedge(slope=-0.5, intercept=0.1, x=(-1.0, 0.7), bottom=-0.9).solids("a"), 3))),
    "room": (2, a_table(a_room)),
    "stadium": (2, outlined(*STADIUM, container=False)),
    "in a stadium": (2, outlined(*STADIUM, container=True)),
    "bitten": (2, outlined(*BITTEN, container=False)),
    "in bitten": (2, outlined(*BITTEN, container=True)),
    "star": (2, outlined(*STAR, container=False)),
    "in a star": (2, outlined(*STAR, container=True)),
}


def contacts(dimension, table, paths, radii, span=1.0, skipped=NOTHING):
    out = np.empty((len(paths), 3))
    swept((0,) * dimension, table.regions, table.edges, paths, radii, span, skipped, out)
    return out


def some_paths(dimension, count, rng, pull, speed=4.0):
    """Ends of parabolas whose starts are all about."""
    paths = np.zeros((count, 9))
    start = rng.uniform(-2.0, 2.0, (count, dimension))
    a = rng.normal(size=(count, dimension)) * pull * rng.uniform(0.0, 1.0, (count, 1)) ** 2
    u = rng.normal(size=(count, dimension)) * speed * rng.uniform(0.0, 1.0, (count, 1))
    paths[:, :dimension] = start + u + a / 2.0
    paths[:, 3 : 3 + dimension] = u + a
    paths[:, 6 : 6 + dimension] = a
    return paths


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize("pull", [0.0, 3.0])
@pytest.mark.parametrize(("dimension", "table"), SHAPES.values(), ids=SHAPES)
def test_first_contact_is_that_of_a_fine_scan(dimension, table, pull):
    rng = np.random.default_rng(3)
    paths = some_paths(dimension, 2000, rng, pull)
    radii = rng.uniform(0.0, 0.1, len(paths)) * rng.integers(0, 2, len(paths))
    seen = np.empty((len(paths), 2))
    scanned((0,) * dimension, table.regions, table.edges, paths, radii, 1.0, SAMPLES, seen)
    begins_free = seen[:, 0] < 1.0
    found = contacts(dimension, table, paths, radii)[:, 0]
    meets = begins_free & (seen[:, 0] >= 0.0)
    assert meets.sum() > 40
    late = found - seen[:, 0]
    # A scan misses what it touches between two samples, so that a contact found before it must be such a graze.
    grazes = meets & (late > 1e-9)
    assert (found[meets] >= seen[meets, 0] - 1e-9).all()
    assert grazes.sum() <= 2
    misses = begins_free & (seen[:, 0] < 0.0) & (seen[:, 1] > 1e-3)
    assert misses.sum() > 5
    assert (found[misses] == laws.NO_CONTACT).all()


def test_a_plane_is_met_to_rounding():
    table = SHAPES["half-space"][1]
    rng = np.random.default_rng(5)
    paths = some_paths(3, 1000, rng, 3.0)
    found = contacts(3, table, paths, np.zeros(1000))[:, 0]
    x, u, a = paths[:, :3], paths[:, 3:6], paths[:, 6:]
    n = np.array([1.0, -2.0, 0.5]) / math.sqrt(5.25)
    free = (x - u + a / 2.0 - (0.1, 0.2, 0.3)) @ n > 0.0
    met = free & (found >= 0.0)
    t = found[met, None]
    gap = ((x[met] - u[met] * t + a[met] * t * t / 2.0) - (0.1, 0.2, 0.3)) @ n
    assert met.sum() > 150
    assert np.abs(gap).max() < 64 * EPS


@pytest.mark.parametrize("r", [0.0, 1e-3])
@pytest.mark.parametrize("speed", [1e-3, 1.0, 1e4, 1e6])
@pytest.mark.requirement("M-08")
def test_nothing_passes_a_thin_wall(r, speed):
    """A wall of a nanometre, as a block and as an outline, met at any angle."""
    thin = 1e-9
    corners = [(0.0, -2.0), (thin, -2.0), (thin, 2.0), (0.0, 2.0)]
    block = a_table(lambda t: t.add_block(corners[0], corners[2], "wall", "a"))
    angle = np.linspace(-1.4, 1.4, 101)
    paths = np.zeros((101, 9))
    paths[:, 3], paths[:, 4] = speed * np.cos(angle), speed * np.sin(angle)
    span = 1.0 / speed / np.cos(angle).min()
    paths[:, 0], paths[:, 1] = -0.1 + paths[:, 3] * span, -0.1 * np.tan(angle) + paths[:, 4] * span
    for table in (block, outlined(corners, 0.0, container=False)):
        found = contacts(2, table, paths, np.full(101, r), span)[:, 0]
        x = paths[:, 0] - paths[:, 3] * found
        np.testing.assert_allclose(x, -r, rtol=0.0, atol=16 * EPS * (1.0 + speed * span))


@pytest.mark.parametrize("shape", ["star", "in a star", "bitten", "in bitten", "stadium", "in a stadium"])
@given(vertex=st.integers(0, 5), angle=st.floats(0.0, 2.0 * math.pi), speed=st.floats(0.1, 1e4))
def test_points_do_not_pass_corners(shape, vertex, angle, speed):
    """A point that comes from outside, and would be inside behind the vertex that it is aimed at, meets something."""
    table = SHAPES[shape][1]
    vertices = {"star": STAR, "bitten": BITTEN, "stadium": STADIUM}[shape.split()[-1]][0]
    x, y = vertices[vertex % len(vertices)]
    u, v = speed * math.cos(angle), speed * math.sin(angle)
    path = np.array([[x + u, y + v, 0.0, u, v, 0.0, 0.0, 0.0, 0.0]])
    half = 0.1 / speed  # the path goes on behind the corner for a tenth of a metre
    path[:, :2] -= path[:, 3:5] * (1.0 - half)
    found = contacts(2, table, path, np.zeros(1), 2.0 * half)[0, 0]
    before, _, _, _, _ = nearest((0, 0), table.regions, table.edges, 0, x - u * half, y - v * half, 0.0)
    after, _, _, _, _ = nearest((0, 0), table.regions, table.edges, 0, x + u * half, y + v * half, 0.0)
    if before > 1e-3 and after < -1e-3:
        assert found >= half * (1.0 - 1e-9)


@pytest.mark.parametrize("r", [0.0, 0.25])
def test_touching(r):
    """Touching and approaching is a contact now, receding none, until gravity brings it back."""
    floor = a_table(lambda t: t.add_half_space((0.0, 0.0), (0.0, 1.0), "wall", "a"))

    def when(v, g):
        end = r + v + g / 2.0
        return contacts(2, floor, np.array([[0.0, end, 0.0, 1.0, v + g, 0.0, 0.0, g, 0.0]]), np.array([r]))[0, 0]

    assert when(-0.5, 0.0) == 1.0
    assert when(0.0, -1.0) == 1.0
    assert when(0.0, 0.0) == laws.NO_CONTACT
    assert when(0.5, 0.0) == laws.NO_CONTACT
    assert when(0.5, -0.5) == laws.NO_CONTACT
    assert when(0.25, -1.0) == pytest.approx(0.5, rel=4 * EPS)


def test_what_a_ball_slides_on_is_left_out():
    room = SHAPES["room"][1]
    path = np.array([[-1.9, -1.99, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0]])
    tau, k, _ = contacts(2, room, path, np.array([0.1]), 0.2)[0]
    assert (k, tau) == (2.0, pytest.approx(0.09))
    skipped = (np.uint32(2), np.uint32(NO_EDGE), np.uint32(NO_EDGE), np.uint32(NO_EDGE))
    assert contacts(2, room, path, np.array([0.1]), 0.2, skipped)[0, 0] == laws.NO_CONTACT


@pytest.mark.parametrize(
    ("g", "v", "q", "time"),
    [
        (2.0, -1.0, 0.0, 2.0),
        (2.0, 1.0, 0.0, math.inf),
        (0.0, 0.0, 0.0, math.inf),
        (0.0, 0.0, -1.0, 0.0),
        (0.0, 1.0, -1.0, 2.0),
        (1.5, -2.0, 1.0, 1.0),
        (3.0, -2.0, 1.0, math.inf),
        (1.5, 1.0, -1.0, 3.0),
    ],
)
def test_falls(g, v, q, time):
    assert falling_time(g, v, q) == time
