"""Piles come to rest and stay: no jitter, no sinking, no tunnelling, the same bits."""

from typing import NamedTuple

import numpy as np
import pytest

from carom.kernels.jit import kernel
from carom.physics.regions import edge_record, region_record
from carom.solvers.stepped.contacts.grid import Grid, Space
from carom.solvers.stepped.pile.memory import (
    COUNT,
    LOST,
    NEEDED,
    NONE,
    WALL,
    Pile,
    PileWalls,
    Softness,
    contact_laws,
    larger,
    pile_memory,
)
from carom.solvers.stepped.pile.step import begin_step, end_step, substep

g = 9.81
DT = 1.0 / 60.0
OPEN = Space((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (False, False, False))


def half_space(normal, through=(0.0, 0.0, 0.0), material=1):
    n = np.array([*normal, *(0.0,) * (3 - len(normal))], np.float64)
    n /= np.linalg.norm(n)
    return [*n, n @ through, material]


NOBODY_LINKED = np.zeros(0, np.uint8)


class Bodies(NamedTuple):
    """What the pile needs of bodies."""

    place: np.ndarray
    velocity: np.ndarray
    accel: np.ndarray


class Piled(NamedTuple):
    """A pile, and what it is solved with."""

    pile: Pile
    space: Space
    softness: Softness
    walls: PileWalls
    laws: np.ndarray
    linked: np.ndarray


@kernel
def advance_pile(dim, heap, bodies, material, n, dt, substeps, steps):
    """Advance n bodies with accelerations that do not change; how many steps were done before room ran out."""
    h = dt / substeps
    for step in range(steps):
        if not begin_step(dim, heap, bodies, material, n, dt, h):
            return step
        for _ in range(substeps):
            substep(dim, heap, bodies, n, h)
        end_step(dim, heap.pile, bodies, n)
    return steps


def walls_from(planes):
    """Half-spaces alone."""
    nothing = np.zeros(0, region_record), np.zeros(0, edge_record), np.zeros((0, 3), np.uint32)
    return PileWalls(planes, *nothing)


class Heap:
    """Bodies and walls with one material each, and the memory of a pile."""

    def __init__(self, places, radius=0.5, mass=1.0, *, walls=(), e=0.3, mu=0.4, velocity=0.0, **options):
        places = np.asarray(places, np.float64)
        self.n, self.dimension = places.shape
        self.place, self.velocity, self.accel = np.zeros((3, self.n, 4))
        self.place[:, : self.dimension], self.place[:, 3] = places, radius
        self.velocity[:, : self.dimension] = velocity
        mass = np.broadcast_to(mass, self.n)
        self.velocity[:, 3], self.accel[:, 3] = 1.0 / mass, mass
        self.accel[:, 1] = -options.get("gravity", g)
        self.material = np.zeros(self.n, np.uint8)
        self.walls = np.array(walls, np.float64).reshape(-1, 5)
        static, dynamic = mu if isinstance(mu, tuple) else (mu, mu)
        self.laws = contact_laws([[[e, static, dynamic]]], [[[e, static, dynamic]]])
        self.space = options.get("space", OPEN)
        self.softness = Softness()
        self.pile = pile_memory(self.dimension, self.n, options.get("contacts"))

    def hold(self, *bodies):
        self.velocity[list(bodies)] = 0.0
        self.accel[list(bodies), :3] = 0.0
        return self

    def copy(self):
        other = object.__new__(Heap)
        other.__dict__.update(self.__dict__)
        for name in ("place", "velocity", "accel"):
            setattr(other, name, getattr(self, name).copy())
        parts = [
            Grid(*map(np.copy, part)) if isinstance(part, Grid) else part if isinstance(part, tuple) else part.copy()
            for part in self.pile
        ]
        other.pile = Pile(*parts)
        return other

    @property
    def bodies(self):
        return Bodies(self.place, self.velocity, self.accel)

    @property
    def piled(self):
        return Piled(self.pile, self.space, self.softness, walls_from(self.walls), self.laws, NOBODY_LINKED)

    def advance(self, steps, dt=DT, substeps=4):
        done = 0
        while done < steps:
            dim = (0,) * self.dimension
            done += advance_pile(dim, self.piled, self.bodies, self.material, self.n, dt, substeps, steps - done)
            if done < steps:
                self.pile = larger(self.pile, self.n, 2 * int(self.pile.tally[NEEDED]))
        return self

    @property
    def x(self):
        return self.place[:, : self.dimension]

    @property
    def v(self):
        return self.velocity[:, : self.dimension]

    def energy(self):
        """Kinetic and potential in uniform gravity, of the bodies that can move."""
        m = np.where(self.velocity[:, 3] > 0.0, self.accel[:, 3], 0.0)
        return float((m * (0.5 * (self.v**2).sum(axis=1) - self.accel[:, 1] * self.place[:, 1])).sum())

    def rms(self):
        """Root mean square speed in units of sqrt(g r), with the largest radius."""
        return float(np.sqrt((self.v**2).sum(axis=1).mean() / (g * self.place[:, 3].max())))

    def overlap(self):
        """The deepest overlap, in the smaller of the two radii; of bodies and walls."""
        r = self.place[:, 3]
        d = self.x[:, None] - self.x[None]
        for axis in range(self.dimension):
            if self.space.periodic[axis]:
                d[..., axis] -= self.space.size[axis] * np.round(d[..., axis] / self.space.size[axis])
        depth = (r[:, None] + r - np.sqrt((d**2).sum(axis=2))) / np.minimum(r[:, None], r)
        np.fill_diagonal(depth, -np.inf)
        at_walls = [(w[3] + r - self.x @ w[: self.dimension]) / r for w in self.walls]
        return max(depth.max(), *(w.max() for w in at_walls)) if at_walls else depth.max()


def poured(n, dimension=2, radius=0.5, seed=1, *, across=None, **options):
    """Loose rows above the floor of an open box, each a little aside of the one below, moving at random."""
    rng = np.random.default_rng(seed)
    across = across or int(np.ceil(n ** (1.0 / dimension)))
    width = 2.2 * radius * across + 1.2 * radius
    k = np.arange(n)
    layer = k // across ** (dimension - 1)
    column = [k % across, k // across % across][: dimension - 1]
    sides = [(c + 0.5) * 2.2 * radius + (layer % 2) * 1.2 * radius for c in column]
    places = np.stack([sides[0], (layer + 0.5) * 2.6 * radius, *sides[1:]], axis=1)
    places += rng.uniform(-0.08, 0.08, (n, dimension)) * radius
    walls = [half_space((0, 1, 0))]
    for axis in (0, 2)[: dimension - 1]:
        along = np.zeros(3)
        along[axis] = 1.0
        walls += [half_space(along), half_space(-along, width * along)]
    velocity = rng.normal(0.0, 0.5 * np.sqrt(g * radius), (n, dimension))
    return Heap(places, radius, walls=walls, velocity=velocity, **options)


def rests(heap, steps=200, speed=1e-5):
    """At rest now, at rest later, and where it was: no jitter, no creep."""
    assert heap.rms() < speed
    before = heap.x.copy()
    heap.advance(steps)
    assert heap.rms() < speed
    assert np.abs(heap.x - before).max() < speed * np.sqrt(g * heap.place[:, 3].max()) * steps * DT
    assert heap.overlap() < 0.03


@pytest.mark.requirement("M-07", "M-11")
def test_a_thousand_disks_poured_into_a_box_come_to_rest():
    rests(poured(1000).advance(1500))


def test_unequal_disks_come_to_rest():
    """Radii 1:3, masses 1:10, at random: small light ones bear large heavy ones."""
    heap = poured(400)
    rng = np.random.default_rng(2)
    heap.place[:, 3] = rng.uniform(0.5 / 3.0, 0.5, 400)
    heap.accel[:, 3] = 10.0 ** rng.uniform(0.0, 1.0, 400)
    heap.velocity[:, 3] = 1.0 / heap.accel[:, 3]
    rests(heap.advance(2000))


@pytest.mark.parametrize("scale", [4.0**-10, 4.0**10])
def test_no_length_is_special(scale):
    """The same pile of another size, with the time that belongs to it, has the same bits."""
    one, two = poured(60), poured(60, radius=0.5 * scale)
    one.advance(200)
    two.advance(200, dt=DT * np.sqrt(scale))
    assert np.array_equal(two.x / scale, one.x)


@pytest.mark.requirement("M-17")
def test_balls_in_space_come_to_rest():
    heap = poured(216, 3).advance(1200)
    assert (heap.place[:, 2].max() - heap.place[:, 2].min()) > 4.0
    rests(heap)


def test_a_column_stands():
    heap = Heap([(0.0, k + 0.5) for k in range(20)], walls=[half_space((0, 1))])
    heap.advance(1500)
    assert np.abs(heap.x[:, 0]).max() == 0.0
    rests(heap)


def test_a_heap_keeps_its_slope():
    """Without side walls friction alone holds a triangle of disks; without friction it runs apart."""
    triangle = [(k + 0.5 * row, 0.5 + row * np.sqrt(0.75)) for row in range(6) for k in range(6 - row)]
    held = Heap(triangle, walls=[half_space((0, 1))], mu=0.8).advance(1500)
    assert held.x == pytest.approx(np.array(triangle), abs=0.03)
    rests(held)
    apart = Heap(triangle, walls=[half_space((0, 1))], mu=0.0).advance(300)
    assert np.ptp(apart.x[:, 0]) > 10.0


SLOPE = np.radians(30.0)  # its friction angle is at mu = 0.577


def on_a_slope(dimension, mu, turned=0.0):
    n = np.array([np.sin(SLOPE) * np.cos(turned), np.cos(SLOPE), np.sin(SLOPE) * np.sin(turned)])[:dimension]
    return Heap([0.5 * n], walls=[half_space(n)], mu=mu), n


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize(("dimension", "turned"), [(2, 0.0), (3, 0.7)])
def test_below_the_friction_angle_it_stays_for_ever(dimension, turned):
    heap, n = on_a_slope(dimension, 0.6, turned)
    heap.advance(600)
    there = heap.x.copy()
    heap.advance(6000)
    assert np.abs(heap.x - there).max() < 1e-12
    assert there[0] == pytest.approx(0.5 * n, abs=0.01)


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("mu", [0.0, 0.3, (0.5, 0.3)])
@pytest.mark.parametrize(("dimension", "turned"), [(2, 0.0), (3, 0.7)])
def test_above_the_friction_angle_it_slides(dimension, turned, mu):
    """With g (sin α - μ cos α), the dynamic friction, down the slope."""
    heap, n = on_a_slope(dimension, mu, turned)
    heap.advance(60)
    before = heap.v.copy()
    heap.advance(60)
    down = np.zeros(dimension)
    down[1] = -1.0
    down = (down - (down @ n) * n) / np.sin(SLOPE)
    a = g * (np.sin(SLOPE) - (mu[1] if isinstance(mu, tuple) else mu) * np.cos(SLOPE))
    assert (heap.v - before)[0] == pytest.approx(a * down, abs=1e-9 * g)


def test_static_friction_holds_what_dynamic_friction_would_not():
    heap, _ = on_a_slope(2, (0.6, 0.3))
    there = heap.advance(300).x.copy()
    heap.advance(300)
    assert np.abs(heap.x - there).max() < 1e-9


@pytest.mark.requirement("M-11")
@pytest.mark.parametrize("e", [0.3, 0.8])
def test_a_dropped_ball_bounces_to_e_squared_of_its_height(e):
    """The scheme v += h a, x += h v is off by g h in the speed of impact, 0.5 % here; so is twice that in height."""
    heap = Heap([(0.0, 5.5)], walls=[half_space((0, 1))], e=e)
    heights = [heap.advance(1, dt=DT, substeps=4).x[0, 1] - 0.5 for _ in range(110)]
    bottom = int(np.argmin(heights[:70]))
    assert max(heights[bottom:]) == pytest.approx(5.0 * e * e, rel=0.02)


@pytest.mark.requirement("M-11")
def test_two_balls_meet_off_centre():
    """J = -μ (1 + e) u·n along the normal where they meet, however far they move in a step; momentum is kept."""
    m, e, b = np.array([1.0, 3.0]), 0.4, 0.6
    heap = Heap([(-3.0, b), (0.0, 0.0)], mass=m, e=e, mu=0.0, gravity=0.0)
    heap.velocity[0, 0] = 200.0
    heap.advance(1)
    n = np.array([-np.sqrt(1.0 - b * b), b])
    J = -(3.0 / 4.0) * (1.0 + e) * (200.0 * n[0])
    assert heap.v[0] == pytest.approx(np.array([200.0, 0.0]) + J * n / m[0], rel=1e-12)
    assert heap.v[1] == pytest.approx(-J * n / m[1], rel=1e-12)
    lost = 0.5 * 0.75 * (200.0 * n[0]) ** 2 * (1.0 - e * e)
    assert heap.pile.account[LOST] == pytest.approx(lost, rel=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_near_miss_is_none(dimension):
    """A fast ball that passes a corner of space where others are, without touching any, flies on as if alone."""
    places = np.zeros((40, dimension))
    places[1:, 0], places[1:, 1] = np.linspace(1.0, 60.0, 39), np.where(np.arange(39) % 2, 1.01, -1.01)
    heap = Heap(places, gravity=0.0).hold(*range(1, 40))
    heap.velocity[0, 0] = 1800.0
    heap.advance(2)
    assert heap.x[0] == pytest.approx(np.array([60.0, *(0.0,) * (dimension - 1)]), abs=1e-12)
    assert heap.v[0, 0] == 1800.0


@pytest.mark.parametrize("speed", [10.0, 1e3, 1e5])
@pytest.mark.parametrize("dimension", [2, 3])
def test_nothing_passes_through_anything(dimension, speed):
    """Shots at a wall, and at a held ball."""
    away, up = np.zeros(dimension), np.zeros(dimension)
    away[0], up[1] = 1.0, 1.0
    wall = half_space(-away, (20.0, 0.0, 0.0))
    shot = Heap([0.0 * away], walls=[wall], velocity=speed * away)
    assert shot.advance(300).overlap() < 0.03
    held = Heap([0.0 * away, 8.3 * away + 0.2 * up], gravity=0.0).hold(1)
    held.velocity[0, 0] = speed
    held.advance(60)
    assert held.x[0, 0] < 7.9
    assert held.overlap() < 1e-9


@pytest.mark.parametrize("speed", [10.0, 100.0, 1000.0])
@pytest.mark.parametrize("dimension", [2, 3])
def test_nothing_passes_through_what_is_hit_itself(dimension, speed):
    """A shot at a row of loose balls before a wall, up to 33 radii a step: one after the other is hit in it."""
    away = np.zeros(dimension)
    away[0] = 1.0
    wall = half_space(-away, (20.0, 0.0, 0.0))
    row = Heap([0.0 * away, *[(5.0 + 1.3 * k) * away for k in range(8)]], walls=[wall], gravity=0.0)
    row.velocity[0, 0] = speed
    for _ in range(120):
        row.advance(1)
        assert (np.diff(row.x[:, 0]) > 0.5).all()  # none has passed another, nor is deep in it
    assert row.overlap() < 0.03


def test_many_fast_bodies_find_each_other():
    """Half of the bodies cross the box in a step: found without cells, and no two end in one place."""
    heap = poured(200, gravity=0.0, mu=0.0, e=0.0)
    heap.walls = np.concatenate([heap.walls, [half_space((0, -1), (0.0, 40.0, 0.0))]])
    heap.v[::2] *= 500.0
    heap.advance(60)
    assert heap.overlap() < 0.5
    assert (heap.x[:, 1] < 40.0).all()


@pytest.mark.requirement("M-15")
@pytest.mark.parametrize("fast", [False, True])
def test_balls_meet_across_a_seam(fast):
    space = Space((0.0, 0.0, 0.0), (30.0, 1.0, 1.0), (True, False, False))
    heap = Heap([(29.0, 0.0), (1.5, 0.0)], gravity=0.0, e=0.5, space=space)
    heap.velocity[0, 0] = 300.0 if fast else 30.0
    heap.advance(1 if fast else 6)
    assert heap.v[:, 0] == pytest.approx(heap.velocity[:, 0].sum() * np.array([0.25, 0.75]), rel=1e-9)


def test_a_heap_on_a_periodic_floor_comes_to_rest():
    """The seam runs through it, and bodies start on the wrong side of it."""
    heap = poured(150, across=10, seed=2)
    heap.space = Space((0.0, 0.0, 0.0), (22.0 * 0.5 * 1.02, 1.0, 1.0), (True, False, False))
    heap.walls = heap.walls[:1]
    rests(heap.advance(2400))
    assert heap.x[:, 0].min() >= 0.0
    assert heap.x[:, 0].max() <= heap.space.size[0]
    low, high = heap.x[:, 0] < 0.5, heap.x[:, 0] > heap.space.size[0] - 0.5
    assert low.any()
    assert high.any()


def same(one, two):
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in ("place", "velocity"))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_same_bits_again_and_from_a_copy(dimension):
    one, two = poured(100, dimension), poured(100, dimension)
    one.advance(80)
    copy = one.copy()
    one.advance(80)
    assert same(one, two.advance(160))
    assert same(one, copy.advance(80))
    copy = poured(100, dimension).advance(80)
    copy.pile = pile_memory(dimension, 100)  # all that was remembered is lost
    assert not same(one, copy.advance(80))


def test_memory_runs_out_and_more_is_given():
    """Nothing is lost: the same bits as with enough of it."""
    small = poured(100, contacts=0).advance(150)
    assert small.pile.found.shape[0] > 20
    assert same(small, poured(100).advance(150))
    tight = small.piled._replace(pile=pile_memory(2, 100, 5))
    assert advance_pile((0, 0), tight, small.copy().bodies, small.material, 100, DT, 4, 3) == 0


@kernel
def with_a_spring(dim, heap, bodies, material, dt, substeps, steps):
    """A caller with a force of its own: a spring to the origin along x."""
    h, n = dt / substeps, len(bodies.place)
    for _ in range(steps):
        if not begin_step(dim, heap, bodies, material, n, dt, h):
            return False
        for _ in range(substeps):
            for i in range(n):
                bodies.accel[i, 0] = -4.0 * bodies.place[i, 0]
            substep(dim, heap, bodies, n, h)
        end_step(dim, heap.pile, bodies, n)
    return True


def test_forces_may_change_from_substep_to_substep():
    """A ball on a smooth floor, on a spring: x += h v, v -= h ω² x has the exact frequency sin(ω' h/2) = ω h/2."""
    heap = Heap([(1.0, 0.5)], walls=[half_space((0, 1))], mu=0.0)
    assert with_a_spring((0, 0), heap.piled, heap.bodies, heap.material, DT, 4, 500)
    h, x, v = DT / 4.0, 1.0, 0.0
    for _ in range(2000):
        v -= h * 4.0 * x
        x += h * v
    assert heap.place[0, 0] == pytest.approx(x, abs=1e-10)
    assert abs(heap.velocity[0, 1]) < 1e-9


def test_what_is_lost_is_booked():
    """Energy and losses add up while 300 disks fall and settle: to 1 % of what is lost, the error of the steps."""
    heap = poured(300)
    before = heap.energy()
    heap.advance(600)
    lost = before - heap.energy()
    assert heap.pile.account[LOST] == pytest.approx(lost, rel=0.01)
    settled = heap.advance(600).pile.account[LOST]
    heap.advance(600)
    assert heap.pile.account[LOST] == pytest.approx(settled, abs=1e-3 * lost)


def test_flight_loses_nothing():
    heap = Heap([(0.0, 0.0), (3.0, 0.0)], velocity=(1.0, 7.0)).advance(100)
    assert heap.pile.account[LOST] == 0.0
    assert heap.v[:, 1] == pytest.approx(7.0 - g * 100 * DT, rel=1e-12)


def test_points_do_not_meet_but_walls_hold_them():
    heap = Heap([(0.0, 1.0), (0.0, 2.0)], radius=0.0, walls=[half_space((0, 1))]).advance(600)
    assert np.abs(heap.v).max() < 1e-6
    assert np.abs(heap.x).max() < g * DT * DT
    assert heap.pile.tally[COUNT] == 2


def test_bodies_in_the_same_place_part():
    heap = Heap([(0.0, 0.5), (0.0, 0.5)], walls=[half_space((0, 1))]).advance(600)
    rests(heap)


def test_a_held_ball_bears_and_does_not_move():
    heap = Heap([(0.0, 0.0), (0.0, 1.2)], mu=0.4).hold(0)
    heap.advance(300)
    assert (heap.place[0, :2] == 0.0).all()
    rests(heap)


def test_a_body_that_goes_away_is_forgotten():
    """Contacts of bodies that are no longer there are left out; the others go on."""
    heap = poured(60).advance(400)
    heap.n = 40
    heap.advance(600)
    bodies = heap.pile.names[heap.pile.tally[1], : heap.pile.tally[COUNT]]
    assert (bodies[:, 0] < 40).all()
    assert ((bodies[:, 1] < 40) | (bodies[:, 1] >= WALL)).all()
    assert not (bodies == NONE).any()


def test_no_bodies_are_a_pile_too():
    heap = Heap(np.zeros((1, 2)), walls=[half_space((0, 1))])
    heap.n = 0
    heap.advance(3)
    assert (heap.place[0, :2] == 0.0).all()
    assert heap.pile.tally[COUNT] == 0
