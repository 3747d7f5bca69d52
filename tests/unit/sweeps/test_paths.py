"""Paths: what they name, what they make on the way, and what is refused."""

import copy

import pytest

from carom.errors import SceneError
from carom.scene import Ball, Box, Scene, library
from carom.scene.io.document import document
from carom.scene.io.files import build
from carom.sweeps.study.paths import locate, prepare, set_value, steps_of

GAS = {"generator": {"kind": "gas", "count": 4, "periodic": False}}
TWO = document(
    Scene(
        boundary=Box(size=(1.0, 1.0)),
        restitution=0.9,
        balls=[Ball(position=(0.2, 0.2), velocity=(1.0, 0.0), radius=0.1), Ball(position=(0.7, 0.7), radius=0.1)],
    )
)
MANY = document(library.load("gas", count=150))


def at(content, path, value):
    steps = steps_of(path)
    return set_value(prepare(content, steps), steps, value)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("restitution", ("restitution",)),
        ("balls[0].velocity[1]", ("balls", 0, "velocity", 1)),
        ("triangles[3][1]", ("triangles", 3, 1)),
    ],
)
def test_steps(path, steps):
    assert steps_of(path) == steps


@pytest.mark.parametrize(
    "path", ["", ".a", "a.", "a..b", "a b", "[0]", "a.[0]", "a[0]b", "a[-1]", "a[x]", "a[]", "a" * 201, "a[9999999999]"]
)
def test_what_is_no_path(path):
    with pytest.raises(SceneError, match="is not a path"):
        steps_of(path)


def test_a_value_is_put_into_a_copy():
    before = copy.deepcopy(TWO)
    after = at(TWO, "balls[0].velocity[0]", 3.0)
    assert before == TWO
    assert after["balls"][0]["velocity"] == [3.0, 0.0]
    assert after["balls"][1] is TWO["balls"][1]


@pytest.mark.parametrize(
    ("content", "path", "read"),
    [
        (TWO, "balls[1].velocity[1]", lambda scene: scene.balls.velocity.tolist() == [[1.0, 0.0], [0.0, 0.5]]),
        (TWO, "balls[1].mass", lambda scene: scene.balls.mass.tolist() == [1.0, 0.5]),
        (TWO, "gravity[1]", lambda scene: scene.gravity == (0.0, 0.5)),
        (TWO, "boundary.size[1]", lambda scene: scene.boundary.size == (1.0, 0.5)),
        (TWO, "restitution", lambda scene: scene.restitution.ball_wall == 0.5),
        (
            TWO,
            "restitution.ball_ball",
            lambda scene: (scene.restitution.ball_ball, scene.restitution.ball_wall) == (0.5, 0.9),
        ),
        (TWO, "drag.quadratic", lambda scene: getattr(scene.drag, "quadratic", 0.0) == 0.5),
        (TWO, "attraction.G", lambda scene: getattr(scene.attraction, "G", 0.0) == 0.5),
        (TWO, "stepping.step", lambda scene: scene.stepping.step == 0.5),
        (MANY, "balls[3].mass", lambda scene: scene.balls.mass[2:5].tolist() == [0.01, 0.5, 0.01]),
        (MANY, "balls[3].velocity[1]", lambda scene: scene.balls.velocity[3, 1] == 0.5),
        (MANY, "balls.radius", lambda scene: set(scene.balls.radius) == {0.5}),
        (GAS, "generator.packing_fraction", lambda scene: "fraction 0.5" in scene.description),
        (GAS, "gravity[0]", lambda scene: scene.gravity == (0.5, 0.0)),
    ],
)
def test_what_is_left_out_is_written_out_on_the_way(content, path, read):
    scene = build(content)
    assert not read(scene)
    assert read(build(at(content, path, 0.5)))


def test_one_component_leaves_what_a_generator_makes_of_the_others():
    pour = {"generator": {"kind": "pour", "count": 5}}
    scene = build(pour)
    assert build(at(pour, "gravity[0]", 0.25)).gravity == (0.25, *scene.gravity[1:])


def test_kinds_of_obstacles_and_structures():
    content = {
        "obstacles": [{"kind": "circle", "centre": [0.0, 0.0], "radius": 1.0}],
        "structures": [{"kind": "rope", "start": [0.0, 2.0], "end": [1.0, 2.0], "count": 3}],
    }
    assert at(content, "obstacles[0].radius", 0.5)["obstacles"][0]["radius"] == 0.5
    assert at(content, "structures[0].count", 5)["structures"][0]["count"] == 5
    with pytest.raises(SceneError, match="there is no 'size' in obstacles\\[0\\]"):
        at(content, "obstacles[0].size", 1.0)


@pytest.mark.parametrize(
    ("content", "path", "line"),
    [
        (GAS, "generator.cuont", "there is no 'cuont' in generator. Did you mean 'count'?"),
        (
            GAS,
            "balls[0].mass",
            (
                "the balls of this scene are made by a generator. "
                'Sweep an option of the generator, such as "generator.count", or write the scene out.'
            ),
        ),
        (GAS, "generator.count[0]", "generator.count is a single value. Leave '[0]' out."),
        (TWO, "balls[0].mas", "there is no 'mas' in balls[0]. Did you mean 'mass'?"),
        (TWO, "balls[2].mass", "balls[2] is not there: balls has 2, the last is [1]. Count from 0."),
        (TWO, "obstacles[0].radius", "obstacles[0] is not there: obstacles has 0, there are none. Count from 0."),
        (TWO, "balls.mass", 'balls has rows, not keys. Name one by its number: "balls[0].mass".'),
        (TWO, "boundary[0]", "boundary has no rows. Leave the [0] out, or check the path."),
        (
            TWO,
            "boundary.radius",
            "there is no 'radius' in boundary. Known keys: kind, size, periodic, material.",
        ),
        (
            TWO,
            "restitutoin",
            "there is nothing called 'restitutoin' to sweep in this scene. Did you mean 'restitution'?",
        ),
        (TWO, "contact_time[0]", "contact_time has no rows here. Check the path, or write the value out in the scene."),
        (MANY, "balls[150].mass", "balls.mass[150] is not there: balls.mass has 150, the last is [149]. Count from 0."),
    ],
)
def test_what_is_refused(content, path, line):
    with pytest.raises(SceneError) as error:
        prepare(content, steps_of(path))
    assert str(error.value) == line


@pytest.mark.parametrize("path", ["name", "schema", "view.y_down", "generator.count"])
def test_what_changes_no_run_is_not_swept(path):
    with pytest.raises(SceneError, match="there is nothing called"):
        prepare(TWO, steps_of(path))


def test_rows_of_columns_are_entries_of_each():
    assert locate(MANY, steps_of("balls[3].mass")) == ("balls", "mass", 3)
    assert locate(TWO, steps_of("balls[1].mass")) == ("balls", 1, "mass")
