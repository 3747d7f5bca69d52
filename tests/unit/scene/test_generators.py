"""The generators: reproducible, valid for any parameters, and with the numbers that were asked for."""

import math

import numpy as np
import pytest

from carom import Simulation
from carom.errors import SceneError
from carom.scene import library
from carom.scene.library.atmosphere import Atmosphere
from carom.scene.library.falling import Slope
from carom.scene.library.filling import ball_volume, compressibility
from carom.scene.library.lattice import densest_count, widest
from carom.scene.library.points import CoupledOscillators
from carom.scene.placement.check import problems

GENERATORS_WITH_SEED = ("gas", "gas-under-gravity", "brownian")
SPACES = [(dimension, periodic) for dimension in (2, 3) for periodic in (True, False)]


def packing_fraction(scene):
    return float(ball_volume(scene.balls.radius, scene.dimension).sum()) / math.prod(scene.boundary.size)


def temperature(scene):
    """2 K / (d N)."""
    twice_energy = scene.balls.mass @ (scene.balls.velocity**2).sum(axis=1)
    return twice_energy / (scene.dimension * len(scene.balls))


def relative_momentum(scene):
    momenta = scene.balls.mass[:, None] * scene.balls.velocity
    return float(np.abs(momenta.sum(axis=0)).max() / np.abs(momenta).sum())


# --- reproducible


@pytest.mark.parametrize("name", GENERATORS_WITH_SEED)
def test_the_same_seed_gives_the_same_bits(name):
    assert library.load(name, count=200, seed=5) == library.load(name, count=200, seed=5)


@pytest.mark.parametrize("name", GENERATORS_WITH_SEED)
def test_another_seed_gives_another_gas(name):
    one, other = (library.load(name, count=200, seed=seed).balls for seed in (5, 6))
    assert not np.array_equal(one.position, other.position)
    assert not np.array_equal(one.velocity, other.velocity)


# --- density, momentum, temperature


@pytest.mark.requirement("T-19", "M-17")
@pytest.mark.parametrize(("dimension", "periodic"), SPACES)
def test_a_gas_is_as_it_was_asked_for(dimension, periodic):
    scene = library.load(
        "gas",
        count=500,
        packing_fraction=0.4,
        dimension=dimension,
        periodic=periodic,
        temperature=2.5,
        mass=0.3,
        radius=0.02,
        seed=1,
    )
    assert packing_fraction(scene) == pytest.approx(0.4, rel=1e-13)
    assert temperature(scene) == pytest.approx(2.5, rel=1e-13)
    assert relative_momentum(scene) < 1e-15
    assert scene.boundary.periodic == (periodic,) * dimension
    assert len(set(scene.boundary.size)) == 1
    assert problems(scene) == []


def test_the_speed_is_the_root_mean_square():
    velocity = library.load("gas", speed=3.0).balls.velocity
    assert math.sqrt((velocity**2).sum(axis=1).mean()) == pytest.approx(3.0, rel=1e-13)


def test_a_gas_without_temperature_stands_still():
    assert not library.load("gas", temperature=0.0).balls.velocity.any()


def test_a_single_ball_moves():
    velocity = library.load("gas", count=1, speed=2.0).balls.velocity
    assert np.linalg.norm(velocity) == pytest.approx(2.0, rel=1e-13)


@pytest.mark.parametrize("ratio", [0.25, 1.0, 1.4, 3.0, 10.0])
@pytest.mark.parametrize(("dimension", "packing"), [(2, 0.2), (2, 0.6), (3, 0.4)])
def test_a_mixture_has_its_two_kinds(dimension, packing, ratio):
    scene = library.load(
        "gas",
        count=1001,
        packing_fraction=packing,
        dimension=dimension,
        fraction=0.3,
        radius_ratio=ratio,
        mass_ratio=4.0,
        temperature=1.0,
    )
    balls = scene.balls
    second = balls.mass == 0.04
    assert np.count_nonzero(second) == 300
    assert np.array_equal(balls.radius, np.where(second, 0.005 * ratio, 0.005))
    assert packing_fraction(scene) == pytest.approx(packing, rel=1e-13)
    assert temperature(scene) == pytest.approx(1.0, rel=1e-13)
    assert relative_momentum(scene) < 1e-15
    assert problems(scene) == []


def test_a_mixture_of_1_to_3_reaches_the_packing_fraction_0_7():
    scene = library.load("gas", packing_fraction=0.7, fraction=0.5, radius_ratio=3.0)
    assert problems(scene) == []


def test_both_kinds_of_a_mixture_have_the_same_temperature():
    balls = library.load("gas", count=20_000, fraction=0.5, mass_ratio=100.0, temperature=1.0).balls
    energy = 0.5 * balls.mass * (balls.velocity**2).sum(axis=1)
    heavy = balls.mass > 0.5
    # The kinetic energy in the plane is exponentially distributed: its mean has the relative error 1/sqrt(n).
    assert energy[heavy].mean() == pytest.approx(1.0, abs=5.0 / math.sqrt(10_000))
    assert energy[~heavy].mean() == pytest.approx(1.0, abs=5.0 / math.sqrt(10_000))


@pytest.mark.parametrize("packing", [0.05, 0.3, 0.5])
def test_the_number_of_balls_fluctuates_like_in_a_fluid(packing):
    scene = library.load("gas", count=40_000, packing_fraction=packing)
    cells = (scene.balls.position / scene.boundary.size * 20).astype(int)
    counts = np.bincount(cells[:, 0] * 20 + cells[:, 1], minlength=400)  # 100 balls in each on average
    # A variance from 400 cells has the relative error sqrt(2/400), and jitter across the edges of cells adds to it.
    edges = 4.0 * math.sqrt(100.0) / 100.0 * 0.25
    expected = compressibility(packing, 2)
    assert expected * (1 - 0.35) < counts.var() / 100.0 < expected * (1 + 0.35) + edges


# --- any number


@pytest.mark.parametrize(("dimension", "periodic"), SPACES)
@pytest.mark.parametrize("packing", [0.02, 0.3, "dense"])
def test_any_number_of_balls_fits(dimension, periodic, packing):
    fraction = {2: 0.7, 3: 0.5}[dimension] if packing == "dense" else packing
    for count in range(1, 201):
        scene = library.load(
            "gas", count=count, packing_fraction=fraction, dimension=dimension, periodic=periodic, seed=count
        )
        assert len(scene.balls) == count
        assert problems(scene) == [], count
        assert packing_fraction(scene) == pytest.approx(fraction, rel=1e-13), count


@pytest.mark.parametrize(("dimension", "packing"), [(2, 0.05), (2, 0.7), (3, 0.5)])
def test_a_million_balls_are_no_effort(dimension, packing):
    scene = library.load("gas", count=1_000_000, packing_fraction=packing, dimension=dimension)
    assert len(scene.balls) == 1_000_000
    assert problems(scene) == []


@pytest.mark.parametrize("name", ["gas", "brownian"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_very_thin_gas_needs_no_more_memory(name, dimension):
    scene = library.load(name, packing_fraction=1e-9, dimension=dimension)
    assert packing_fraction(scene) == pytest.approx(1e-9, rel=1e-13)
    assert problems(scene) == []


# --- gravity


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_gas_under_gravity_follows_the_barometric_formula(dimension):
    height = 0.08
    scene = library.load(
        "gas-under-gravity", count=20_000, dimension=dimension, radius=1e-4, temperature=0.01 * 9.81 * height
    )
    assert scene.gravity == (0.0, -9.81, 0.0)[:dimension]
    assert temperature(scene) == pytest.approx(0.01 * 9.81 * height, rel=1e-13)
    assert problems(scene) == []
    # An exponential law has mean = deviation = T/(m g): 5 errors of the mean, and the excluded volume, which lifts the
    # gas by the share of the packing fraction at the floor (the second virial coefficient, halved).
    lift = 2.0 ** (dimension - 2) * 20_000 * ball_volume(1e-4, dimension) / (0.3 ** (dimension - 1) * height)
    assert scene.balls.position[:, 1].mean() == pytest.approx(height * (1 + lift), rel=5.0 / math.sqrt(20_000))
    below = np.count_nonzero(scene.balls.position[:, 1] < height * math.log(2.0))
    assert below == pytest.approx(10_000, abs=5.0 * math.sqrt(5_000) + 10_000 * lift)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize(("column", "scale_height"), [(0.001, 0.1), (0.03, 0.1), (0.03, 10.0), (0.03, 0.001)])
def test_an_atmosphere_is_in_hydrostatic_balance(dimension, column, scale_height):
    air = Atmosphere(column, scale_height, 1.0, dimension)
    at_lid = air.at_lid()
    share = np.linspace(0.0, 1.0 - 1e-6, 20_001)
    y = air.heights(share, at_lid)
    assert y[0] == pytest.approx(0.0, abs=1e-12)
    assert y[-1] <= 1.0
    # In a thin layer, the volume of the balls is η dy; and what lies above is carried by the pressure.
    middle = slice(5_000, 15_000)
    density = column * np.gradient(share, y)[middle]
    carried = at_lid + column / scale_height * (1.0 - share[middle])
    assert air.pressure(density) == pytest.approx(carried, rel=1e-4)


def test_a_cold_gas_lies_at_the_floor_without_overlaps():
    scene = library.load("gas-under-gravity", temperature=0.0)
    assert problems(scene) == []
    assert scene.balls.position[:, 1].mean() < 0.05


def test_a_hot_gas_fills_the_box():
    scene = library.load("gas-under-gravity", temperature=1e6)
    assert problems(scene) == []
    assert scene.balls.position[:, 1].mean() == pytest.approx(0.5, abs=5.0 / math.sqrt(12 * 1000))


# --- Brownian motion


@pytest.mark.parametrize(("dimension", "periodic"), SPACES)
def test_the_brownian_particle_rests_in_the_middle_of_a_gas(dimension, periodic):
    scene = library.load(
        "brownian", count=300, dimension=dimension, periodic=periodic, packing_fraction=0.35, temperature=1.0
    )
    large = scene.balls[0]
    assert large.position == tuple(length / 2 for length in scene.boundary.size)
    assert large.velocity == (0.0,) * dimension
    assert (large.mass, large.radius) == (0.5, 0.02)
    assert packing_fraction(scene) == pytest.approx(0.35, rel=1e-13)
    assert temperature(scene) == pytest.approx(300 / 301, rel=1e-13)  # the large ball has no share yet
    assert relative_momentum(scene) < 1e-15
    assert problems(scene) == []


# --- a slope


@pytest.mark.requirement("M-07", "M-08")
@pytest.mark.parametrize("angle", [10.0, 26.0, 27.0, 45.0, 70.0])
def test_a_block_slides_as_coulomb_says_or_stays(angle):
    """x = a t²/2 along the slope: of a constant acceleration, Verlet has no error but rounding."""
    scene = library.load("slope", angle=angle)
    slope = Slope(angle=angle)
    assert problems(scene) == []
    assert (slope.acceleration > 0.0) == (angle > math.degrees(math.atan(0.5)))
    sim = Simulation(scene).run(until=0.5)
    way = sim.snapshot().balls.position[0] - scene.balls.position[0]
    steep = math.radians(angle)
    down = 0.5 * slope.acceleration * 0.25
    assert way == pytest.approx(down * np.array([math.cos(steep), -math.sin(steep)]), abs=1e-12)


def test_the_block_comes_to_rest_on_the_floor():
    balls = Simulation(library.load("slope")).run(until=4.0).snapshot().balls
    assert not balls.velocity.any()
    assert balls.position[0, 1] == pytest.approx(balls.radius[0], rel=1e-9)


# --- a heap


@pytest.mark.parametrize("count", [1, 2, 3, 10, 300, 5000])
def test_disks_to_pour_start_apart_and_above_the_floor(count):
    scene = library.load("pour", count=count, seed=2)
    assert len(scene.balls) == count
    assert problems(scene) == []
    assert not scene.balls.velocity.any()
    assert (scene.balls.position[:, 1] > 0.2 * scene.boundary.size[1]).all()
    assert (np.abs(scene.balls.radius / 0.01 - 1.0) <= 0.15).all()


def test_the_heap_will_be_about_as_high_as_wide():
    scene = library.load("pour")
    width, height = scene.boundary.size
    area = float(ball_volume(scene.balls.radius, 2).sum())
    assert area / 0.82 / width == pytest.approx(width, rel=1e-12)
    assert height > 2.0 * width
    assert scene.restitution.ball_ball == scene.restitution.ball_wall == 0.3
    assert scene.friction.ball_ball.static == scene.friction.ball_wall.dynamic == 0.4


def test_pouring_is_reproducible():
    assert library.load("pour", count=50, seed=3) == library.load("pour", count=50, seed=3)
    assert library.load("pour", count=50, seed=3) != library.load("pour", count=50, seed=4)


# --- material points


@pytest.mark.requirement("M-05")
@pytest.mark.parametrize(("count", "mode"), [(1, 1), (5, 1), (5, 3), (5, 5)])
def test_a_mode_of_coupled_oscillators_swings_with_its_period(count, mode):
    """After half a period all are on the other side, but for the phase error π (ω dt)²/24 of Verlet."""
    scene = library.load("coupled-oscillators", count=count, mode=mode)
    half = math.pi / CoupledOscillators(count=count, mode=mode).frequency
    step = half / 200
    sim = Simulation(scene, step=step).run(until=half * (1 + 1e-9))
    middle = 0.2 * np.arange(count + 2)
    swing = scene.balls.position[:, 0] - middle
    assert np.abs(swing).max() == pytest.approx(0.05, rel=0.15)
    late = math.pi * (math.pi / 200) ** 2 / 24
    assert sim.snapshot().balls.position[:, 0] - middle == pytest.approx(-swing, abs=0.05 * late**2 + 1e-9)


def test_mode_0_pulls_the_first_mass_alone():
    scene = library.load("coupled-oscillators", mode=0)
    moved = scene.balls.position[:, 0] - 0.2 * np.arange(7)
    assert moved.tolist() == pytest.approx([0.0, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0], abs=1e-15)


@pytest.mark.requirement("M-10")
@pytest.mark.parametrize(("links", "number"), [("structural", 2 * 4 * 5), ("shear", 72), ("bending", 72 + 2 * 3 * 5)])
def test_the_cloth_has_the_links_that_were_chosen(links, number):
    scene = library.load("cloth-on-a-ball", points=5, links=links)
    assert len(scene.links) == number
    assert len(scene.triangles) == 32
    assert scene.balls.mass.sum() == pytest.approx(0.2, rel=1e-12)


@pytest.mark.requirement("M-07", "M-10")
def test_the_cloth_comes_to_lie_on_the_ball():
    scene = library.load("cloth-on-a-ball", points=15)
    (ball,) = scene.obstacles
    place = Simulation(scene).run(until=0.6).snapshot().balls.position
    away = np.linalg.norm(place - np.array(ball.centre), axis=1) - ball.radius - 0.01
    assert away.min() > -1e-6
    assert np.count_nonzero(away < 0.01) > 20
    assert place[:, 1].min() < ball.centre[1]  # its corners hang down


@pytest.mark.requirement("M-10", "M-17")
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_soft_body_falls_flattens_and_holds_together(dimension):
    scene = library.load("soft-body", dimension=dimension, points=4)
    assert problems(scene) == []
    assert len(scene.balls) == 4**dimension
    sim = Simulation(scene)
    lowest = np.inf
    for time in np.arange(0.3, 0.6, 0.01):
        place = sim.run(until=time).snapshot().balls.position
        lowest = min(lowest, np.ptp(place[:, 1]))
        assert place[:, 1].min() > 0.01 - 1e-9
    assert 0.2 < lowest < 0.38
    assert np.ptp(place, axis=0).max() < 0.8


@pytest.mark.requirement("M-16")
def test_the_goo_tower_stands_and_a_high_one_falls():
    scene = library.load("goo-tower")
    sim = Simulation(scene).run(until=4.0)
    assert len(sim.links) == len(scene.links) == 5 * 8
    assert sim.snapshot().balls.position[:, 1].max() > 0.9 * 8 * 0.4
    high = library.load("goo-tower", floors=14)
    fallen = Simulation(high).run(until=6.0)
    assert len(fallen.links) < len(high.links)
    assert fallen.snapshot().balls.position[:, 1].max() < 0.5 * 14 * 0.4


@pytest.mark.requirement("M-16")
def test_a_goo_tower_that_is_pushed_hard_loses_a_link():
    scene = library.load("goo-tower", push=2.0)
    assert len(Simulation(scene).run(until=2.0).links) < len(scene.links)


# --- lattices


@pytest.mark.parametrize("size", [(1.0, 1.0), (3.0, 1.0), (1.0, 1.0, 1.0), (2.0, 1.0, 1.5)])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 24, 100, 333])
def test_a_lattice_keeps_its_spacing(size, periodic, count):
    lattice = widest(size, periodic, count)
    sites = lattice.sites()
    lengths = np.array(size)
    apart = sites[:, None] - sites[None]
    if periodic:
        apart -= lengths * np.rint(apart / lengths)
    distance = np.linalg.norm(apart, axis=2)
    np.fill_diagonal(distance, lengths.min())  # the own image
    to_wall = np.inf if periodic else np.minimum(sites, lengths - sites).min()
    assert len(sites) >= count
    assert min(distance.min(), 2 * to_wall) == pytest.approx(lattice.spacing, rel=1e-12)


def test_no_lattice_is_denser_than_the_densest():
    for count in range(1, 300):
        assert densest_count((1.0, 1.0), widest((1.0, 1.0), True, count).spacing * (1 - 1e-9)) >= count


# --- mistakes


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("gas", {"count": 0}, "count: 0 does not fit: input should be greater than or equal to 1"),
        ("gas", {"count": True}, "count: True is not a whole number"),
        ("gas", {"count": 3.0}, "count: 3.0 is not a whole number"),
        ("gas", {"packing_fraction": 0.0}, "packing_fraction: 0.0 is not positive"),
        ("gas", {"packing_fraction": 1.5}, "packing_fraction: 1.5 does not fit: input should be less than 1"),
        ("gas", {"packing_fraction": 0.95}, "packing_fraction: 1000 balls do not fit at the packing fraction 0.95"),
        ("gas", {"temperature": 1.0, "speed": 1.0}, "speed: given together with temperature. Leave one of them out."),
        ("gas", {"temperature": -1.0}, "temperature: -1.0 is negative"),
        ("gas", {"radius_ratio": 2.0}, "radius_ratio: describes a second kind of which there is none"),
        ("gas", {"fraction": 1.5}, "fraction: 1.5 does not fit: input should be less than or equal to 1"),
        ("gas", {"dimension": 4}, "dimension: 4 is neither 2 nor 3"),
        ("gas", {"mass": math.nan}, "mass: nan is not finite"),
        ("gas", {"radius": "small"}, "radius: 'small' is a text, not a number"),
        ("gas", {"periodic": 1}, "periodic: 1 is not true or false"),
        ("gas", {"seed": -1}, "seed: -1 does not fit"),
        ("gas-under-gravity", {"count": 100_000}, "count: 100000 balls of radius 0.0015 m do not fit into 0.3 x 1 m"),
        ("brownian", {"packing_fraction": 0.9}, "packing_fraction: 1001 balls do not fit at the packing fraction 0.9"),
        ("galperin-pi", {"digits": 9}, "digits: 9 does not fit"),
    ],
)
def test_a_mistake_is_told(name, parameters, message):
    with pytest.raises(SceneError) as raised:
        library.load(name, **parameters)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
