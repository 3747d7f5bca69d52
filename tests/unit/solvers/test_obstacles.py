"""What happens where bodies meet forbidden regions: bounce, rest, friction, corners, and never through."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from carom import Ball, Box, Circle, Polygon, Scene, Wedge
from carom.errors import SceneError
from carom.kernels.jit import kernel
from carom.physics import regions as region_laws
from carom.scene.shapes.outline import Outline
from carom.solvers.stepped.bundles import Bodies as Rows
from carom.solvers.stepped.bundles import Coefficients, Walls
from carom.solvers.stepped.regions import obstacles as laws
from carom.solvers.stepped.regions.clearance import clearance_of
from carom.solvers.stepped.regions.table import RegionTable, regions_of
from effort import examples

EPS = np.finfo(float).eps
G = 9.81
STEP = 1.0 / 60.0


@kernel
def advance(dim, walls, by, bodies, n, dt, steps):
    """Velocity Verlet under a constant force, with regions in the way."""
    place, velocity, accel = bodies.place, bodies.velocity, bodies.accel
    lost_bounce, lost_rub, contacts = 0.0, 0.0, 0
    for _ in range(steps):
        for i in range(n):
            for axis in range(len(dim)):
                place[i, axis] += (velocity[i, axis] + 0.5 * accel[i, axis] * dt) * dt
                velocity[i, axis] += accel[i, axis] * dt
        one, two, more = laws.meet_all(dim, dt, walls, by, bodies, 0, n, -1.0)
        lost_bounce += one
        lost_rub += two
        contacts += more
    return lost_bounce, lost_rub, contacts


@kernel
def deepest(dim, regions, edges, place, n):
    """The least gap between a body and a region."""
    g = np.inf
    for i in range(n):
        for k in range(len(regions)):
            x, y, z = place[i, 0], place[i, 1], place[i, 2]
            g = min(g, region_laws.nearest(dim, regions, edges, k, x, y, z)[0] - place[i, 3])
    return g


class Bodies:
    """Some bodies and what is in their way."""

    def __init__(self, table, places, velocities, *, pull, r=0.1, m=1.0, e=1.0, friction=(0.0, 0.0)):
        places, velocities = np.atleast_2d(places), np.atleast_2d(velocities)
        n, d = places.shape
        self.dim = (0,) * d
        self.table = table.finished() if isinstance(table, RegionTable) else table
        self.place, self.velocity, self.accel = np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 4))
        self.place[:, :d], self.place[:, 3] = places, r
        self.velocity[:, :d], self.velocity[:, 3] = velocities, 1.0 / m
        self.accel[:, :d], self.accel[:, 3] = pull, m
        walls = max(len(self.table.materials), 1)
        self.tables = [np.full((1, walls), value) for value in (e, *friction)]
        self.clearance = clearance_of(d, self.table.regions, self.table.edges, [-2.0] * d, [2.0] * d)
        self.log = np.zeros(0, laws.contact_record)

    def advance(self, steps=1, dt=STEP):
        n = len(self.place)
        bounce, static, dynamic = self.tables
        none, rows = np.zeros((1, 1)), np.zeros((0, 4))
        material = np.zeros(n, np.uint8)
        by = Coefficients(material, none, bounce, none, none, static, dynamic)
        walls = Walls(self.table.regions, self.table.edges, self.clearance, self.log)
        bodies = Rows(
            self.place, self.velocity, self.accel, born=np.zeros(n), turns=np.zeros((n, 3), np.int64), last=rows,
            start=rows, rest=rows, slopes=np.zeros((0, 2, n, 4)), since=np.full(n, dt), begin=np.zeros((n, 4)),
        )  # fmt: skip
        return advance(self.dim, walls, by, bodies, n, dt, steps)

    @property
    def energy(self):
        m = self.accel[:, 3]
        kinetic = 0.5 * m * (self.velocity[:, :3] ** 2).sum(axis=1)
        return float((kinetic - m * (self.accel[:, :3] * self.place[:, :3]).sum(axis=1)).sum())

    @property
    def deepest(self):
        return deepest(self.dim, self.table.regions, self.table.edges, self.place, len(self.place))

    def bits(self):
        return self.place.tobytes() + self.velocity.tobytes()


def ground():
    return slope(0.0)


def slope(degrees, through=(0.0, 0.0)):
    angle = math.radians(degrees)
    table = RegionTable()
    table.add_half_space(through, (-math.sin(angle), math.cos(angle)), "wall", "slope")
    return table


def bowl(dimension, radius=1.0):
    table = RegionTable()
    table.add_ball((0.0,) * dimension, radius, "wall", "bowl", container=True)
    return table


# -------------------------------------------------------------------------------------------------- bounce and rest


@pytest.mark.requirement("M-07")
def test_an_elastic_ball_keeps_its_height():
    """Over 1e5 bounces. Each of the 5.8e6 steps rounds the energy by half a unit or so, in either direction."""
    ball = Bodies(ground(), (0.0, 1.1), (0.0, 0.0), pull=(0.0, -9.8125))
    start = ball.energy
    _, _, bounces = ball.advance(5_800_000, 2.0**-6)
    assert bounces > 100_000
    assert ball.energy == pytest.approx(start, rel=EPS * math.sqrt(5.8e6) * 32)


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("degrees", [0.0, 20.0])
def test_a_ball_comes_to_rest_and_stays(e, degrees):
    ball = Bodies(slope(degrees), (0.1, 1.1), (0.0, 0.0), pull=(0.0, -G), e=e, friction=(0.5, 0.4), m=2.5)
    start = ball.energy
    by_bounce, by_rub, _ = ball.advance(10_000)
    bits = ball.bits()
    assert (ball.velocity[0, :2] == 0.0).all()
    assert abs(ball.deepest) < 64 * EPS
    assert by_bounce + by_rub == pytest.approx(start - ball.energy, rel=1e-12)
    assert ball.advance(1000)[:2] == (0.0, 0.0)
    assert ball.bits() == bits


def test_bounces_within_a_step():
    """With restitution 1 and 20 bounces a step, or with so many that they are skipped, the energy stays."""
    for height in (1e-5, 1e-8, 1e-12, 0.0):
        ball = Bodies(ground(), (0.0, 0.1 + height), (0.2, 0.0), pull=(0.0, -G))
        start = ball.energy
        ball.advance(1000)
        assert ball.energy - start == pytest.approx(0.0, abs=64 * EPS)
        assert -16 * EPS <= ball.deepest <= 1.0001 * height + 16 * EPS
        assert ball.velocity[0, 0] == 0.2


@pytest.mark.requirement("M-07")
@given(
    e=st.floats(0.0, 1.0),
    mu=st.floats(0.0, 1.0),
    angle=st.floats(-1.4, 1.4),
    speed=st.floats(0.5, 100.0),
    degrees=st.floats(-60.0, 60.0),
)
def test_one_impact(e, mu, angle, speed, degrees):
    """Without gravity: the normal speed comes back e times, friction takes up to μ of the impulse."""
    tilt = math.radians(degrees)
    n, t = np.array([-math.sin(tilt), math.cos(tilt)]), np.array([math.cos(tilt), math.sin(tilt)])
    u = speed * (math.sin(angle) * t - math.cos(angle) * n)
    ball = Bodies(slope(degrees), (0.1 + 1e-3) * n, u, pull=(0.0, 0.0), e=e, friction=(mu, 0.8 * mu), m=3.0)
    ball.log = np.zeros(2, laws.contact_record)
    start = ball.energy
    by_bounce, by_rub, contacts = ball.advance()
    un, ut = speed * math.cos(angle), speed * math.sin(angle)
    jolt = (1.0 + e) * un
    assume(abs(abs(ut) - mu * jolt) > 16 * EPS * speed)  # at the very limit, rounding decides whether it sticks
    slid = 0.0 if abs(ut) <= mu * jolt else ut - math.copysign(0.8 * mu * jolt, ut)
    assert contacts >= 1  # with e = 0, what rounding leaves of the normal speed may be met again
    after = ball.velocity[0, :2]
    assert after @ n == pytest.approx(e * un, abs=16 * EPS * speed)
    assert after @ t == pytest.approx(slid, abs=16 * EPS * speed)
    assert by_bounce + by_rub == pytest.approx(start - ball.energy, abs=64 * EPS * start)
    row = ball.log[0]
    assert (row["body"], row["region"], row["edge"]) == (0, 0, region_laws.NO_EDGE)
    np.testing.assert_allclose([row["nx"], row["ny"], row["nz"]], [*n, 0.0], atol=4 * EPS)
    np.testing.assert_allclose([row["jx"], row["jy"]], 3.0 * (after - u), atol=64 * EPS * speed)
    assert STEP - row["time"] == pytest.approx(1e-3 / un, rel=1e-10)
    np.testing.assert_allclose([row["x"], row["y"]], 0.101 * n + u * (STEP - row["time"]), atol=1e-13)


# -------------------------------------------------------------------------------------------------- friction


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("degrees", [3.0, 10.0, 30.0, 45.0, 60.0, 80.0])
def test_below_the_angle_of_friction_a_block_stays(degrees):
    """At many places, for their bits to differ; after the first step not a single one changes."""
    angle = math.radians(degrees)
    along, n = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    places = (0.3, 0.7) + np.linspace(-5.0, 5.0, 101)[:, None] * along + 0.1 * n
    static = 1.01 * math.tan(angle)
    blocks = Bodies(
        slope(degrees, (0.3, 0.7)), places, np.zeros((101, 2)), pull=(0.0, -G), e=0.5, friction=(static, 0.5 * static)
    )
    blocks.advance()
    bits = blocks.bits()
    assert blocks.advance(2000)[:2] == (0.0, 0.0)
    assert blocks.bits() == bits
    moved = np.abs(blocks.place[:, :2] - places) / np.spacing(np.abs(places))
    assert moved.max() <= 1.0  # by the rounding of the first step, next to a power of two
    assert (moved > 0.0).mean() < 0.02


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("degrees", [3.0, 10.0, 30.0, 45.0, 60.0, 80.0])
def test_above_it_a_block_slides(degrees):
    """With a = g (sin α - μ cos α), whatever the step."""
    angle = math.radians(degrees)
    mu = 0.6 * math.tan(angle)
    a = G * (math.sin(angle) - mu * math.cos(angle))
    n = np.array([-math.sin(angle), math.cos(angle)])
    block = Bodies(slope(degrees), 0.1 * n, (0.0, 0.0), pull=(0.0, -G), e=0.5, friction=(1.5 * mu, mu))
    start = block.energy
    lost = block.advance(600)
    down = (block.place[0, :2] - 0.1 * n) @ (-math.cos(angle), -math.sin(angle))
    assert down == pytest.approx(0.5 * a * 100.0, rel=1e-12)
    assert np.hypot(*block.velocity[0, :2]) == pytest.approx(a * 10.0, rel=1e-12)
    assert lost[1] == pytest.approx(start - block.energy, rel=1e-12)
    assert lost[0] == pytest.approx(0.0, abs=1e-20)


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("mu", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("dimension", [2, 3])
def test_sliding_comes_to_a_stop(mu, dimension):
    """After v²/2μg, and stays there."""
    table = RegionTable()
    table.add_half_space((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), "wall", "ground")
    u = (4.0, 0.0, 3.0)[:dimension]
    block = Bodies(table, (0.0, 0.1, 0.0)[:dimension], u, pull=(0.0, -G, 0.0)[:dimension], e=0.5, friction=(mu, mu))
    lost = block.advance(1000)
    bits = block.bits()
    way = np.hypot(block.place[0, 0], block.place[0, 2])
    square = float(np.dot(u, u))
    assert way == pytest.approx(square / (2.0 * mu * G), rel=1e-12)
    assert lost[1] == pytest.approx(square / 2.0, rel=1e-12)
    block.advance(1000)
    assert block.bits() == bits


@pytest.mark.parametrize("slope", [45.0, 30.0, 70.0])
def test_friction_in_a_groove_is_that_of_both_sides(slope):
    """Two planes at an angle γ, gravity tilted along the groove: N = g cos β / (2 cos γ) each, a = g sin β - 2 μ N."""
    table, gamma = RegionTable(), math.radians(slope)
    table.add_half_space((0.0,) * 3, (math.tan(gamma), 1.0, 0.0), "wall", "left")
    table.add_half_space((0.0,) * 3, (-math.tan(gamma), 1.0, 0.0), "wall", "right")
    beta, mu = math.radians(40.0), 0.2
    pull = (0.0, -G * math.cos(beta), G * math.sin(beta))
    block = Bodies(table, (0.0, 0.1 / math.cos(gamma), 0.0), (0.0,) * 3, pull=pull, e=0.5, friction=(mu, mu))
    start = block.energy
    lost = block.advance(60)
    a = G * math.sin(beta) - mu * G * math.cos(beta) / math.cos(gamma)
    assert block.velocity[0, 2] == pytest.approx(a, rel=1e-12)
    assert (block.velocity[0, :2] == 0.0).all()
    assert lost[1] == pytest.approx(start - block.energy, rel=1e-12)


# -------------------------------------------------------------------------------------------------- corners


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("sides", [(30.0, -30.0), (10.0, -50.0), (60.0, -60.0), (80.0, -80.0), (85.0, -20.0)])
def test_a_ball_in_a_corner_rests(sides, e):
    """Two slopes without friction."""
    table = RegionTable()
    for degrees in sides:
        angle = math.radians(degrees)
        table.add_half_space((0.2, 0.1), (-math.sin(angle), math.cos(angle)), "wall", "side")
    ball = Bodies(table, (0.15, 1.7), (0.0, 0.0), pull=(0.0, -G), e=e)
    start = ball.energy
    lost = ball.advance(6000)
    bits = ball.bits()
    assert (ball.velocity[0, :2] == 0.0).all()
    assert abs(ball.deepest) < 64 * EPS
    assert lost[0] == pytest.approx(start - ball.energy, rel=1e-12)
    ball.advance(500)
    assert ball.bits() == bits


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_ball_in_a_corner_of_three_walls_rests(e):
    table = regions_of(Scene(boundary=Box(size=(1.0, 1.0, 1.0))))
    ball = Bodies(table, (0.5, 0.6, 0.7), (0.0,) * 3, pull=(-2.0, -G, -1.0), e=e)
    ball.advance(2000)
    bits = ball.bits()
    np.testing.assert_allclose(ball.place[0, :3], 0.1, rtol=0.0, atol=16 * EPS)
    assert (ball.velocity[0, :3] == 0.0).all()
    ball.advance(500)
    assert ball.bits() == bits


def test_a_floor_in_pieces_is_one_floor():
    """Sliding over joints, several a step, is no impact."""
    x = np.linspace(-5.0, 5.0, 201)
    outline = Outline.closed([*((a, 0.0) for a in x[::-1]), (-5.0, -1.0), (5.0, -1.0)])
    table = RegionTable()
    table.add_outline(outline, ("wall",) * len(outline.start), "floor ")
    ball = Bodies(table, (-4.0, 0.1), (7.3, 0.0), pull=(0.0, -G), e=0.5)
    lost = ball.advance(60)
    assert ball.velocity[0, :2].tolist() == pytest.approx([7.3, 0.0], abs=1e-12)
    assert ball.place[0, :2].tolist() == pytest.approx([3.3, 0.1], abs=1e-12)
    assert lost[:2] == pytest.approx((0.0, 0.0), abs=1e-20)


# -------------------------------------------------------------------------------------------------- what is round


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_sliding_in_a_bowl_keeps_the_energy(dimension, e):
    """To second order in the step, without drift: 9.3e-4 of the depth at 1/60 s, a quarter of that at half the step."""
    errors = []
    for dt in (STEP, STEP / 2.0):
        ball = Bodies(
            bowl(dimension),
            0.9 * np.array([math.sin(1.0), -math.cos(1.0), 0.0])[:dimension],
            np.zeros(dimension),
            pull=(0.0, -G, 0.0)[:dimension],
            e=e,
        )
        start = ball.energy
        history = []
        for _ in range(3000):
            lost = ball.advance(1, dt)
            history.append(abs(ball.energy - start))
            assert lost[0] == pytest.approx(0.0, abs=1e-20)
        assert max(history[1500:]) == pytest.approx(max(history[:1500]), rel=0.02)
        assert abs(ball.deepest) < 64 * EPS
        errors.append(max(history) / (G * 0.9 * (1.0 - math.cos(1.0))))
    assert errors[0] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_round_and_round_without_gravity(e):
    """A ball that is thrown against a round wall keeps what is along it, and for e = 1 all."""
    ball = Bodies(bowl(2), (0.1, -0.3), (3.0, 0.0), pull=(0.0, 0.0), e=e)
    ball.advance(3000)
    speed = np.hypot(*ball.velocity[0, :2])
    assert speed == pytest.approx(3.0 if e == 1.0 else 1.0, rel=1e-11)  # 3 m/s × 0.3 m / 0.9 m


@pytest.mark.parametrize("outline", [False, True])
def test_leaving_a_dome(outline):
    """A ball that slides down a round hill leaves it at cos θ = 2/3, later by no more than it moves in a step."""
    table = RegionTable()
    if outline:
        table.add_outline(Circle(centre=(0.0, 0.0), radius=1.0).outline, ("wall",) * 2, "")
    else:
        table.add_ball((0.0, 0.0), 1.0, "wall", "dome")
    dt = 1e-3
    ball = Bodies(table, 1.1 * np.array([math.sin(1e-3), math.cos(1e-3)]), (0.0, 0.0), pull=(0.0, -G), e=0.0)
    start, last = ball.energy, 0.0
    for _ in range(20_000):
        ball.advance(1, dt)
        if np.hypot(*ball.place[0, :2]) < 1.1 + 1e-9:
            last = ball.place[0, 1] / 1.1
            error = abs(ball.energy - start)
        if ball.place[0, 1] < 0.0:
            break
    way = math.sqrt(2.0 * G * 1.1 / 3.0) * dt
    assert 2.0 / 3.0 - 2.0 * way < last < 2.0 / 3.0 + way
    assert error < 1e-5


@pytest.mark.requirement("M-09")
@pytest.mark.parametrize("b", [0.1, 0.5, 0.9])
def test_scattering_on_a_ball(b):
    """Metal, e = 1, is turned by π - 2 arcsin b; water, e = 0, goes on along the tangent with its part of the speed."""
    table = RegionTable()
    table.add_ball((0.0, 0.0, 0.0), 0.9, "wall", "ball")
    for e in (1.0, 0.0):
        drop = Bodies(table, (-1.5, b, 0.0), (10.0, 0.0, 0.0), pull=(0.0,) * 3, e=e)
        drop.advance(60)
        turn = math.atan2(drop.velocity[0, 1], drop.velocity[0, 0])
        expected = math.pi - 2.0 * math.asin(b) if e else math.pi / 2.0 - math.asin(b)
        assert turn == pytest.approx(expected, abs=1e-12)
        assert np.hypot(*drop.velocity[0, :2]) == pytest.approx(10.0 if e else 10.0 * b, rel=1e-12)


# -------------------------------------------------------------------------------------------------- never inside


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize("r", [0.0, 0.01])
@pytest.mark.parametrize("speed", [3.0, 1e4, 1e6])
def test_nothing_passes_a_thin_wall(r, speed):
    thin = 1e-9
    block, outline = RegionTable(), RegionTable()
    block.add_block((0.0, -2.0), (thin, 2.0), "wall", "plate")
    outline.add_outline(Outline.closed([(0.0, -2.0), (thin, -2.0), (thin, 2.0), (0.0, 2.0)]), ("wall",) * 4, "")
    angle = np.linspace(-1.0, 1.0, 101)
    u = speed * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    start = np.array([-0.5, 0.0]) - 1e-3 * u / speed
    for table in (block, outline):
        for e in (0.0, 0.5, 1.0):
            balls = Bodies(table, start, u, pull=(0.0, 0.0), e=e, r=r)
            lost = balls.advance(1, 2.0 / speed)
            assert lost[2] >= 101
            assert (balls.place[:, 0] <= -r + 1e-12).all()


SHUT_IN = {
    "box": (2, regions_of(Scene(boundary=Box(size=(1.0, 0.7))))),
    "box in 3D": (3, regions_of(Scene(boundary=Box(size=(1.0, 0.7, 0.8))))),
    "polygon with holes": (
        2,
        regions_of(
            Scene(
                boundary=Polygon(
                    vertices=[(0, 0), (1, 0.1), (0.9, 0.7), (0.5, 0.4), (0.1, 0.7)],
                    bulges=[-0.1, 0.2, 0.0, 0.3, 0.0],
                    holes=[Circle(centre=(0.3, 0.3), radius=0.1), [(0.6, 0.2), (0.8, 0.2), (0.7, 0.3)]],
                )
            )
        ),
    ),
    "sphere": (3, regions_of(Scene(boundary=Circle(centre=(0.5, 0.4, 0.4), radius=0.45)))),
}


@pytest.mark.requirement("M-07", "M-08")
@pytest.mark.parametrize(("dimension", "table"), SHUT_IN.values(), ids=SHUT_IN)
@settings(max_examples=examples(500))
@given(
    e=st.sampled_from([0.0, 0.3, 0.9, 1.0]),
    mu=st.sampled_from([0.0, 0.3]),
    speed=st.sampled_from([0.0, 1.0, 100.0]),
    r=st.sampled_from([0.0, 0.01, 0.03]),
    g=st.sampled_from([0.0, G, 1000.0]),
    seed=st.integers(0, 10**6),
)
def test_what_is_shut_in_stays_in(dimension, table, e, mu, speed, r, g, seed):
    """At all speeds, many bounces a step; nothing ends inside a wall, and what is lost is what is missing."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(0.0, 1.0, (300, dimension))
    free = [all(distance(dimension, table, k, place) > r + 1e-6 for k in range(len(table.regions))) for place in places]
    places = places[free][:20]
    u = rng.normal(size=places.shape) * speed
    pull = np.array([0.1, -1.0, 0.2])[:dimension] * g
    bodies = Bodies(table, places, u, pull=pull, r=r, e=e, friction=(mu, mu))
    start = bodies.energy
    lost = bodies.advance(20, 0.01)
    assert bodies.deepest > -1e-12
    assert min(lost[:2]) >= 0.0
    assert np.isfinite([bodies.place, bodies.velocity]).all()
    if len(table.edges) == 0 and (table.regions["kind"] == region_laws.HALF_SPACE).all():
        scale = abs(start) + len(places) * (speed**2 + g)
        assert lost[0] + lost[1] == pytest.approx(start - bodies.energy, abs=1e-9 * scale)


def distance(dimension, table, k, place):
    x, y, z = (*place, 0.0)[:3]
    return measured_nearest((0,) * dimension, table.regions, table.edges, k, x, y, z)


@kernel
def measured_nearest(dim, regions, edges, k, x, y, z):
    return region_laws.nearest(dim, regions, edges, k, x, y, z)[0]


def test_a_body_that_is_inside_is_moved_out_and_not_thrown():
    table = regions_of(Scene(boundary=Box(size=(1.0, 1.0)), obstacles=[Circle(centre=(0.5, 0.5), radius=0.2)]))
    for place, u in [((0.6, 0.5), (0.0, 0.0)), ((0.05, 0.5), (-1.0, 0.0)), ((1.2, 1.3), (0.1, 0.2))]:
        for e in (0.0, 0.5, 1.0):
            body = Bodies(table, place, u, pull=(0.0, -G), e=e)
            body.advance()
            assert body.deepest > -1e-14
            assert np.hypot(*body.velocity[0, :2]) < np.hypot(*u) + G * STEP + 1e-12


def test_held_bodies_and_those_that_meet_nothing_keep_their_bits():
    table = regions_of(Scene(boundary=Box(size=(1.0, 1.0))))
    bodies = Bodies(table, [(0.5, 0.5), (0.05, 0.5), (0.5, 0.1 + 1e-3)], np.zeros((3, 2)), pull=(0.0, 0.0))
    bodies.velocity[1, 3] = 0.0  # held, and in the wall
    bodies.velocity[2, 0] = 0.3  # close by
    bodies.velocity[2, 1] = 1e-3
    before = bodies.place.copy()
    bodies.advance()
    before[2, :2] += STEP * bodies.velocity[2, :2]
    assert (bodies.place == before).all()


def test_waiting_after_too_many_contacts():
    """A point in a gap of a nanometre, with thousands of bounces in a step, stays in it with its speed."""
    table = RegionTable()
    table.add_half_space((0.0, 0.0), (1.0, 0.0), "wall", "left")
    table.add_half_space((1e-9, 0.0), (-1.0, 0.0), "wall", "right")
    point = Bodies(table, (5e-10, 0.0), (1.0, 0.5), pull=(0.0, 0.0), r=0.0)
    assert point.advance()[2] == laws.MOST
    assert np.abs(point.velocity[0, :2]).tolist() == [1.0, 0.5]
    assert -1e-18 <= point.place[0, 0] <= 1e-9 + 1e-18


def test_a_log_takes_what_it_has_room_for():
    table = regions_of(Scene(boundary=Box(size=(1.0, 1.0))))
    bodies = Bodies(table, [(0.5, 0.5)] * 3, [(40.0, 0.0), (0.0, 40.0), (-40.0, 0.0)], pull=(0.0, 0.0))
    bodies.log = np.zeros(2, laws.contact_record)
    assert bodies.advance()[2] == 3
    assert bodies.log["body"].tolist() == [0, 1]
    assert [table.names[table.regions["label"][k]] for k in bodies.log["region"]] == ["x+", "y+"]
    np.testing.assert_allclose(bodies.log["jx"], [-80.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(bodies.log["time"], STEP - 0.01, atol=1e-15)


# -------------------------------------------------------------------------------------------------- the table


def test_a_periodic_axis_has_no_faces_but_images():
    scene = Scene(
        boundary=Box(size=(2.0, 1.0), periodic=(True, False), material=["a", "a", "b", "c"]),
        obstacles=[Circle(centre=(0.1, 0.5), radius=0.2), Polygon(vertices=[(1.7, 0.2), (1.9, 0.2), (1.8, 0.4)])],
        balls=[Ball(position=(1.0, 0.5), radius=0.05)],
    )
    table = regions_of(scene)
    names = [table.names[label] for label in table.regions["label"]]
    assert names[:2] == ["y-", "y+"]
    assert [table.materials[k] for k in table.regions["material"][:2]] == ["b", "c"]
    assert sorted(names[2:]) == ["obstacle 0"] * 2 + ["obstacle 1"] * 2
    for x, y in np.random.default_rng(2).uniform(0.0, (2.0, 1.0), (200, 2)):
        least = [
            min(distance(2, table, k, (x + shift, y)) for k in range(len(table.regions)))
            for shift in (0.0, 2.0 if x < 0.5 else -2.0 if x > 1.5 else 0.0)
        ]
        assert least[0] == pytest.approx(least[1], abs=1e-14)


def test_edges_have_names_and_materials():
    scene = Scene(
        boundary=Polygon(vertices=[(0, 0), (1, 0), (1, 1)], bulges=[0.0, 2.0, 0.0], material=["a", "b", "c"]),
    )
    table = regions_of(scene)
    by_name = {}
    for edge in table.edges:
        by_name.setdefault(table.names[edge["label"]], []).append(edge)
    assert {name: len(pieces) for name, pieces in by_name.items()} == {
        "edge 0": 1, "edge 1": 3, "edge 2": 1, "corner 1": 1, "corner 2": 1,
    }  # fmt: skip
    assert {name: table.materials[pieces[0]["material"]] for name, pieces in by_name.items() if "edge" in name} == {
        "edge 0": "a", "edge 1": "b", "edge 2": "c",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("slope", "corners"),
    [(0.0, 4), (0.5, 3), (-0.5, 3), (0.1, 4)],
)
def test_a_wedge_ends_at_its_bottom(slope, corners):
    table = RegionTable()
    table.add(Wedge(slope=slope, intercept=0.3, x=(-1.0, 1.0), bottom=0.0).solids("wedge"), 2)
    wedge = table.finished()
    assert wedge.regions["count"][0] == corners
    for x, y in np.random.default_rng(1).uniform(-1.5, 1.5, (200, 2)):
        inside = -1.0 < x < 1.0 and 0.0 < y < slope * x + 0.3
        assert (distance(2, wedge, 0, (x, y)) < 0.0) == inside


def test_too_many_materials():
    table = RegionTable()
    for k in range(256):
        table.add_ball((0.0, 0.0), 1.0, f"material {k}", "ball")
    with pytest.raises(SceneError, match="is one more than 256 materials"):
        table.add_ball((0.0, 0.0), 1.0, "another", "ball")
