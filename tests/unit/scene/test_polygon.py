"""Polygons: simple outlines, arcs and holes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import SceneError
from carom.scene import Circle, Polygon

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def star(corners, seed=0):
    """A random outline that does not cross itself: corners at rising angles."""
    rng = np.random.default_rng(seed)
    angle = 2 * math.pi * (np.arange(corners) + 0.8 * rng.random(corners)) / corners
    radius = rng.uniform(0.5, 1.5, corners)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def test_a_polygon_as_given():
    polygon = Polygon(vertices=SQUARE)
    assert polygon.vertices == ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))
    assert polygon.bulges == (0.0,) * 4
    assert polygon.material == ("wall",) * 4
    assert polygon.holes == ()
    assert polygon.dimension == 2


def test_clockwise_is_turned_round_with_all_that_belongs_to_an_edge():
    """Edge k of the reversed polygon joins the same corners, with the same bulge and material, as one given."""
    given_corners, bulges, materials = [(0, 0), (0, 1), (2, 1), (3, 0)], [0.5, 0, -0.1, 0.25], list("abcd")
    polygon = Polygon(vertices=given_corners, bulges=bulges, material=materials)

    def edges(vertices, *columns):
        ends = [frozenset((tuple(map(float, vertices[k - 1])), tuple(map(float, vertices[k])))) for k in range(4)]
        return {end: values for end, *values in zip(ends, *(np.roll(c, 1).tolist() for c in columns), strict=True)}

    assert polygon.vertices == ((0.0, 0.0), (3.0, 0.0), (2.0, 1.0), (0.0, 1.0))
    assert edges(polygon.vertices, polygon.bulges, polygon.material) == edges(given_corners, bulges, materials)
    assert polygon.outline.area > 0


@given(st.integers(3, 30), st.integers(0, 1000), st.booleans())
def test_either_way_round_is_the_same_region(corners, seed, bulged):
    vertices = star(corners, seed)
    bulges = np.full(corners, 0.01) if bulged else np.zeros(corners)
    there, back = (Polygon(vertices=v, bulges=b) for v, b in ((vertices, bulges), (vertices[::-1], bulges[::-1])))
    assert there.outline.area == pytest.approx(back.outline.area)
    assert there.outline.area > 0


def test_a_stadium():
    stadium = Polygon(vertices=[(0, 0), (2, 0), (2, 1), (0, 1)], bulges=[0, 1, 0, 1])
    assert stadium.outline.area == pytest.approx(2 + math.pi / 4)
    assert stadium.outline.contains(np.array([[2.4, 0.5], [-0.4, 0.5], [2.0, 0.5], [2.6, 0.5]])).tolist() == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("corners", [2, 3, 4, 7])
def test_a_circle_of_arcs(corners):
    angle = 2 * math.pi * np.arange(corners) / corners
    vertices = np.stack([np.cos(angle), np.sin(angle)], axis=1) * 3.0
    round_one = Polygon(vertices=vertices, bulges=[math.tan(math.pi / 2 / corners)] * corners)
    assert round_one.outline.area == pytest.approx(9 * math.pi)


def test_an_arc_of_more_than_half_a_circle():
    keyhole = Polygon(vertices=[(0, 0), (1, 0), (1, 3), (0, 3)], bulges=[0, 0, 2.0, 0])
    assert keyhole.outline.contains(np.array([[0.5, 3.5], [1.1, 3.5]])).all()


def test_holes_as_lists_circles_and_tables():
    polygon = Polygon(
        vertices=SQUARE,
        material="felt",
        holes=[
            [(1, 1), (2, 1), (1, 2)],
            Circle(centre=(3, 3), radius=0.5),
            {"centre": (3, 1), "radius": 0.5, "material": "steel"},
            {"vertices": [(1, 3), (2, 3), (1, 3.5)], "bulges": [0, 0.1, 0]},
        ],
    )
    assert [type(hole).__name__ for hole in polygon.holes] == ["Polygon", "Circle", "Circle", "Polygon"]
    assert polygon.holes[0].material == ("felt",) * 3
    assert polygon.holes[2].material == "steel"


def test_many_corners_and_many_holes_are_fast_enough():
    angle = np.linspace(0, 2 * math.pi, 20_000, endpoint=False)
    assert len(Polygon(vertices=np.stack([np.cos(angle), np.sin(angle)], axis=1)).vertices) == 20_000
    assert len(Polygon(vertices=star(2_000)).vertices) == 2_000
    grid = [Circle(centre=(x + 0.5, y + 0.5), radius=0.4) for x in range(30) for y in range(30)]
    assert len(Polygon(vertices=[(0, 0), (30, 0), (30, 30), (0, 30)], holes=grid).holes) == 900


CROSSED = "Reorder or move the vertices so that the outline does not meet itself."


@pytest.mark.requirement("T-05", "B-02")
@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            {"vertices": [(0, 0), (1, 1), (1, 0), (0, 1)]},
            "vertices: edges 0 (from (0.0, 0.0) to (1.0, 1.0)) and 2 (from (1.0, 0.0) to (0.0, 1.0)) cross or touch. "
            + CROSSED,
        ),
        (  # a corner that touches an edge
            {"vertices": [(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]},
            "vertices: edges 0 (from (0.0, 0.0) to (4.0, 0.0)) and 2 (from (4.0, 4.0) to (2.0, 0.0)) cross or touch. "
            + CROSSED,
        ),
        (  # there and back on the same line
            {"vertices": [(0, 0), (4, 0), (2, 0), (2, 3)]},
            "vertices: edges 0 (from (0.0, 0.0) to (4.0, 0.0)) and 1 (from (4.0, 0.0) to (2.0, 0.0)) cross or touch. "
            + CROSSED,
        ),
        (  # an arc that bulges through the opposite wall
            {"vertices": [(0, 0), (4, 0), (4, 1), (0, 1)], "bulges": [-0.6, 0, 0, 0]},
            "vertices: edges 0 (from (0.0, 0.0) to (4.0, 0.0)) and 2 (from (4.0, 1.0) to (0.0, 1.0)) cross or touch. "
            + CROSSED,
        ),
        (  # arc against arc
            {"vertices": [(0, 0), (4, 0), (4, 3), (0, 3)], "bulges": [-1, 0, -1, 0]},
            "vertices: edges 0 (from (0.0, 0.0) to (4.0, 0.0)) and 2 (from (4.0, 3.0) to (0.0, 3.0)) cross or touch. "
            + CROSSED,
        ),
        (  # the same arc there and back
            {"vertices": [(0, 0), (1, 0)], "bulges": [1, -1]},
            "vertices: edges 0 (from (0.0, 0.0) to (1.0, 0.0)) and 1 (from (1.0, 0.0) to (0.0, 0.0)) cross or touch. "
            + CROSSED,
        ),
        ({"vertices": [(0, 0), (1, 0)]}, "vertices: 2 corners cannot bound a region. Give at least 3."),
        ({"vertices": [(0, 0)], "bulges": [1]}, "vertices: 1 corner cannot bound a region. Give at least 2."),
        (
            {"vertices": [(0, 0), (1, 0), (1, 0), (0, 1)]},
            "vertices[1]: (1.0, 0.0) is the same point as vertex 2. Leave one of them out.",
        ),
        (
            {"vertices": [(0, 0), (1, 0), (0, 1), (0, 0)]},
            "vertices[3]: (0.0, 0.0) is the same point as vertex 0. Leave it out; the outline closes by itself.",
        ),
        (
            {"vertices": [(0, 0), (1, 0), (1, 2, 3)]},
            "vertices[2]: (1, 2, 3) has 3 components. Write two numbers, x and y.",
        ),
        (
            {"vertices": [(0, 0), (1, 0), (1, "a")]},
            "vertices[2][1]: 'a' is a text, not a number. Write the number without quotes.",
        ),
        ({"vertices": [(0, 0), (1, 0), (1, math.nan)]}, "vertices[2][1]: nan is not finite. Write a finite number."),
        (
            {"vertices": np.random.default_rng(0).random((100_001, 2))},
            "vertices: 100001 corners are more than 100000. Leave corners out, or replace many by an arc (bulges).",
        ),
        ({"vertices": 3}, "vertices: 3 is not a list. Write a list of points."),
        ({"bulges": [1]}, "bulges: 1 value for 4 edges. Give one for all, or one for each edge."),
        ({"bulges": 1}, "bulges: 1 is not a list. Write a list of numbers."),
        (
            {"bulges": [1e-9, 0, 0, 0]},
            "bulges[0]: 1e-09 is no reasonable bulge. Use 0 for a straight edge, or from 1e-06 to 1e+06 in size.",
        ),
        ({"bulges": [math.inf, 0, 0, 0]}, "bulges[0]: inf is not finite. Write a finite number."),
        ({"material": ["a"]}, "material: 1 value for 4 edges. Give one for all, or one for each edge."),
        (
            {"holes": [[(1, 1), (5, 1), (1, 2)]]},
            "holes[0]: the hole meets edge 1 of the outline. Move the hole inside, or draw the dent in the outline.",
        ),
        (  # touching
            {"holes": [Circle(centre=(1, 2), radius=1)]},
            "holes[0]: the hole meets edge 3 of the outline. Move the hole inside, or draw the dent in the outline.",
        ),
        ({"holes": [[(5, 5), (6, 5), (5, 6)]]}, "holes[0]: the hole is outside the outline. Move it inside."),
        (
            {"holes": [Circle(centre=(1, 1), radius=0.5), Circle(centre=(1.4, 1), radius=0.5)]},
            "holes[1]: the hole meets or overlaps holes[0]. Move them apart, or make them one hole.",
        ),
        (
            {"holes": [Circle(centre=(2, 2), radius=1), Circle(centre=(2, 2), radius=0.5)]},
            "holes[1]: the hole meets or overlaps holes[0]. Move them apart, or make them one hole.",
        ),
        (
            {"holes": [Circle(centre=(1, 1, 1), radius=0.5)]},
            "holes[0].centre: is a sphere, not a circle. Give the centre two components.",
        ),
        ({"holes": [[(1, 1), (2, 1)]]}, "holes[0].vertices: 2 corners cannot bound a region. Give at least 3."),
        ({"holes": [{"centre": (1, 1), "radius": -1}]}, "holes[0].radius: -1 is not positive. Use a number above 0."),
        ({"holes": 3}, "holes: 3 is not a list. Write a list of holes."),
        ({"vertexes": 3}, "vertexes: unknown key (with the value 3). Did you mean 'vertices'?"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_mistake_is_one_clear_line(fields, line):
    assert lines(lambda: Polygon(**{"vertices": SQUARE, **fields})) == [line]


@pytest.mark.requirement("T-14")
@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e6, 1e100])
def test_any_scale(scale):
    def scaled(points):
        return np.array(points, dtype=float) * scale

    polygon = Polygon(vertices=scaled(SQUARE), bulges=[0.2, 0, 0, 0], holes=[scaled([(1, 1), (2, 1), (1, 2)])])
    radius, angle = 4 * 1.04 / 0.8, 4 * math.atan(0.2)
    assert polygon.outline.area / scale**2 == pytest.approx(16 + radius**2 * (angle - math.sin(angle)) / 2)
    assert "cross" in lines(lambda: Polygon(vertices=scaled([(0, 0), (1, 1), (1, 0), (0, 1)])))[0]


def test_bulges_that_turn_the_outline_inside_out():
    (line,) = lines(lambda: Polygon(vertices=[(0, 0), (4, 0), (2, 0.1)], bulges=[-0.6, 0, 0]))
    assert "inside out" in line or "cross" in line
