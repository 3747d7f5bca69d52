"""Restitution: per scene, per kind of collision, per pair of materials."""

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import Pair, Restitution, Scene


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def test_one_number_is_for_all():
    assert Scene(restitution=0.5).restitution == Restitution(ball_ball=0.5, ball_wall=0.5)
    assert Scene().restitution == Restitution(ball_ball=1.0, ball_wall=1.0)
    assert Scene(restitution={"ball_wall": 0.5}).restitution == Restitution(ball_wall=0.5)


def test_the_table_of_pairs():
    restitution = Restitution(
        ball_ball=0.9,
        ball_wall=0.8,
        pairs=[
            Pair(materials=("steel", "felt"), value=0.3),
            {"materials": ["ivory", "steel"], "value": 0.6},
            Pair(materials=("ivory", "ivory"), value=0.7),
        ],
    )
    between, at_walls = restitution.table(("ivory", "steel"), ("wall", "felt", "steel"))
    assert between.tolist() == [[0.7, 0.6], [0.6, 0.9]]
    assert at_walls.tolist() == [[0.8, 0.8, 0.6], [0.8, 0.3, 0.8]]


def test_a_table_without_walls_or_balls():
    between, at_walls = Restitution().table((), ("wall",))
    assert between.shape == (0, 0)
    assert at_walls.shape == (0, 1)
    assert between.dtype == at_walls.dtype == np.float64


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("value", "line"),
    [
        (1.5, "restitution: 1.5 is not between 0 and 1. Use 0 (no rebound) to 1 (elastic)."),
        (-0.1, "restitution: -0.1 is not between 0 and 1. Use 0 (no rebound) to 1 (elastic)."),
        (True, "restitution: True is a boolean, not a number. Write a number."),
        ("1", "restitution: '1' is a text, not a number. Write the number without quotes."),
        (float("nan"), "restitution: nan is not finite. Write a finite number."),
        ({"ball_ball": 2}, "restitution.ball_ball: 2 is not between 0 and 1. Use 0 (no rebound) to 1 (elastic)."),
        ({"ball_bal": 1}, "restitution.ball_bal: unknown key (with the value 1). Did you mean 'ball_ball'?"),
        (
            {"pairs": [{"materials": ["a"], "value": 1}]},
            (
                "restitution.pairs[0].materials: ['a'] does not name two materials. "
                "Write two names; the same twice for like on like."
            ),
        ),
        (
            {"pairs": [{"materials": ["a", "b"]}]},
            "restitution.pairs[0].value: is missing. Add it: coefficient of restitution, 0 to 1.",
        ),
        (
            {"pairs": [{"materials": ["a", "b"], "value": 0}, {"materials": ["b", "a"], "value": 1}]},
            "restitution.pairs[1]: ('b', 'a') has a value already, in pairs[0]. Keep one of them.",
        ),
        ({"pairs": [3]}, "restitution.pairs[0]: 3 is not a table. Write a table of: materials, value."),
    ],
    ids=str,
)
def test_a_mistake_is_one_clear_line(value, line):
    assert lines(lambda: Scene(restitution=value)) == [line]
