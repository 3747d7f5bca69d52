"""Balls: one at a time and in columns."""

import copy
import pickle
from fractions import Fraction
from time import perf_counter

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import Ball, Balls, Materials


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


class TestBall:
    def test_defaults(self):
        ball = Ball(position=(1, 2))
        assert (ball.position, ball.velocity) == ((1.0, 2.0), (0.0, 0.0))
        assert (ball.mass, ball.radius, ball.fixed, ball.material, ball.name) == (1.0, 0.0, False, "ball", None)
        assert ball.born == 0.0
        assert ball.dimension == 2

    def test_three_dimensions(self):
        ball = Ball(position=[1, 2, 3])
        assert ball.dimension == 3
        assert ball.velocity == (0.0, 0.0, 0.0)

    def test_numpy_and_other_numbers_are_numbers(self):
        ball = Ball(position=np.array([1, 2], dtype=np.int32), mass=np.float32(0.5), radius=Fraction(1, 4))
        assert (ball.position, ball.mass, ball.radius) == ((1.0, 2.0), 0.5, 0.25)
        assert type(ball.mass) is float

    @pytest.mark.requirement("T-14")
    def test_any_scale(self):
        assert Ball(position=(1e-9, 2e-9), radius=1e-10, mass=1e-27).radius == 1e-10
        assert Ball(position=(1e21, 2e21), radius=1e9, mass=1e40).radius == 1e9

    @pytest.mark.requirement("T-05")
    @pytest.mark.parametrize(
        ("fields", "line"),
        [
            ({"position": (1,)}, "position: (1,) has 1 component. Write two or three numbers."),
            ({"position": 1.0}, "position: 1.0 is not a list. Write a list of numbers."),
            ({"position": "12"}, "position: '12' is not a list. Write a list of numbers."),
            ({"position": (1, "2")}, "position[1]: '2' is a text, not a number. Write the number without quotes."),
            ({"position": (1, None)}, "position[1]: None is not a number. Write a single number."),
            ({"position": (1, True)}, "position[1]: True is a boolean, not a number. Write a number."),
            ({"position": (1, float("nan"))}, "position[1]: nan is not finite. Write a finite number."),
            ({"velocity": (0, float("-inf"))}, "velocity[1]: -inf is not finite. Write a finite number."),
            (
                {"velocity": (0, 2e150)},
                "velocity[1]: 2e+150 is beyond 1e+150. Use numbers up to 1e+150, for squares must not overflow.",
            ),
            (
                {"velocity": (1, 2, 3)},
                (
                    "velocity: (1.0, 2.0, 3.0) has 3 components, but position has 2. "
                    "Give both the same number of components."
                ),
            ),
            ({"mass": -1}, "mass: -1 is not positive. Use a number above 0."),
            ({"mass": 0.0}, "mass: 0.0 is not positive. Use a number above 0."),
            ({"mass": True}, "mass: True is a boolean, not a number. Write a number."),
            (
                {"mass": float("inf")},
                "mass: inf is not finite. Use a finite mass; a ball that nothing moves is spelled fixed = true.",
            ),
            ({"mass": 1e-200}, "mass: 1e-200 is too small. Use 1e-150 and more, for squares must not vanish."),
            ({"radius": -0.5}, "radius: -0.5 is negative. Use 0 or a number above."),
            (
                {"radius": 1e-200},
                "radius: 1e-200 is too small. Use 0, or 1e-150 and more, for squares must not vanish.",
            ),
            ({"fixed": 1}, "fixed: 1 is not true or false. Write true or false, without quotes."),
            ({"fixed": "yes"}, "fixed: 'yes' is not true or false. Write true or false, without quotes."),
            (
                {"fixed": True, "velocity": (1, 0)},
                (
                    "velocity: (1.0, 0.0) is the velocity of a fixed ball. "
                    "Leave the velocity out, or let the ball move (fixed = false)."
                ),
            ),
            ({"material": ""}, "material: the name is empty. Write a name, in quotes."),
            ({"material": 3}, "material: 3 is not a text. Write a name, in quotes."),
            ({"name": 3}, "name: 3 is not a text. Write a text, in quotes."),
            ({"born": -1}, "born: -1 is negative. Use 0 or a number above."),
            ({"raduis": 0.1}, "raduis: unknown key (with the value 0.1). Did you mean 'radius'?"),
            (
                {"zzz": 0.1},
                (
                    "zzz: unknown key (with the value 0.1). "
                    "Known keys: position, velocity, mass, radius, fixed, material, name, born."
                ),
            ),
        ],
        ids=str,
    )
    def test_a_mistake_is_one_clear_line(self, fields, line):
        assert lines(lambda: Ball(**{"position": (0, 0), **fields})) == [line]

    @pytest.mark.requirement("T-05")
    def test_an_integer_beyond_all_floats(self):
        (line,) = lines(lambda: Ball(position=(0, 10**400)))
        assert line.startswith("position[1]: 1000000")
        assert "is beyond 1e+150" in line

    def test_an_integer_too_long_to_write(self):
        (line,) = lines(lambda: Ball(position=(0, 10**5000)))
        assert line.startswith("position[1]: a number of thousands of digits is beyond 1e+150.")

    def test_every_mistake_is_named(self):
        assert lines(lambda: Ball(mass=-1, radius=-1)) == [
            "position: is missing. Add it: place of the centre, in m, two or three numbers.",
            "mass: -1 is not positive. Use a number above 0.",
            "radius: -1 is negative. Use 0 or a number above.",
        ]

    def test_immutable(self):
        ball = Ball(position=(0, 0))
        (line,) = lines(lambda: setattr(ball, "mass", 2.0))
        assert line == "mass: cannot be changed in place. Make a changed copy with replace(mass=...)."

    def test_replace_checks(self):
        ball = Ball(position=(0, 0), radius=1.0)
        assert ball.replace(mass=2.0) == Ball(position=(0, 0), radius=1.0, mass=2.0)
        assert lines(lambda: ball.replace(mass=-2.0)) == ["mass: -2.0 is not positive. Use a number above 0."]

    def test_model_validate_complains_in_our_words(self):
        assert lines(lambda: Ball.model_validate({"position": (0, 0), "mass": -1})) == [
            "mass: -1 is not positive. Use a number above 0."
        ]


class TestBalls:
    def test_scalars_are_for_all(self):
        balls = Balls(position=[[0, 0], [1, 1], [2, 2]], velocity=(1, 2), mass=2, radius=0.1, material="steel")
        assert len(balls) == 3
        assert balls.velocity.tolist() == [[1, 2]] * 3
        assert balls.mass.tolist() == [2, 2, 2]
        assert balls.radius.tolist() == [0.1] * 3
        assert balls.fixed.tolist() == [False] * 3
        assert balls.material.names == ("steel",)
        assert balls.material.codes.tolist() == [0, 0, 0]
        assert balls.name is None

    def test_columns_are_read_only_contiguous_copies(self):
        position = np.asfortranarray(np.arange(6.0).reshape(3, 2))
        balls = Balls(position=position, fixed=[True, False, False])
        position[0, 0] = 99.0
        for column in (balls.position, balls.velocity, balls.mass, balls.radius, balls.fixed, balls.material.codes):
            assert not column.flags.writeable
            assert column.flags.c_contiguous
        assert balls.position[0, 0] == 0.0
        assert balls.position.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            balls.mass[0] = 3.0

    def test_one_of_them_is_a_ball(self):
        balls = Balls(
            position=[[0, 0], [1, 1]],
            velocity=[[0, 0], [3, 4]],
            mass=[1, 2],
            radius=[0, 0.5],
            fixed=[True, False],
            material=["peg", "steel"],
            name=["a", None],
        )
        last = Ball(position=(1, 1), velocity=(3, 4), mass=2, radius=0.5, material="steel")
        assert balls[1] == balls[-1] == balls[np.int64(1)] == last
        assert balls[0] == Ball(position=(0, 0), fixed=True, material="peg", name="a")
        assert list(balls) == [balls[0], balls[1]]
        with pytest.raises(IndexError):
            balls[2]

    def test_some_of_them_are_balls(self):
        balls = Balls(position=[[0, 0], [1, 1], [2, 2]], material=["a", "b", "c"], name=["x", "y", "z"])
        assert list(balls[1:]) == [balls[1], balls[2]]
        assert balls[np.array([True, False, True])] == balls[[0, 2]]
        assert balls[1:].material.names == ("b", "c")
        assert len(balls[:0]) == 0

    def test_equality(self):
        balls = Balls(position=[[0, 0], [1, 1]], material=["a", "b"])
        assert balls == Balls(position=[[0, 0], [1, 1]], material=Materials(("z", "b", "a"), np.array([2, 1])))
        assert balls != Balls(position=[[0, 0], [1, 1]], material=["a", "a"])
        assert balls != Balls(position=[[0, 0], [1, 2]], material=["a", "b"])
        assert balls != "balls"

    def test_copies_and_pickles_stay_read_only(self):
        balls = Balls(position=[[0, 0], [1, 1]], material=["a", "b"])
        for twin in (pickle.loads(pickle.dumps(balls)), copy.deepcopy(balls)):
            assert twin == balls
            assert not twin.position.flags.writeable
            assert not twin.material.codes.flags.writeable

    def test_empty(self):
        assert len(Balls(position=[])) == 0
        assert Balls(position=np.empty((0, 3)), velocity=(1, 2, 3)).dimension == 3

    def test_repr_is_short(self):
        assert repr(Balls(position=np.zeros((1000, 3)))) == "<Balls: 1000 in 3D>"

    def test_concatenate(self):
        one, many = Ball(position=(0, 0), material="a"), Balls(position=[[1, 1], [2, 2]], material="b", name=["x", "y"])
        joined = Balls.concatenate([one, many, one, one])
        assert list(joined) == [one, many[0], many[1], one, one]
        assert joined.material.names == ("a", "b")
        assert Balls.concatenate([many]) is many
        assert len(Balls.concatenate([])) == 0

    def test_times_of_birth(self):
        balls = Balls.concatenate([Ball(position=(0, 0), born=2), Balls(position=[[1, 1], [2, 2]], born=[0, 3])])
        assert balls.born.tolist() == [2, 0, 3]
        assert balls[2].born == 3.0
        assert balls[1:].born.tolist() == [0, 3]
        assert balls != balls.replace(born=0)
        assert not balls.born.flags.writeable

    def test_concatenate_needs_one_dimension(self):
        parts = [Ball(position=(0, 0)), Ball(position=(0, 0, 0))]
        assert lines(lambda: Balls.concatenate(parts)) == [
            "[1]: the ball has 3 dimensions, but the first has 2. Give all balls the same number of components."
        ]

    @pytest.mark.requirement("T-05")
    @pytest.mark.parametrize(
        ("fields", "line"),
        [
            ({"mass": [1, -2, 3, -4]}, "mass[1]: -2.0 is not positive (and 1 more). Use numbers above 0."),
            ({"mass": -2}, "mass: -2.0 is not positive. Use numbers above 0."),
            (
                {"mass": [1, 1e-200, 1, 1]},
                "mass[1]: 1e-200 is too small. Use 1e-150 and more, for squares must not vanish.",
            ),
            (
                {"mass": np.array([1, np.inf, 1, 1])},
                "mass[1]: inf is not finite. Use a finite mass; a ball that nothing moves is spelled fixed = true.",
            ),
            ({"mass": [1, 2]}, "mass: 2 values for 4 balls. Give one for all, or one for each ball."),
            (
                {"mass": np.ones((4, 1))},
                "mass: the array has the shape (4, 1). Give one for all, or one for each ball.",
            ),
            ({"mass": [1, True, 2, 3]}, "mass[1]: True is a boolean, not a number. Write a number."),
            ({"mass": ["1", 1, 2, 3]}, "mass[0]: '1' is a text, not a number. Write the number without quotes."),
            ({"mass": np.ones(4, bool)}, "mass[0]: True is a boolean, not a number. Write a number."),
            ({"mass": None}, "mass: None is not a number. Write a single number."),
            ({"radius": [0, 1, np.nan, np.nan]}, "radius[2]: nan is not finite (and 1 more). Use finite numbers."),
            ({"radius": [0, 1, -1, 2]}, "radius[2]: -1.0 is negative. Use 0 or numbers above."),
            (
                {"radius": 1e-160},
                "radius: 1e-160 is too small. Use 0, or 1e-150 and more, for squares must not vanish.",
            ),
            (
                {"velocity": [[0, 0], [0, 1e200], [0, 0], [0, 0]]},
                "velocity[1][1]: 1e+200 is beyond 1e+150. Use numbers up to 1e+150, for squares must not overflow.",
            ),
            (
                {"velocity": (1, 2, 3)},
                (
                    "velocity: the array has the shape (3,), but the positions have (4, 2). "
                    "Give one vector for all, or one for each ball."
                ),
            ),
            ({"fixed": [0, 1, 0, 0]}, "fixed: 0 is not true or false. Write true or false, without quotes."),
            (
                {"fixed": [False, True, True, False], "velocity": (1, 0)},
                (
                    "velocity[1]: (1.0, 0.0) is the velocity of a fixed ball (and 1 more). "
                    "Leave the velocity out, or let the ball move (fixed = false)."
                ),
            ),
            ({"material": ["a", "b"]}, "material: 2 values for 4 balls. Give one for all, or one for each ball."),
            (
                {"material": ["a", 2, "a", "a"]},
                "material[1]: 2 is not the name of a material. Write a name, in quotes.",
            ),
            (
                {"material": Materials(("a",), np.array([0, 0, 1, 0]))},
                "material: the codes do not number the 1 name. Use whole numbers from 0, one for each ball.",
            ),
            ({"name": ["a"]}, "name: 1 name for 4 balls. Give a name for each ball."),
            ({"name": "a"}, "name: 'a' is not a list. Give a list with a name for each ball."),
            ({"born": [0, 1, -1, 2]}, "born[2]: -1.0 is negative. Use 0 or numbers above."),
            ({"born": [1]}, "born: 1 value for 4 balls. Give one for all, or one for each ball."),
            ({"masses": 1}, "masses: unknown key (with the value 1). Did you mean 'mass'?"),
            (
                {"position": np.zeros(4)},
                "position: the array has the shape (4,). Give one row for each ball, of two or three numbers.",
            ),
            (
                {"position": [[0, 0], [0]]},
                "position: rows of different lengths. Give plain numbers, as many in each row.",
            ),
            ({"position": [[0, 0], [0, None]]}, "position[1][1]: None is not a number. Write a single number."),
        ],
        ids=str,
    )
    def test_a_mistake_is_one_clear_line(self, fields, line):
        assert lines(lambda: Balls(**{"position": np.zeros((4, 2)), **fields})) == [line]

    def test_a_million_balls_take_well_under_a_second(self):
        position = np.random.default_rng(1).random((1_000_000, 2))
        start = perf_counter()
        balls = Balls(position=position, velocity=position, mass=position[:, 0] + 1, radius=1e-4)
        assert perf_counter() - start < 2.0  # 0.1 s on an idle machine; a Python object a ball would take 10 s
        assert len(balls) == 1_000_000


def test_a_name_is_short_and_on_one_line() -> None:
    long = "a" * 101
    for names in ([None, long], [None, "two\nlines"], [None, "a\0b"], [None, "a\u2028b"]):
        with pytest.raises(SceneError, match=r"^name\[1\]: '"):
            Balls(position=[(0, 0), (1, 0)], name=names)
    with pytest.raises(SceneError, match=r"^material\[0\]: 'aaa.* has 101 letters\. Shorten it: a name"):
        Balls(position=[(0, 0)], material=Materials((long,), np.zeros(1, dtype=np.int32)))


def test_letters_of_every_script_are_taken() -> None:
    names = ["Kula", "Шар", "球", "كرة\u200f", "می\u200cخواهم", "👩\u200d🚀", "x" * 100]
    assert Balls(position=[(k, 0) for k in range(len(names))], name=names).name == tuple(names)
