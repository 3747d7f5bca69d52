"""The scene as a whole."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import (
    Attraction,
    Ball,
    Balls,
    Block,
    Box,
    Circle,
    Cylinder,
    Drag,
    Friction,
    FrictionPair,
    HalfSpace,
    Link,
    Open,
    Planet,
    Polygon,
    Scene,
    Stepping,
    View,
    Wedge,
    library,
)

TWO = Ball(position=(0.1, 0.1), velocity=(0.1, 0.0), mass=0.02, radius=0.02)
THREE = Ball(position=(1, 1, 1))
TRIANGLE = Polygon(vertices=[(0, 0), (1, 0), (0, 1)])


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def test_an_empty_scene():
    scene = Scene()
    assert isinstance(scene.boundary, Open)
    assert (scene.dimension, scene.gravity, len(scene.balls)) == (2, (0.0, 0.0), 0)
    assert (scene.name, scene.look_at, scene.contact_time, scene.view) == ("", "", None, View(y_down=False))


@pytest.mark.parametrize(
    "balls",
    [
        [TWO, TWO],
        (TWO, TWO),
        Balls.concatenate([TWO, TWO]),
        [Balls.concatenate([TWO]), TWO],
        [{"position": (0.1, 0.1), "velocity": (0.1, 0.0), "mass": 0.02, "radius": 0.02}, TWO],
        {"position": [(0.1, 0.1)] * 2, "velocity": (0.1, 0.0), "mass": 0.02, "radius": [0.02, 0.02]},
    ],
    ids=["list", "tuple", "columns", "mixed", "tables", "table of columns"],
)
def test_balls_are_columns_however_they_come(balls):
    scene = Scene(balls=balls)
    assert isinstance(scene.balls, Balls)
    assert list(scene.balls) == [TWO, TWO]


@pytest.mark.requirement("M-17")
@pytest.mark.parametrize(
    ("parts", "dimension"),
    [
        ({"balls": [TWO]}, 2),
        ({"balls": [THREE]}, 3),
        ({"boundary": Box(size=(1, 1, 1))}, 3),
        ({"boundary": Circle(centre=(0, 0, 0), radius=1), "balls": []}, 3),
        ({"boundary": TRIANGLE}, 2),
        ({"obstacles": [Circle(centre=(0, 0, 0), radius=1)]}, 3),
        ({"gravity": (0, 0, -9.81)}, 3),
        ({"boundary": Cylinder(centre=(0, 0), radius=1), "gravity": Planet()}, 3),
        ({"boundary": TRIANGLE, "balls": [THREE]}, 3),
        ({"obstacles": [TRIANGLE, Wedge(slope=1, intercept=0, x=(0, 1), bottom=0)], "gravity": (0, 0, 0)}, 3),
        ({"gravity": Planet()}, 2),
        ({"boundary": Box(size=(1, 1, 1)), "balls": Balls(position=np.empty((0, 2)))}, 3),
    ],
)
def test_the_dimension_is_told_by_the_parts(parts, dimension):
    scene = Scene(**parts)
    assert scene.dimension == scene.balls.dimension == len(scene.gravity) == dimension


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("parts", "line"),
    [
        (
            {"boundary": Box(size=(1, 1)), "balls": [THREE]},
            "balls: has 3 dimensions, but boundary has 2. Give both the same number of components.",
        ),
        (
            {"boundary": Box(size=(1, 1, 1)), "gravity": (0, -9.81)},
            "gravity: has 2 dimensions, but boundary has 3. Give both the same number of components.",
        ),
        (
            {"balls": [THREE], "obstacles": [Circle(centre=(0, 0), radius=1)]},
            "obstacles[0]: has 2 dimensions, but balls has 3. Give both the same number of components.",
        ),
        (
            {"balls": [THREE], "obstacles": [TRIANGLE, HalfSpace(point=(0, 0), normal=(0, 1))]},
            "obstacles[1]: has 2 dimensions, but balls has 3. Give both the same number of components.",
        ),
        (
            {"balls": [TWO], "obstacles": [Block(low=(0, 0, 0), high=(1, 1, 1))]},
            "obstacles[0]: has 3 dimensions, but balls has 2. Give both the same number of components.",
        ),
        (
            {"balls": [TWO], "obstacles": [Cylinder(centre=(0, 0), radius=1)]},
            "obstacles[0]: is a cylinder, which needs 3 dimensions, but balls has 2. In the plane, use a circle.",
        ),
        (
            {"balls": [TWO], "boundary": Cylinder(centre=(0, 0), radius=1)},
            "boundary: is a cylinder, which needs 3 dimensions, but balls has 2. In the plane, use a circle.",
        ),
        ({"stepping": 3}, "stepping: 3 is not a table. Write a table of: solver, step, integrator, contacts."),
        ({"stepping": {"step": 0}}, "stepping.step: 0 is not positive. Use a number above 0."),
        ({"stepping": {"integrator": ""}}, "stepping.integrator: the name is empty. Write a name, in quotes."),
        (
            {"stepping": {"contacts": "piles"}},
            "stepping.contacts: 'piles' is not a choice here. Did you mean 'pile'?",
        ),
        (
            {"balls": [TWO, THREE]},
            "balls[1]: the ball has 3 dimensions, but the first has 2. Give all balls the same number of components.",
        ),
        (
            {"boundary": Box(size=(1, 1), periodic=(False, True)), "attraction": {"G": 1.0}},
            (
                "attraction: would have to count all images of all balls along the periodic axis y. "
                "Give the axis walls (periodic = false), or leave attraction out."
            ),
        ),
        (
            {"boundary": Box(size=(1, 1), periodic=(False, True)), "gravity": (0, -9.81)},
            (
                "gravity[1]: -9.81 m/s² along the periodic axis y would let the energy grow without end. "
                "Set it to 0, or give the axis walls (periodic = false)."
            ),
        ),
        ({"gravity": -9.81}, "gravity: -9.81 is not a list. Write a list of numbers."),
        ({"gravity": (0,)}, "gravity: (0,) has 1 component. Write two or three numbers."),
        ({"gravity": (0, float("nan"))}, "gravity[1]: nan is not finite. Write a finite number."),
        ({"contact_time": -1}, "contact_time: -1 is negative. Use 0 or a number above."),
        ({"contact_time": "1"}, "contact_time: '1' is a text, not a number. Write the number without quotes."),
        ({"balls": TWO}, "balls: is a single ball, not a list. Write a list: [Ball(...)]."),
        ({"balls": 3}, "balls: 3 is not a list of balls. Write a list of balls, or a table of columns."),
        (
            {"balls": [3]},
            (
                "balls[0]: 3 is not a table. "
                "Write a table of: position, velocity, mass, radius, fixed, material, name, born."
            ),
        ),
        (
            {"balls": [{"position": (0, 0)}, {"position": (0, 0), "mass": -1}]},
            "balls[1].mass: -1 is not positive. Use a number above 0.",
        ),
        ({"balls": {"position": [(0, 0)] * 9, "mass": -1}}, "balls.mass: -1.0 is not positive. Use numbers above 0."),
        ({"obstacles": 3}, "obstacles: 3 is not a list. Write a list of obstacles."),
        ({"name": 3}, "name: 3 is not a text. Write a text, in quotes."),
        ({"view": {"y_down": 1}}, "view.y_down: 1 is not true or false. Write true or false, without quotes."),
        ({"view": True}, "view: True is not a table. Write a table of: y_down."),
        ({"ball": []}, "ball: unknown key (with the value []). Did you mean 'balls'?"),
        ({"gravty": (0, 1)}, "gravty: unknown key (with the value (0, 1)). Did you mean 'gravity'?"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_mistake_is_one_clear_line(parts, line):
    assert lines(lambda: Scene(**parts)) == [line]


def test_gravity_across_a_periodic_axis_is_fine():
    assert Scene(boundary=Box(size=(1, 1), periodic=(True, False)), gravity=(0, -9.81)).gravity == (0.0, -9.81)


def test_a_thousand_like_mistakes_are_not_a_thousand_lines():
    found = lines(lambda: Scene(balls=[{"position": (0, 0), "mass": -1}] * 1000))
    assert len(found) == 21
    assert found[0] == "balls[0].mass: -1 is not positive. Use a number above 0."
    assert found[-1] == "balls: ... and 980 more. Mend these first, then check again."


def test_equality():
    scene = Scene(boundary=Box(size=(1, 1)), balls=[TWO])
    assert scene == Scene(boundary=Box(size=(1, 1)), balls=[TWO])
    assert scene != Scene(boundary=Box(size=(1, 1)), balls=[TWO, TWO])
    assert scene != Scene(boundary=Box(size=(1, 2)), balls=[TWO])
    assert scene != "a scene"
    cloth = Scene(balls=[THREE] * 4, triangles=[(0, 1, 2)])
    assert cloth == Scene(balls=[THREE] * 4, triangles=[(0, 1, 2)])
    assert cloth != cloth.replace(triangles=[(0, 1, 3)])


def test_replace():
    scene = Scene(boundary=Box(size=(1, 1)), balls=[TWO])
    assert scene.replace(gravity=(0, -1)).gravity == (0.0, -1.0)
    assert scene.replace(balls=[]).boundary == scene.boundary
    assert Scene(boundary=Box(size=(1, 1))).replace(boundary=Box(size=(1, 1, 1))).gravity == (0.0, 0.0, 0.0)
    assert lines(lambda: scene.replace(gravity=(0, 0, -1)))[0].startswith("gravity: has 3 dimensions")
    assert lines(lambda: scene.replace(gravty=(0, 0)))[0].endswith("Did you mean 'gravity'?")


class TestPlanet:
    def test_gravity_is_a_vector_all_the_same(self):
        scene = Scene(gravity=Planet(G=1, M=8, R=2))
        assert scene.gravity == (0.0, -2.0)
        assert scene.planet == Planet(G=1, M=8, R=2)
        assert Scene(gravity=(0, -2)).planet is None
        assert scene != Scene(gravity=(0, -2))

    def test_replace_keeps_it_and_changes_it_either_way(self):
        scene = Scene(gravity=Planet(G=1, M=8, R=2))
        assert scene.replace(name="x").planet == scene.planet
        assert scene.replace(boundary=Box(size=(1, 1, 1))).gravity == (0.0, -2.0, 0.0)
        plain = scene.replace(gravity=(0, -1))
        assert (plain.gravity, plain.planet) == ((0.0, -1.0), None)
        assert (scene.replace(gravity=None).gravity, scene.replace(gravity=None).planet) == ((0.0, 0.0), None)
        assert plain.replace(gravity=scene.planet) == scene

    def test_pickles(self):
        scene = Scene(gravity=Planet())
        assert pickle.loads(pickle.dumps(scene)) == scene
        assert pickle.loads(pickle.dumps(scene)).planet == Planet()

    def test_it_does_not_pull_round_a_periodic_axis(self):
        (line,) = lines(lambda: Scene(gravity=Planet(), boundary=Box(size=(1, 1), periodic=True)))
        assert line.startswith("gravity[1]: -9.82")


class TestForcesNeeded:
    def test_none_for_what_the_exact_solver_can_do(self):
        exact = {name for name in library.names() if not library.load(name).forces_needed}
        assert exact >= {"empty", "break", "gas", "brownian", "sinai", "pool-break", "bouncing-ball", "gravity-field"}
        assert exact.isdisjoint({"pour", "planetary-system", "slope", "rope", "cloth-on-a-ball", "goo-tower"})
        plain = Scene(
            boundary=TRIANGLE, gravity=Planet(), drag=0, friction=0, restitution=0.5, stepping=Stepping(step=1)
        )
        assert plain.forces_needed == []

    @pytest.mark.parametrize(
        ("parts", "phrases"),
        [
            ({"balls": [TWO, Ball(position=(1, 1))], "links": [Link(between=(0, 1), stiffness=1)]}, ["links"]),
            (
                {
                    "balls": [THREE] * 3,
                    "triangles": [(0, 1, 2)],
                    "bends": [{"corner": (0, 1, 2), "stiffness": 1, "angle": 1}],
                },
                ["bending", "triangles"],
            ),
            ({"drag": 0.1}, ["drag"]),
            ({"drag": Drag(quadratic=0.1)}, ["drag"]),
            ({"attraction": Attraction()}, ["attraction between balls"]),
            ({"friction": 0.1}, ["friction"]),
            ({"friction": Friction(pairs=[FrictionPair(materials=("a", "b"), value=0.1)])}, ["friction"]),
            ({"balls": [Ball(position=(0, 0), born=1)]}, ["births"]),
            (
                {"obstacles": [HalfSpace(point=(0, 0), normal=(0, 1)), TRIANGLE, Block(low=(0, 0), high=(1, 1))]},
                ["the half-space of obstacle 0", "the block of obstacle 2"],
            ),
            (
                {"boundary": Cylinder(centre=(0, 0), radius=1), "obstacles": [TRIANGLE]},
                ["the cylinder of the boundary", "the polygon of obstacle 0 in three dimensions"],
            ),
            (
                {"boundary": TRIANGLE, "obstacles": [Wedge(slope=1, intercept=0, x=(0, 1), bottom=0)]},
                ["the wedge of obstacle 0"],
            ),
        ],
        ids=lambda value: str(value)[:60],
    )
    def test_what_it_cannot_do(self, parts, phrases):
        assert Scene(**parts).forces_needed == phrases


def test_immutable():
    scene = Scene(balls=[TWO])
    assert lines(lambda: setattr(scene, "gravity", (0, 1)))[0].startswith("gravity: cannot be changed in place.")
    with pytest.raises(ValueError, match="read-only"):
        scene.balls.position[0, 0] = 1.0


def test_copies_and_pickles_are_equal():
    scene = Scene(boundary=TRIANGLE, balls=[TWO], restitution=0.5, gravity=(0, -1))
    assert pickle.loads(pickle.dumps(scene)) == scene
    assert copy.deepcopy(scene) is scene
    cloth = pickle.loads(pickle.dumps(Scene(balls=[THREE] * 4, triangles=[(0, 1, 2)])))
    assert not cloth.triangles.flags.writeable


def test_describing_a_scene_compiles_nothing():
    code = "import sys, carom.scene, carom.scene.io.files, carom.scene.placement.check; print('numba' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
