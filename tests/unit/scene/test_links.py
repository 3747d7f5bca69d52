"""Links, bends and triangles: one at a time and in columns."""

import copy
import pickle
from math import pi
from time import perf_counter

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import Ball, Balls, Bend, Bends, Box, Link, Links, Scene

THREE = [Ball(position=(0, 0)), Ball(position=(3, 4)), Ball(position=(3, 0))]
SPACE = [Ball(position=(0, 0, 0)), Ball(position=(1, 0, 0)), Ball(position=(0, 1, 0)), Ball(position=(0, 0, 1))]


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


class TestLinks:
    def test_defaults(self):
        link = Link(between=(0, 1), stiffness=2)
        assert (link.between, link.stiffness, link.damping) == ((0, 1), 2.0, 0.0)
        assert (link.length, link.breaking) == (None, None)

    def test_columns(self):
        links = Links(between=[(0, 1), (1, 2)], stiffness=2, damping=[0, 1], breaking=[None, 0.5])
        assert len(links) == 2
        assert links.between.dtype == np.intp
        assert links.stiffness.tolist() == [2, 2]
        assert links.length.tolist() == [0, 0]
        assert links.breaking.tolist() == [np.inf, 0.5]
        assert links[1] == links[-1] == Link(between=(1, 2), stiffness=2, damping=1, breaking=0.5)
        assert list(links[[0]]) == [Link(between=(0, 1), stiffness=2)]
        assert links[links.damping > 0] == links[1:]
        assert repr(links) == "<Links: 2>"
        with pytest.raises(IndexError):
            links[2]

    def test_they_are_read_only_and_stay_so(self):
        links = Links(between=[(0, 1)], stiffness=2)
        for twin in (links, pickle.loads(pickle.dumps(links)), copy.deepcopy(links)):
            assert twin == links
            assert not any(getattr(twin, name).flags.writeable for name in Links.model_fields)

    def test_equality(self):
        links = Links(between=[(0, 1)], stiffness=2)
        assert links != Links(between=[(1, 0)], stiffness=2)
        assert links != links.replace(damping=1)
        assert links != "links"

    @pytest.mark.parametrize(
        "links",
        [
            [Link(between=(0, 1), stiffness=2), Link(between=(1, 2), stiffness=3, breaking=0.1)],
            Links(between=[(0, 1), (1, 2)], stiffness=[2, 3], breaking=[np.inf, 0.1]),
            [Links(between=[(0, 1)], stiffness=2), Links.none(), Link(between=(1, 2), stiffness=3, breaking=0.1)],
            [{"between": [0, 1], "stiffness": 2}, {"between": (1, 2), "stiffness": 3, "breaking": 0.1}],
            {"between": [[0, 1], [1, 2]], "stiffness": [2, 3], "breaking": [1e150, 0.1]},
        ],
        ids=["list", "columns", "mixed", "tables", "table of columns"],
    )
    def test_they_are_columns_however_they_come(self, links):
        scene = Scene(balls=THREE, links=links)
        assert scene.links == Links(between=[(0, 1), (1, 2)], stiffness=[2, 3], length=[5, 4], breaking=[np.inf, 0.1])

    def test_lengths_are_those_at_the_start_and_stay_so(self):
        scene = Scene(
            balls=THREE, links=[Link(between=(0, 1), stiffness=1), Link(between=(1, 2), stiffness=1, length=9)]
        )
        assert scene.links.length.tolist() == [5, 9]
        moved = scene.replace(balls=scene.balls.replace(position=scene.balls.position * 2))
        assert moved.links == scene.links

    def test_across_a_periodic_border_the_nearest_image_counts(self):
        box = Box(size=(10, 10), periodic=(True, False))
        balls = [Ball(position=(1, 1)), Ball(position=(9, 1)), Ball(position=(1, 9))]
        links = Links(between=[(0, 1), (0, 2)], stiffness=1)
        assert Scene(boundary=box, balls=balls, links=links).links.length.tolist() == [2, 8]

    def test_renumbered(self):
        links = Links(between=[(0, 1), (1, 2), (2, 3)], stiffness=[1, 2, 3])
        assert links.renumbered(np.arange(4) + 10).between.tolist() == [[10, 11], [11, 12], [12, 13]]
        assert links.renumbered(np.array([-1, 0, 1, 2])) == Links(between=[(0, 1), (1, 2)], stiffness=[2, 3])

    def test_a_million_take_well_under_a_second(self):
        between = np.stack([np.arange(1_000_000), np.arange(1, 1_000_001)], axis=1)
        position = np.random.default_rng(1).random((1_000_001, 3))
        balls = Balls(position=position)
        start = perf_counter()
        scene = Scene(balls=balls, links=Links(between=between, stiffness=1.0, damping=position[1:, 0]))
        assert perf_counter() - start < 4.0  # 0.3 s on an idle machine; a Python object a link would take 10 s
        assert len(scene.links) == 1_000_000

    @pytest.mark.requirement("T-05")
    @pytest.mark.parametrize(
        ("fields", "line"),
        [
            ({"between": (0, 0)}, "between: (0, 0) names ball 0 twice. Name two different balls."),
            ({"between": (0, -1)}, "between[1]: -1 is negative. Use 0 or a whole number above."),
            ({"between": (0, 1.5)}, "between[1]: 1.5 is not a whole number. Write a whole number, such as 3."),
            ({"between": (0, True)}, "between[1]: True is not a whole number. Write a whole number, such as 3."),
            ({"between": (0, "1")}, "between[1]: '1' is not a whole number. Write a whole number, such as 3."),
            (
                {"between": (0, 10**10)},
                "between[1]: 10000000000 is beyond 2147483647. Use a smaller number.",
            ),
            (
                {"between": (0, 1, 2)},
                "between: (0, 1, 2) names 3 balls. Name two of them, by their numbers.",
            ),
            ({"between": 3}, "between: 3 is not a list. Write a list of numbers of balls."),
            ({"stiffness": -1}, "stiffness: -1 is negative. Use 0 or a number above."),
            ({"damping": float("nan")}, "damping: nan is not finite. Write a finite number."),
            ({"length": 0}, "length: 0 is not positive. Use a number above 0."),
            ({"breaking": -0.1}, "breaking: -0.1 is not positive. Use a number above 0."),
            ({"lenght": 1}, "lenght: unknown key (with the value 1). Did you mean 'length'?"),
        ],
        ids=str,
    )
    def test_a_mistake_in_a_link(self, fields, line):
        assert lines(lambda: Link(**{"between": (0, 1), "stiffness": 1, **fields})) == [line]

    @pytest.mark.requirement("T-05")
    @pytest.mark.parametrize(
        ("fields", "line"),
        [
            ({"between": [(0, 1), (2, 2)]}, "between[1]: (2, 2) names ball 2 twice. Name two different balls."),
            (
                {"between": [(0, 1), (1, 0.5)]},
                "between[1][1]: 0.5 is not a whole number. Balls are numbered 0, 1, 2 and so on.",
            ),
            ({"between": [(0, 1), (1, np.nan)]}, "between[1][1]: nan is not finite. Use finite numbers."),
            ({"between": [(0, 1), (1, -2)]}, "between[1][1]: -2 is negative. Balls are numbered 0, 1, 2 and so on."),
            (
                {"between": [(0, 1), (1, -1e100)]},
                "between[1][1]: -1e+100 is beyond 2147483647. Balls are numbered 0, 1, 2 and so on.",
            ),
            (
                {"between": np.array([(0, 1), (1, 2**40)])},
                "between[1][1]: 1099511627776 is beyond 2147483647. Balls are numbered 0, 1, 2 and so on.",
            ),
            (
                {"between": [0, 1]},
                "between: the array has the shape (2,). Give one row for each link, of two numbers of balls.",
            ),
            ({"stiffness": [1, -1]}, "stiffness[1]: -1.0 is negative. Use 0 or numbers above."),
            ({"stiffness": [1, 2, 3]}, "stiffness: 3 values for 2 links. Give one for all, or one for each link."),
            (
                {"damping": np.ones((2, 1))},
                "damping: the array has the shape (2, 1). Give one for all, or one for each link.",
            ),
            ({"length": [1, np.nan]}, "length[1]: nan is not finite. Use finite numbers."),
            ({"length": -1}, "length: -1.0 is negative. Use 0 or numbers above."),
            ({"breaking": [0.1, 0]}, "breaking[1]: 0.0 is not positive. Use numbers above 0."),
            ({"breaking": [np.nan, 0.1]}, "breaking[0]: nan is not a number. Use numbers above 0."),
            ({"breaking": float("nan")}, "breaking: nan is not finite. Write a finite number."),
        ],
        ids=str,
    )
    def test_a_mistake_in_columns(self, fields, line):
        assert lines(lambda: Links(**{"between": [(0, 1), (1, 2)], "stiffness": 1, **fields})) == [line]


class TestBends:
    def test_angles_are_those_at_the_start(self):
        scene = Scene(
            balls=THREE, bends=[Bend(corner=(0, 2, 1), stiffness=2), Bend(corner=(0, 1, 2), stiffness=1, angle=1)]
        )
        assert scene.bends.angle == pytest.approx([pi / 2, 1.0], rel=1e-15)
        assert scene.bends[1] == Bend(corner=(0, 1, 2), stiffness=1, angle=1)

    def test_a_straight_line_is_pi(self):
        balls = Balls(position=[(0.1 * k, 0.3 * k, 0.7 * k) for k in range(5)])
        bends = Bends(corner=[(k, k + 1, k + 2) for k in range(3)], stiffness=1)
        assert Scene(balls=balls, bends=bends).bends.angle == pytest.approx([pi] * 3, abs=1e-15)
        assert Scene(balls=Balls(position=[(0, 0), (1, 0), (2, 0)]), bends=bends[:1]).bends.angle.tolist() == [pi]

    @pytest.mark.requirement("T-05")
    @pytest.mark.parametrize(
        ("bends", "line"),
        [
            (
                [{"corner": (0, 1, 0), "stiffness": 1}],
                "bends[0].corner: (0, 1, 0) names ball 0 twice. Name three different balls.",
            ),
            ([{"corner": (0, 1, 2), "stiffness": -1}], "bends[0].stiffness: -1 is negative. Use 0 or a number above."),
            (
                [{"corner": (0, 1, 2), "stiffness": 1, "angle": 4}],
                "bends[0].angle: 4 is beyond π. Use an angle above 0 and up to π, which is straight.",
            ),
            (
                [{"corner": (0, 1, 2), "stiffness": 1, "angle": 0}],
                "bends[0].angle: 0 is not positive. Use a number above 0.",
            ),
            (
                {"corner": [(0, 1, 2)], "stiffness": 1, "angle": 4},
                "bends.angle[0]: 4.0 is beyond π. Use angles above 0 and up to π, which is straight.",
            ),
            (
                {"corner": [(0, 1, 2)], "stiffness": [1, 2]},
                "bends.stiffness: 2 values for 1 bend. Give one for all, or one for each bend.",
            ),
            (
                [{"corner": (0, 1, 9), "stiffness": 1}],
                "bends.corner[0][2]: there is no ball 9 among 5 balls. Use numbers from 0 to 4.",
            ),
            (
                [{"corner": (0, 1, 2), "stiffness": 1}, {"corner": (0, 3, 1), "stiffness": 1}],
                (
                    "bends[1]: balls 0 and 3 are at the same place, which tells no angle. "
                    "Move them apart, or give the angle."
                ),
            ),
            (
                [{"corner": (1, 0, 4), "stiffness": 1}],
                (
                    "bends[0]: balls (1, 0, 4) are folded flat at the start, which has no direction. "
                    "Move one of them, or give the angle."
                ),
            ),
            (Bend(corner=(0, 1, 2), stiffness=1), "bends: is a single bend, not a list. Write a list: [Bend(...)]."),
        ],
        ids=str,
    )
    def test_a_mistake_is_one_clear_line(self, bends, line):
        balls = [*THREE, Ball(position=(0, 0)), Ball(position=(6, 8))]
        assert lines(lambda: Scene(balls=balls, bends=bends)) == [line]


class TestInAScene:
    @pytest.mark.requirement("T-05")
    @pytest.mark.parametrize(
        ("parts", "line"),
        [
            ({"links": 3}, "links: 3 is not a list of links. Write a list of links, or a table of columns."),
            (
                {"links": Link(between=(0, 1), stiffness=1)},
                "links: is a single link, not a list. Write a list: [Link(...)].",
            ),
            (
                {"links": [{"between": (0, 1)}]},
                "links[0].stiffness: is missing. Add it: force over stretch, in N/m.",
            ),
            (
                {"links": [{"between": (0, 1), "stiffness": 1}, {"between": (1, 4), "stiffness": 1}]},
                "links.between[1][1]: there is no ball 4 among 4 balls. Use numbers from 0 to 3.",
            ),
            (
                {"links": [{"between": (0, 1), "stiffness": 1}], "balls": []},
                "links.between[0][0]: there is no ball 0 (and 1 more) among 0 balls. Add balls, or leave it out.",
            ),
            (
                {"links": [{"between": (0, 1), "stiffness": 1}], "balls": [SPACE[0]] * 2},
                (
                    "links[0]: balls 0 and 1 are at the same place, which tells no length. "
                    "Move them apart, or give the length."
                ),
            ),
            (
                {"triangles": 3},
                "triangles: the array has the shape (). Give one row for each triangle, of three numbers of balls.",
            ),
            ({"triangles": [(0, 1, 1)]}, "triangles[0]: (0, 1, 1) names ball 1 twice. Name three different balls."),
            ({"triangles": [(0, 1, 7)]}, "triangles[0][2]: there is no ball 7 among 4 balls. Use numbers from 0 to 3."),
            (
                {"triangles": [(0, 1, 2)], "balls": THREE},
                (
                    "triangles: triangles need three dimensions, and the scene has 2. "
                    "Leave them out, or give the balls three components."
                ),
            ),
        ],
        ids=str,
    )
    def test_a_mistake_is_one_clear_line(self, parts, line):
        assert lines(lambda: Scene(**{"balls": SPACE, **parts})) == [line]

    def test_a_thousand_like_mistakes_are_not_a_thousand_lines(self):
        balls = Balls(position=np.zeros((1001, 2)))
        links = Links(between=[(k, k + 1) for k in range(1000)], stiffness=1)
        found = lines(lambda: Scene(balls=balls, links=links))
        assert len(found) == 21
        assert found[-1] == "... and 980 more. Mend these first, then check again."

    def test_triangles_are_read_only_numbers(self):
        triangles = Scene(balls=SPACE, triangles=[(0, 1, 2), (1, 2, 3)]).triangles
        assert triangles.shape == (2, 3)
        assert triangles.dtype == np.intp
        assert not triangles.flags.writeable
        assert Scene().triangles.shape == (0, 3)
