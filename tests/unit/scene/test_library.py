"""The library: every scene is there, stands, and has the numbers that it should have."""

import math
from importlib import resources

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import library
from carom.scene.files import dumps, loads
from carom.scene.polygon import Polygon
from carom.world.placement import problems

SIX = ("empty", "central-horizontal", "central-vertical", "oblique", "three-bodies", "break")
GROUPS = {"Empty", "Collisions", "Gravity field", "Gases and chaos", "Billiards"}


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
