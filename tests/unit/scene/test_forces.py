"""A planet, attraction and drag."""

import pytest

from carom.errors import SceneError
from carom.scene import Attraction, Ball, Drag, Planet, Scene
from carom.scene.io.files import dumps, loads


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


@pytest.mark.requirement("S-02")
def test_the_earth_if_nothing_is_given():
    earth = Planet()
    assert (earth.G, earth.M, earth.R) == (6.67430e-11, 5.9722e24, 6.371e6)
    assert earth.g == pytest.approx(6.67430e-11 * 5.9722e24 / 6.371e6**2, rel=1e-15)
    assert round(earth.g, 2) == 9.82


@pytest.mark.requirement("S-02")
def test_each_of_the_three_can_be_changed():
    assert Planet(G=1, M=8, R=2).g == 2.0
    assert Planet(M=0).vector(2) == (0.0, 0.0)
    assert Planet(G=1, M=8, R=2).vector(3) == (0.0, -2.0, 0.0)
    assert str(Planet(M=0).vector(2)[1]) == "0.0"


@pytest.mark.parametrize(
    ("down", "gravity"),
    [("-y", (0.0, -2.0, 0.0)), ("y", (0.0, 2.0, 0.0)), ("x", (2.0, 0.0, 0.0)), ("-z", (0.0, 0.0, -2.0))],
)
def test_a_planet_pulls_along_down_and_a_file_keeps_it(down, gravity):
    scene = Scene(gravity=Planet(G=1, M=8, R=2, down=down), balls=[Ball(position=(0, 0, 0))])
    assert scene.gravity == gravity
    assert loads(dumps(scene)) == scene
    assert loads(dumps(scene)).planet.down == down


def test_drag_as_it_may_be_given():
    assert Scene().drag is None
    assert Scene(drag=0.5).drag == Drag(linear=0.5)
    assert Scene(drag={"quadratic": 0.5}).drag == Drag(quadratic=0.5)
    assert Scene(drag=Drag(linear=1)).replace(drag=None).drag is None


def test_attraction_as_it_may_be_given():
    assert Scene().attraction is None
    attraction = Scene(attraction={}).attraction
    assert attraction == Attraction(G=6.67430e-11, softening=0.0, touch="pass", opening=None)
    assert Attraction(opening=0).opening == 0.0


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ({"gravity": {"g": 9.81}}, "gravity.g: unknown key (with the value 9.81). Known keys: G, M, R, down."),
        (
            {"gravity": {"down": "up"}},
            "gravity.down: 'up' is not a choice here. Known choices: -x, x, -y, y, -z, z.",
        ),
        (
            {"gravity": {"down": "z"}, "balls": [Ball(position=(0, 0))]},
            "gravity.down: has 3 dimensions, but balls has 2. In the plane, use x or y.",
        ),
        ({"gravity": {"M": -1}}, "gravity.M: -1 is negative. Use 0 or a number above."),
        ({"gravity": {"R": 0}}, "gravity.R: 0 is not positive. Use a number above 0."),
        (
            {"gravity": {"M": 1e150, "R": 1e-150}},
            "gravity: G M / R² is inf m/s², which is beyond 1e+150. Use a smaller G or M, or a larger R.",
        ),
        ({"drag": -1}, "drag: -1 is negative. Use 0 or a number above."),
        ({"drag": "1"}, "drag: '1' is a text, not a number. Write the number without quotes."),
        ({"drag": {"quadratic": -1}}, "drag.quadratic: -1 is negative. Use 0 or a number above."),
        ({"drag": {"square": 1}}, "drag.square: unknown key (with the value 1). Known keys: linear, quadratic."),
        ({"attraction": 1}, "attraction: 1 is not a table. Write a table of: G, softening, touch, opening, strict."),
        ({"attraction": {"G": -1}}, "attraction.G: -1 is negative. Use 0 or a number above."),
        ({"attraction": {"touch": "bonce"}}, "attraction.touch: 'bonce' is not a choice here. Did you mean 'bounce'?"),
        (
            {"attraction": {"touch": 3}},
            "attraction.touch: 3 is not a choice here. Known choices: pass, bounce, merge.",
        ),
        (
            {"attraction": {"opening": 3}},
            "attraction.opening: 3 is not between 0 and 2. Use 0 (each pair by itself) to 2 (coarse).",
        ),
        ({"attraction": {"softening": -1}}, "attraction.softening: -1 is negative. Use 0 or a number above."),
    ],
    ids=str,
)
def test_a_mistake_is_one_clear_line(parts, line):
    assert lines(lambda: Scene(**parts)) == [line]
