"""Where balls may stand: every sort of bad place gets one clear line."""

import math
from time import perf_counter

import numpy as np
import pytest

from carom.scene import Ball, Balls, Box, Circle, Polygon, Scene
from carom.scene.placement.check import problems

BOX = Box(size=(1, 2))
ROUND = Circle(centre=(1, 1), radius=2)
L_SHAPE = Polygon(vertices=[(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)])
PLATE = Polygon(vertices=[(1, 1), (2, 1), (2, 2), (1, 2)])


def ball(*position, radius=0.1, **more):
    return Ball(position=position, radius=radius, **more)


def lines(*balls, **parts):
    return [str(problem) for problem in problems(Scene(balls=list(balls), **parts))]


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("balls", "parts", "line"),
    [
        (
            [ball(0, 0, radius=0.01), ball(0.018, 0, radius=0.01)],
            {},
            "balls 0 and 1 overlap: centres 0.018 m apart, radii add up to 0.02 m. Move them apart or shrink them.",
        ),
        (
            [ball(0.05, 0.5), ball(0.95, 0.5)],
            {"boundary": Box(size=(1, 2), periodic=True)},
            "balls 0 and 1 overlap: centres 0.1 m apart, radii add up to 0.2 m. Move them apart or shrink them.",
        ),
        (
            [ball(0.05, 1)],
            {"boundary": BOX},
            "ball 0 is across wall x-: centre 0.05 m from it, radius 0.1 m. Move the ball inward or shrink it.",
        ),
        (
            [ball(0.5, 1.95)],
            {"boundary": BOX},
            "ball 0 is across wall y+: centre 0.05 m from it, radius 0.1 m. Move the ball inward or shrink it.",
        ),
        (
            [ball(0.5, 2.5)],
            {"boundary": BOX},
            "ball 0 is outside: its centre is 0.5 m beyond wall y+. Move the ball inward.",
        ),
        (
            [ball(0.5, 0.5, -3)],
            {"boundary": Box(size=(1, 1, 1))},
            "ball 0 is outside: its centre is 3 m beyond wall z-. Move the ball inward.",
        ),
        (
            [ball(1.5, 1)],
            {"boundary": Box(size=(1, 2), periodic=True)},
            (
                "ball 0 is outside the box: x = 1.5 m, and the period is 1 m. "
                "Move it to where x is between 0 and the period."
            ),
        ),
        (
            [ball(0.5, 1, radius=0.6)],
            {"boundary": Box(size=(1, 2), periodic=(True, True))},
            "ball 0 meets its own image: diameter 1.2 m, period 1 m along x. Shrink the ball or enlarge the box.",
        ),
        (
            [ball(2.95, 1)],
            {"boundary": ROUND},
            "ball 0 is across the circle: centre 0.05 m from it, radius 0.1 m. Move the ball inward or shrink it.",
        ),
        (
            [ball(4, 1)],
            {"boundary": ROUND},
            "ball 0 is outside: its centre is 1 m beyond the circle. Move the ball inward.",
        ),
        (
            [ball(0, 0, 0.95)],
            {"boundary": Circle(centre=(0, 0, 0), radius=1)},
            "ball 0 is across the circle: centre 0.05 m from it, radius 0.1 m. Move the ball inward or shrink it.",
        ),
        (
            [ball(3, 3)],
            {"boundary": L_SHAPE},
            "ball 0 is outside the polygon: its centre is at (3, 3) m. Move the ball inside.",
        ),
        (
            [ball(100, 1)],
            {"boundary": L_SHAPE},
            "ball 0 is outside the polygon: its centre is at (100, 1) m. Move the ball inside.",
        ),
        (
            [ball(3, 1.95)],
            {"boundary": L_SHAPE},
            (
                "ball 0 is across edge 2 of the polygon: centre 0.05 m from it, radius 0.1 m. "
                "Move the ball inward or shrink it."
            ),
        ),
        (
            [ball(1.5, 1.5)],
            {"obstacles": [ROUND.replace(centre=(9, 9)), PLATE]},
            "ball 0 is inside obstacle 1. Move the ball out of it.",
        ),
        (
            [ball(2.05, 1.5)],
            {"obstacles": [PLATE]},
            "ball 0 overlaps obstacle 0: centre 0.05 m from edge 1, radius 0.1 m. Move the ball away or shrink it.",
        ),
        (
            [ball(0.03, 1.5)],
            {"obstacles": [PLATE], "boundary": Box(size=(2, 3), periodic=True)},
            "ball 0 overlaps obstacle 0: centre 0.03 m from edge 1, radius 0.1 m. Move the ball away or shrink it.",
        ),
        (
            [ball(0, 3.05)],
            {"obstacles": [Circle(centre=(0, 0), radius=3)]},
            "ball 0 overlaps obstacle 0: centres 3.05 m apart, radii add up to 3.1 m. Move the ball away or shrink it.",
        ),
        (
            [ball(0, 0, 0)],
            {"obstacles": [Circle(centre=(0, 0, 1), radius=3)]},
            "ball 0 overlaps obstacle 0: centres 1 m apart, radii add up to 3.1 m. Move the ball away or shrink it.",
        ),
        (
            [ball(0.5, 0.5)],
            {"boundary": L_SHAPE.replace(holes=[[(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)]])},
            "ball 0 is inside hole 0. Move the ball out of it.",
        ),
        (
            [ball(0.5, 0.5)],
            {
                "boundary": L_SHAPE.replace(
                    holes=[
                        PLATE.replace(vertices=[(3, 0.5), (3.5, 0.5), (3, 1)]),
                        Circle(centre=(0.6, 0.5), radius=0.1),
                    ]
                )
            },
            "ball 0 overlaps hole 1: centres 0.1 m apart, radii add up to 0.2 m. Move the ball away or shrink it.",
        ),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_a_bad_place_is_one_clear_line(balls, parts, line):
    assert lines(*balls, **parts) == [line]


@pytest.mark.parametrize(
    ("balls", "parts"),
    [
        ([ball(0.1, 0.1), ball(0.3, 0.1), ball(0.9, 1.9)], {"boundary": BOX}),
        ([ball(0.3, 0.3), ball(0.3 + 0.2 * math.cos(1), 0.3 + 0.2 * math.sin(1))], {}),
        ([ball(0, 0), ball(0.8, 0)], {"boundary": Box(size=(1, 2), periodic=True)}),
        ([ball(1, 2)], {"boundary": Box(size=(1, 2), periodic=True)}),
        ([ball(0.5, 0.5, radius=0.5)], {"boundary": Box(size=(1, 2), periodic=True)}),
        ([ball(1 + 1.9 * math.cos(2), 1 + 1.9 * math.sin(2))], {"boundary": ROUND}),
        ([ball(0.1, 0.1), ball(2.1, 1.9), ball(1.9, 3.9)], {"boundary": L_SHAPE}),
        ([ball(2.1, 1.5), ball(2 + 0.1 * math.cos(1), 2 + 0.1 * math.sin(1))], {"obstacles": [PLATE]}),
        ([ball(0, 0, radius=0), ball(0, 0, radius=0)], {}),
        ([ball(0, 1, radius=0), ball(1, 2, radius=0)], {"boundary": BOX}),
        ([ball(2, 3, radius=0), ball(4, 1, radius=0)], {"boundary": L_SHAPE}),
        ([ball(1, 1.3, radius=0)], {"obstacles": [PLATE]}),
        ([], {"boundary": L_SHAPE, "obstacles": [PLATE]}),
    ],
)
def test_touching_is_fine(balls, parts):
    assert lines(*balls, **parts) == []


def test_rounding_is_not_an_overlap():
    """Decimal numbers that touch are meant to touch, near the origin and far from it."""
    for step in (0.1, 0.3, 1 / 3):
        for start in (0.0, 0.7, 1e6, 1e9):
            row = Balls(position=[(start + 2 * step * i, 0) for i in range(50)], radius=step)
            assert problems(Scene(balls=row)) == []


@pytest.mark.parametrize("far", [1e6, 1e9])
@pytest.mark.parametrize("radius", [0.1, 0.2, 0.3, 0.7, 1 / 3])
def test_rounding_is_not_a_wall_crossed(far, radius):
    """Far from the origin a place is rounded more coarsely than the tolerance of a small ball, up or down."""
    square = Polygon(vertices=[(far, far), (far + 9, far), (far + 9, far + 9), (far, far + 9)])
    for place in [(far + radius, far + 4), (far + 9 - radius, far + 4), (far + 4, far + 9 - radius)]:
        assert lines(ball(*place, radius=radius), boundary=square) == []
        assert lines(ball(*place, radius=radius), boundary=Box(size=(far + 9, far + 9))) == []


def test_fixed_balls_may_overlap_walls_and_each_other_but_not_movers():
    pegs = [ball(0, 0.5, fixed=True), ball(0.05, 0.5, fixed=True), ball(-5, 1, fixed=True)]
    assert lines(*pegs, boundary=BOX) == []
    assert lines(*pegs, boundary=L_SHAPE, obstacles=[Circle(centre=(0, 0), radius=1)]) == []
    assert lines(*pegs, ball(0.2, 0.5), boundary=BOX) == [
        "balls 1 and 3 overlap: centres 0.15 m apart, radii add up to 0.2 m. Move them apart or shrink them."
    ]


def test_a_stadium_holds_balls_in_its_arcs():
    stadium = Polygon(vertices=[(0, 0), (2, 0), (2, 1), (0, 1)], bulges=[0, 1, 0, 1])
    assert lines(ball(2.4, 0.5), ball(-0.4, 0.5), ball(2, 0.5), ball(0, 0.1), boundary=stadium) == []
    (line,) = lines(ball(2.45, 0.5), boundary=stadium)
    assert line.startswith("ball 0 is across edge 1 of the polygon: centre 0.05 m from it")
    (line,) = lines(ball(2.4, 0.9), boundary=stadium)
    assert line.startswith("ball 0 is outside the polygon")


def test_a_dent_keeps_balls_out():
    dented = Polygon(vertices=[(0, 0), (4, 0), (4, 4), (0, 4)], bulges=[0, -0.5, 0, 0])
    assert lines(ball(3.5, 0.3), ball(2.9, 2), boundary=dented) == []
    (line,) = lines(ball(3.5, 2), boundary=dented)
    assert line.startswith("ball 0 is outside the polygon")
    (line,) = lines(ball(2.95, 2), boundary=dented)
    assert line.startswith("ball 0 is across edge 1 of the polygon: centre 0.05 m")


def test_twenty_lines_and_how_many_more():
    crowd = problems(
        Scene(boundary=Box(size=(1, 1)), balls=Balls(position=[(-1 - 3 * i, 0.5) for i in range(50)], radius=0.1))
    )
    assert len(crowd) == 21
    assert str(crowd[-1]) == "... and 30 more. Mend these first, then check again."


def test_a_hopeless_crowd_is_told_as_such():
    found = problems(Scene(balls=Balls(position=np.zeros((10_000, 2)), radius=1)))
    assert len(found) == 21
    assert "... and at least" in str(found[-1])


@pytest.mark.requirement("T-14")
@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e3, 1e100])
def test_any_scale(scale):
    def found(gap):
        balls = Balls(
            position=np.array([[1, 1], [2 + gap, 1], [1, 3 + gap]]) * scale, radius=np.array([0.5, 0.5, 1.5]) * scale
        )
        return problems(Scene(balls=balls, boundary=Box(size=(10 * scale, 10 * scale), periodic=(False, True))))

    # Ball 2 is half a unit through the wall x-, at any scale.
    assert [problem.what[:25] for problem in found(1e-3)] == ["ball 2 is across wall x-:"]
    assert [problem.what[:25] for problem in found(-1e-3)] == [
        "ball 2 is across wall x-:",
        "balls 0 and 1 overlap: ce",
        "balls 0 and 2 overlap: ce",
    ]


@pytest.mark.parametrize("ratio", [1, 100])
def test_hundred_thousand_balls_take_a_moment(ratio):
    """A lattice of small balls, and a few large ones in clearings."""
    side = 316
    position = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2) + 0.5
    large = np.array([(80.0, 80.0), (230.0, 80.0), (80.0, 230.0)])
    clear = (np.hypot(*(position[:, None] - large).transpose(2, 0, 1)) > 0.5 * ratio + 0.5).all(axis=1)
    balls = Balls(
        position=np.concatenate([position[clear], large]),
        radius=np.concatenate([np.full(clear.sum(), 0.5), np.full(3, 0.5 * ratio)]),
    )
    start = perf_counter()
    assert problems(Scene(boundary=Box(size=(side, side), periodic=(True, False)), balls=balls)) == []
    assert perf_counter() - start < 3.0  # 0.1 s on an idle machine; all pairs one by one would take minutes
