"""Friction: static and dynamic, per scene, per kind of contact, per pair of materials."""

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import Coulomb, Friction, FrictionPair, Scene


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def test_as_it_may_be_given():
    assert Scene().friction == Friction(ball_ball=0, ball_wall=0)
    assert Scene(friction=0.5).friction == Friction(ball_ball=0.5, ball_wall=0.5)
    assert Scene(friction={"ball_wall": 0.5}).friction == Friction(ball_wall=0.5)
    both = Coulomb(static=0.5, dynamic=0.4)
    assert Scene(friction=both).friction == Scene(friction={"static": 0.5, "dynamic": 0.4}).friction
    assert Scene(friction=both).friction.ball_wall == both
    assert Friction(ball_ball=0.3).ball_ball == Coulomb(static=0.3, dynamic=0.3)
    assert Friction(ball_ball=2.5).ball_ball.static == 2.5  # above 1 there is: rubber


def test_is_there_any():
    assert Friction().none
    assert Friction(pairs=[FrictionPair(materials=("a", "b"), value=0)]).none
    assert not Friction(ball_wall=Coulomb(static=0.1, dynamic=0)).none


def test_the_tables():
    friction = Friction(
        ball_ball=0.1,
        ball_wall=Coulomb(static=0.3, dynamic=0.2),
        pairs=[
            FrictionPair(materials=("steel", "felt"), value=Coulomb(static=0.6, dynamic=0.5)),
            {"materials": ["ivory", "steel"], "value": 0.4},
        ],
    )
    (static, dynamic), (wall_static, wall_dynamic) = friction.table(("ivory", "steel"), ("wall", "felt"))
    assert static.tolist() == dynamic.tolist() == [[0.1, 0.4], [0.4, 0.1]]
    assert wall_static.tolist() == [[0.3, 0.3], [0.3, 0.6]]
    assert wall_dynamic.tolist() == [[0.2, 0.2], [0.2, 0.5]]
    assert static.dtype == wall_dynamic.dtype == np.float64
    (static, _), (wall_static, _) = friction.table((), ("wall",))
    assert (static.shape, wall_static.shape) == ((0, 0), (0, 1))


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("value", "line"),
    [
        (-0.1, "friction: -0.1 is negative. Use 0 or a number above."),
        (True, "friction: True is a boolean, not a number. Write a number."),
        (float("nan"), "friction: nan is not finite. Write a finite number."),
        ({"ball_wall": -1}, "friction.ball_wall: -1 is negative. Use 0 or a number above."),
        ({"ball_wal": 1}, "friction.ball_wal: unknown key (with the value 1). Did you mean 'ball_wall'?"),
        (
            {"static": 1},
            "friction.dynamic: is missing. Add it: friction of sliding bodies, as a part of the normal force.",
        ),
        (
            {"ball_wall": {"static": 0.1, "dynamic": 0.2}},
            (
                "friction.ball_wall.static: 0.1 is below the dynamic coefficient, 0.2. "
                "Use a static coefficient that is the same or larger."
            ),
        ),
        (
            {"pairs": [{"materials": ["a", "b"], "value": 0}, {"materials": ["b", "a"], "value": 1}]},
            "friction.pairs[1]: ('b', 'a') has a value already, in pairs[0]. Keep one of them.",
        ),
        ({"pairs": [3]}, "friction.pairs[0]: 3 is not a table. Write a table of: materials, value."),
    ],
    ids=str,
)
def test_a_mistake_is_one_clear_line(value, line):
    assert lines(lambda: Scene(friction=value)) == [line]
