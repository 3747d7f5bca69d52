"""Ends of prisms: an outline of any shape is covered once, and nothing else is."""

import numpy as np
import pytest

from carom.lab.bench.session import Session
from carom.lab.seen.scene_message import scene_message
from carom.scene import Box, Polygon, Scene
from carom.views.caps import area, triangles

STAR = [(r * np.cos(a), r * np.sin(a)) for k in range(10) for r, a in [((2.0, 0.7)[k % 2], k * np.pi / 5)]]
COMB = [(0, 0), (6, 0), (6, 3), (5, 3), (5, 1), (4, 1), (4, 3), (3, 3), (3, 1), (2, 1), (2, 3), (0, 3)]
STRAIGHT = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
ROUND = [(1e9 + np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 96, endpoint=False)]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "outline", [STAR, COMB, STRAIGHT, ROUND, STAR[:3]], ids=["star", "comb", "straight", "round", "three"]
)
def test_an_outline_is_covered_once(outline: list[tuple[float, float]], turned: bool) -> None:
    points = outline[::-1] if turned else outline
    cut = triangles(points)
    parts = [area([points[k] for k in one]) for one in cut]
    assert len(cut) == len(points) - 2
    assert min(parts) > -1e-12, "none is turned over, so that none lies upon another"
    assert sum(parts) == pytest.approx(abs(area(points)), rel=1e-6)


def test_a_prism_with_many_corners_has_ends() -> None:
    star = [(x + 3.0, y + 3.0) for x, y in STAR]
    scene = Scene(boundary=Box(size=(6.0, 6.0, 6.0)), obstacles=[Polygon(vertices=star)])
    (mesh,) = scene_message(Session(scene).preview())["obstacles"]
    assert len(mesh["faces"]) == 2 * 10 + 2 * 8
    edges = [(face[k], face[(k + 1) % 3]) for face in mesh["faces"] for k in range(3)]
    assert {(b, a) for a, b in edges} == set(edges), "closed, all faces turned the same way"
    assert len(edges) == len(set(edges))


def test_shapes_tell_which_obstacle_they_are() -> None:
    """Some obstacles may be several shapes, so that counting shapes would name the wrong corner."""
    star = Polygon(vertices=[(x + 3.0, y + 3.0) for x, y in STAR])
    scene = Scene(boundary=Box(size=(9.0, 6.0)), obstacles=[star, Polygon(vertices=[(7, 1), (8, 1), (8, 2)])])
    assert [shape["of"] for shape in scene_message(Session(scene).preview())["obstacles"]] == [0, 1]
