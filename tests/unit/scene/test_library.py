"""The library: every scene is there, stands, and has the numbers that it should have."""

import math
from importlib import resources

import numpy as np
import pytest

from carom import Simulation
from carom.errors import SceneError
from carom.scene import library
from carom.scene.io.files import dumps, loads
from carom.scene.placement.check import problems
from carom.scene.shapes.box import Box
from carom.scene.shapes.polygon import Polygon

SIX = ("empty", "central-horizontal", "central-vertical", "oblique", "three-bodies", "break")
GROUPS = {
    "Empty",
    "Collisions",
    "Gravity field",
    "Gases and chaos",
    "Billiards",
    "Planetary system",
    "Material points",
}


def contact_time(one, other):
    """The smaller root of |x + v t| = r1 + r2."""
    x = np.subtract(one.position, other.position)
    v = np.subtract(one.velocity, other.velocity)
    a, b, c = v @ v, x @ v, x @ x - (one.radius + other.radius) ** 2
    return c / (-b + math.sqrt(b * b - a * c))


def touching_pairs(balls):
    apart = np.linalg.norm(balls.position[:, None] - balls.position[None], axis=2)
    touching = np.abs(apart - balls.radius[:, None] - balls.radius[None]) < 1e-12 * balls.radius.max()
    return int(np.count_nonzero(np.triu(touching, 1)))


# --- all of them


@pytest.mark.requirement("T-01")
@pytest.mark.parametrize("name", library.names())
def test_every_scene_loads_and_its_balls_can_stand_there(name):
    scene = library.load(name)
    assert problems(scene) == []


@pytest.mark.parametrize("name", library.names())
def test_every_scene_comes_back_from_a_file_to_the_last_bit(name):
    scene = library.load(name)
    assert loads(dumps(scene)) == scene


@pytest.mark.parametrize("entry", library.catalogue(), ids=lambda entry: entry.name)
def test_the_catalogue_tells_what_the_scene_tells(entry):
    scene = library.load(entry.name)
    assert (entry.title, entry.sentence) == (scene.name, scene.look_at)
    assert entry.group in GROUPS


@pytest.mark.parametrize("entry", library.catalogue(), ids=lambda entry: entry.name)
def test_what_to_look_at_is_one_sentence(entry):
    assert entry.sentence.endswith(".")
    assert ". " not in entry.sentence
    assert "\n" not in entry.sentence


@pytest.mark.parametrize("entry", library.catalogue(), ids=lambda entry: entry.name)
def test_the_defaults_in_the_catalogue_are_the_defaults(entry):
    stated = {parameter.name: parameter.default for parameter in entry.parameters if parameter.default is not None}
    assert library.load(entry.name, **stated) == library.load(entry.name)


def test_the_catalogue_has_all_names_in_their_order():
    assert tuple(entry.name for entry in library.catalogue()) == library.names()
    assert {entry.group for entry in library.catalogue()} == GROUPS


def test_every_file_of_the_library_is_in_the_catalogue():
    files = {file.name.removesuffix(".toml") for file in resources.files(library).joinpath("scenes").iterdir()}
    assert files == {entry.name for entry in library.catalogue() if not entry.parameters}


@pytest.mark.parametrize("name", [name for name in library.names() if library.load(name).forces_needed])
def test_every_scene_with_forces_starts_without_a_warning_and_stays_in_its_box(name):
    scene = library.load(name)
    sim = Simulation(scene)
    sim.run(until=50 * sim.method.step)
    place = sim.snapshot().balls.position
    assert np.isfinite(place).all()
    moved = np.linalg.norm(place - scene.balls.position, axis=1)
    assert (moved > 0.0).any()
    assert not moved[scene.balls.fixed].any()
    if isinstance(scene.boundary, Box):
        assert (place >= -1e-12).all()
        assert (place <= np.array(scene.boundary.size) + 1e-12).all()


@pytest.mark.parametrize("entry", library.catalogue(), ids=lambda entry: entry.name)
def test_a_default_can_be_written_in_a_file(entry):
    for parameter in entry.parameters:
        assert parameter.default is None or type(parameter.default) in {int, float, bool, str}
        assert parameter.meaning


def test_a_parameter_has_its_unit_and_its_meaning():
    (gas,) = (entry for entry in library.catalogue() if entry.name == "gas")
    radius = next(parameter for parameter in gas.parameters if parameter.name == "radius")
    assert radius == library.Parameter("radius", 0.005, "m", "radius of a ball")
    assert gas.parameters[0].name == "count"


# --- the six systems


@pytest.mark.requirement("T-01")
def test_the_six_systems_come_first_in_one_box_with_y_downward():
    assert library.names()[:6] == SIX
    for scene in map(library.load, SIX):
        assert scene.boundary.size == (0.5, 0.3)
        assert scene.view.y_down
        assert scene.restitution.ball_ball == scene.restitution.ball_wall == 1.0


@pytest.mark.requirement("T-01")
def test_the_empty_system_is_empty():
    assert len(library.load("empty").balls) == 0


@pytest.mark.requirement("T-01")
def test_central_horizontal_has_the_numbers_of_section_6_2_2():
    balls = library.load("central-horizontal").balls
    assert balls.position[2:].tolist() == [[0.1, 0.1], [0.35, 0.1]]
    assert balls.velocity.tolist() == [[0.1, 0.0], [-0.1, 0.0]] * 2
    assert balls.mass.tolist() == balls.radius.tolist() == [0.01, 0.01, 0.02, 0.01]
    assert balls.position[0, 1] == balls.position[1, 1] != 0.1


@pytest.mark.requirement("T-01")
def test_central_vertical_has_the_numbers_of_section_6_2_1():
    balls = library.load("central-vertical").balls
    assert balls.position.tolist() == [[0.1, 0.01], [0.1, 0.15]]
    assert balls.velocity.tolist() == [[0.0, 0.5], [0.0, -0.1]]
    assert balls.mass.tolist() == balls.radius.tolist() == [0.01, 0.01]


@pytest.mark.requirement("T-01")
def test_the_oblique_collision_has_its_line_of_centres_at_30_degrees():
    one, other = library.load("oblique").balls
    at = np.add(one.position, contact_time(one, other) * np.array(one.velocity))
    dx, dy = np.subtract(other.position, at)
    assert math.degrees(math.atan2(dy, dx)) == pytest.approx(30.0, abs=1e-9)


@pytest.mark.requirement("T-01")
def test_three_bodies_meet_at_the_same_instant_at_45_degrees_before_the_pair_meets():
    left, right, third = library.load("three-bodies").balls
    time = contact_time(left, third)
    assert time == contact_time(right, third)  # to the last bit
    assert time < contact_time(left, right)
    at_left = np.add(left.position, time * np.array(left.velocity))
    at_third = np.add(third.position, time * np.array(third.velocity))
    dx, dy = at_third - at_left
    assert dx == pytest.approx(-dy, rel=1e-12)
    assert {left.mass, right.mass, third.mass, left.radius, right.radius, third.radius} == {0.01}
    assert (left.velocity, right.velocity, third.velocity) == ((0.1, 0.0), (-0.1, 0.0), (0.0, 0.1))


@pytest.mark.requirement("T-01")
def test_the_break_has_a_tight_rack_and_the_cue_ball_last():
    balls = library.load("break").balls
    assert len(balls) == 16
    assert set(balls.mass.tolist()) == set(balls.radius.tolist()) == {0.01}
    assert not balls.velocity[:15].any()
    assert balls.velocity[15, 0] > 0.0
    assert touching_pairs(balls) == 30  # a triangle of 15: 3 * (1 + 2 + 3 + 4)


# --- the others


def test_newtons_cradle_touches_in_two_groups():
    balls = library.load("newtons-cradle", count=7, released=2).balls
    assert touching_pairs(balls) == 1 + 4
    assert balls.velocity[:, 0].tolist() == [0.5] * 2 + [0.0] * 5


def galperin_on_a_line(scene):
    """Collisions until the balls part for good: their number, the time of the last, and the way of the heavy ball."""
    (light, heavy) = scene.balls
    m, big = light.mass, heavy.mass
    x, v = light.position[0] - light.radius, 0.0
    y, w = heavy.position[0] - 2 * light.radius - heavy.radius, heavy.velocity[0]
    count, time = 0, 0.0
    while v < 0.0 or v > w:
        step = (y - x) / (v - w) if v > w else math.inf
        at_wall = -x / v if v < 0.0 else math.inf
        step = min(step, at_wall)
        x, y, time, count = x + v * step, y + w * step, time + step, count + 1
        if step == at_wall:
            x, v = 0.0, -v
        else:
            x = y
            v, w = ((m - big) * v + 2 * big * w) / (m + big), ((big - m) * w + 2 * m * v) / (m + big)
    return count, time, y + 2 * light.radius + heavy.radius


@pytest.mark.parametrize(("digits", "count"), [(0, 3), (1, 31), (2, 314), (3, 3141), (4, 31415)])
def test_galperins_collisions_spell_pi_before_the_right_wall_is_met(digits, count):
    scene = library.load("galperin-pi", digits=digits)
    counted, last, heavy_x = galperin_on_a_line(scene)
    assert counted == count
    assert f"The last of {count} collisions falls at" in scene.description
    assert float(scene.description.split("t = ")[1].split(" s")[0]) == pytest.approx(last, rel=1e-5)
    assert heavy_x + scene.balls[1].radius < scene.boundary.size[0]


@pytest.mark.requirement("T-19")
def test_the_pool_table_has_its_real_size():
    scene = library.load("pool-break")
    assert scene.boundary.size == (2.54, 1.27)
    assert set(scene.balls.radius.tolist()) == {0.028575}
    assert set(scene.balls.mass.tolist()) == {0.17}
    assert scene.balls.position[1].tolist() == pytest.approx([1.905, 0.635])  # the foot spot
    assert touching_pairs(scene.balls[1:]) == 30


def test_the_cue_ball_is_aimed_by_an_angle():
    straight = library.load("pool-break")
    assert straight.balls.velocity[0].tolist() == [10.0, 0.0]
    aslant = library.load("pool-break", angle=30.0, speed=2.0)
    assert aslant.balls.velocity[0].tolist() == pytest.approx([math.sqrt(3.0), 1.0], rel=1e-15)
    assert aslant.balls.position.tolist() == straight.balls.position.tolist()
    with pytest.raises(SceneError, match=r"angle: .*90"):
        library.load("pool-break", angle=91.0)


def test_the_stadium_encloses_a_square_and_two_half_discs():
    boundary = library.load("stadium").boundary
    assert boundary.outline.area == pytest.approx(1.0 + math.pi / 4, rel=1e-12)


@pytest.mark.requirement("B-02")
def test_the_polygon_table_has_four_corners_that_point_inward():
    boundary = library.load("polygon-table").boundary
    assert isinstance(boundary, Polygon)
    corners = np.array(boundary.vertices)
    edges = np.roll(corners, -1, axis=0) - corners
    before = np.roll(edges, 1, axis=0)
    turns = before[:, 0] * edges[:, 1] - before[:, 1] * edges[:, 0]
    assert np.count_nonzero(turns < 0.0) == 4
    assert np.count_nonzero(edges == 0.0) == 0  # no wall along an axis


def test_the_bouncing_ball_falls_one_metre_and_loses_speed():
    scene = library.load("bouncing-ball")
    (ball,) = scene.balls
    assert ball.position[1] - ball.radius == pytest.approx(1.0)
    assert scene.restitution.ball_wall == 0.8
    fall = math.sqrt(2.0 / 9.81)
    assert f"{fall * 1.8 / 0.2:.2f} s" in scene.look_at


def test_the_points_of_sinai_start_side_by_side_with_one_velocity():
    scene = library.load("sinai", count=5, spread=1e-6, periodic=True)
    assert scene.boundary.periodic == (True, True)
    assert np.ptp(scene.balls.velocity, axis=0).tolist() == [0.0, 0.0]
    assert np.linalg.norm(scene.balls.position[4] - scene.balls.position[0]) == pytest.approx(1e-6, rel=1e-6)


# --- scenes with forces


@pytest.mark.requirement("S-01", "S-02", "S-03", "S-06")
def test_the_gravity_field_is_that_of_sphere_drop():
    scene = library.load("gravity-field")
    g = 6.6743e-11 * 5.97219e24 / 6.3781e6**2
    assert scene.gravity == pytest.approx((0.0, -g), rel=1e-15)
    assert (scene.planet.G, scene.planet.M, scene.planet.R) == (6.6743e-11, 5.97219e24, 6.3781e6)
    assert (scene.stepping.step, scene.stepping.integrator) == (1 / 60, "stormer")
    assert scene.restitution.ball_ball == scene.restitution.ball_wall == 1.0
    assert scene.friction.none
    assert scene.drag is None
    assert scene.boundary.size == (800.0, 600.0)  # of pixels, one metre each
    assert library.load("gravity-field", M=2 * 5.97219e24).gravity[1] == pytest.approx(-2 * g, rel=1e-15)


@pytest.mark.requirement("S-01", "S-03", "S-06", "S-07")
def test_the_circles_of_the_gravity_field_keep_their_energy_in_steps():
    """Of a parabola, Verlet's step has no error: mechanical energy is kept to the rounding of its sums."""
    scene = library.load("gravity-field")
    sim = Simulation(scene, solver="stepped")
    sim.run(until=1.0)  # beyond Störmer's first step, which is Euler's

    def mechanical():
        balls = sim.snapshot().balls
        return balls.mass @ (0.5 * (balls.velocity**2).sum(axis=1) - scene.gravity[1] * balls.position[:, 1])

    before = mechanical()
    sim.run(until=30.0)
    assert sim.collisions > 20
    assert mechanical() == pytest.approx(before, rel=1e-10)


@pytest.mark.requirement("M-12", "M-11")
@pytest.mark.parametrize("solver", ["exact", "stepped"])
@pytest.mark.parametrize("offset", [-0.9, 0.2, 0.5])
def test_in_the_billiard_test_equal_balls_part_at_a_right_angle(solver, offset):
    sim = Simulation(library.load("billiard-test", offset=offset), solver=solver).run(until=0.6)
    one, other = sim.snapshot().balls.velocity
    assert sim.collisions == 1
    assert one @ other == pytest.approx(0.0, abs=1e-13)
    assert math.degrees(math.atan2(*other[::-1])) == pytest.approx(math.degrees(math.asin(offset)), abs=1e-9)


@pytest.mark.parametrize("changed", [{"mass_ratio": 2.0}, {"restitution": 0.5}])
def test_in_the_billiard_test_others_do_not(changed):
    sim = Simulation(library.load("billiard-test", **changed)).run(until=0.6)
    one, other = sim.snapshot().balls.velocity
    assert abs(one @ other) > 0.01


@pytest.mark.requirement("M-06")
def test_the_free_end_of_the_rope_outruns_the_ball():
    """M. G. Calkin and R. H. March, American Journal of Physics 57 (1989) 154-157."""
    scene = library.load("rope")
    sim = Simulation(scene).run(until=0.45)
    place = sim.snapshot().balls.position
    assert scene.balls.position[-1, 1] == scene.balls.position[0, 1]
    fallen = 0.5 * 9.80665 * 0.45**2
    assert place[0, 1] == pytest.approx(2.0 - fallen, rel=1e-9)
    assert place[-1, 1] < 2.0 - 1.1 * fallen


@pytest.mark.requirement("M-06")
def test_the_hairs_droop_in_the_order_of_their_stiffness():
    scene = library.load("hair")
    place = Simulation(scene).run(until=3.0).snapshot().balls.position.reshape(5, 11, 2)
    droop = (place[:, 0, 1] - place[:, -1, 1]) / 0.3
    assert (np.diff(droop) > 0.0).all()
    assert droop[4] > 0.8
    # Each joint of the stiffest turns by its torque over its stiffness, E I / apart: the statics of small angles. The
    # swing of the start has fallen to exp(-γ t / 2m) = 2.4 %, and angles squared count 0.3 %.
    apart, mass = 0.03, 0.003 / 10 * np.r_[0.5, np.ones(9), 0.5]
    torque = [9.80665 * apart * mass[j:] @ np.arange(11 - j) for j in range(11)]
    expected = sum(torque[j] * apart / 6.4e-3 * (10 - j) * apart for j in range(1, 10)) / 0.3
    assert droop[0] == pytest.approx(expected, rel=0.027)


@pytest.mark.requirement("M-09")
def test_water_leaves_the_ball_where_it_would_have_to_be_pulled():
    """Water slides until v² = g R cos θ: from rest at the top that is at cos θ = 2/3, and higher if it comes faster.

    The lowest that clings has come down at the axis, and so slid from nearly rest; a step of it is g dt²/2 wide.
    """
    scene = library.load("water-on-a-ball")
    place = Simulation(scene, step=0.002).run(until=1.2).snapshot().balls.position
    (ball,) = scene.obstacles
    way = place - np.array(ball.centre)
    away = np.linalg.norm(way, axis=1)
    assert (away > ball.radius * (1.0 - 1e-9)).all()
    clinging = way[away < ball.radius * (1.0 + 1e-6), 1] / ball.radius
    assert len(clinging) > 100
    assert clinging.min() > 2 / 3 - 0.02


@pytest.mark.requirement("M-09")
def test_metal_on_a_ball_rebounds_and_keeps_its_energy():
    scene = library.load("metal-on-a-ball")
    assert scene.balls.mass == pytest.approx(7850 * 4 / 3 * math.pi * 0.01**3, rel=2e-3)

    def mechanical(balls):
        return balls.mass @ (0.5 * (balls.velocity**2).sum(axis=1) - scene.gravity[1] * balls.position[:, 1])

    sim = Simulation(scene).run(until=1.0)
    assert sim.collisions > 500
    assert mechanical(sim.snapshot().balls) == pytest.approx(mechanical(scene.balls), rel=1e-12)


@pytest.mark.requirement("M-14")
def test_water_on_cloth_has_a_cloth_that_can_be_met_and_water_that_does_not_rebound():
    scene = library.load("water-on-cloth")
    assert len(scene.triangles) == 2 * 20 * 20
    assert np.count_nonzero(scene.balls.fixed) == 4
    bounce, _ = scene.restitution.table(("water", "cloth"), ("wall",))
    assert bounce[0, 1] == 0.0
    assert np.ptp(scene.balls.born) > 1.9


# --- how to get them


def test_a_scene_file_may_name_a_generator():
    scene = loads('name = "Mine"\nrestitution = 0.9\n[generator]\nkind = "gas"\ncount = 20\nseed = 3\n')
    assert scene == library.load("gas", count=20, seed=3).replace(name="Mine", restitution=0.9)


def test_generate_is_what_load_does():
    assert library.generate("gas", {"count": 20}) == library.load("gas", count=20)


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("gaz", {}, "there is no scene 'gaz' in the library. Did you mean 'gas'?"),
        ("break", {"speed": 1.0}, "speed: the scene 'break' takes no parameters. Leave it out."),
        ("gas", {"conut": 3}, "conut: unknown key (with the value 3). Did you mean 'count'?"),
        ("gas", {"name": 3}, "name: unknown key (with the value 3)"),
        ("newtons-cradle", {"count": 3, "released": 3}, "released: 3 of 3 balls leave none in the row"),
        ("sinai", {"obstacle": 0.45}, "obstacle: 0.45 m leaves no room to start. Use up to 0.4 m."),
        ("billiard-test", {"offset": 1.0}, "offset: 1.0 does not fit"),
        ("slope", {"dynamic": 0.6}, "dynamic: 0.6 is above the static coefficient, 0.5. Use a dynamic coefficient"),
        ("coupled-oscillators", {"mode": 6}, "mode: 6 is beyond the number of modes, 5. There are as many modes"),
        ("cloth-on-a-ball", {"links": "sheer"}, "links: 'sheer' is not a choice here. Did you mean 'shear'?"),
        ("planetary-system", {"planets": "Erath"}, "planets: 'Erath' is no planet. Did you mean 'Earth'?"),
        ("planetary-system", {"days": 20_000.0}, "days: 20000.0 does not fit"),
    ],
)
def test_a_mistake_is_told(name, parameters, message):
    with pytest.raises(SceneError) as raised:
        library.load(name, **parameters)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.requirement("T-05")
def test_an_unknown_generator_is_told():
    with pytest.raises(SceneError, match="kind: there is no generator 'brake'"):
        library.generate("brake", {})
