"""Inside, distance and crossings of outlines, against slow and simple ways to find them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.scene.shapes.crossings import box_pairs, first_crossing
from carom.scene.shapes.outline import Outline


def sampled(outline, edge, points=1001):
    """Points along an edge: the arc by its centre and angles, which is not how the outline computes."""
    share = np.linspace(0, 1, points)[:, None]
    if outline.bulge[edge] == 0:
        return outline.start[edge] + share * (outline.end[edge] - outline.start[edge])
    angle = 4 * math.atan(outline.bulge[edge])
    chord = complex(*(outline.end[edge] - outline.start[edge]))
    centre = complex(*outline.start[edge]) + chord / (1 - np.exp(1j * angle))
    turned = centre + (complex(*outline.start[edge]) - centre) * np.exp(1j * angle * share)
    return np.concatenate([turned.real, turned.imag], axis=1)


def random_outline(corners, seed):
    rng = np.random.default_rng(seed)
    angle = 2 * math.pi * (np.arange(corners) + 0.5 * rng.random(corners)) / corners
    radius = rng.uniform(0.7, 1.3, corners)
    bulges = rng.choice([0.0, 0.15, -0.1], corners)
    return Outline.closed(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), bulges)


@settings(max_examples=40)
@given(st.integers(3, 12), st.integers(0, 10_000))
def test_inside_and_distance_agree_with_a_fine_polyline(corners, seed):
    outline = random_outline(corners, seed)
    line = np.concatenate([sampled(outline, k)[:-1] for k in range(corners)])
    points = np.random.default_rng(seed + 1).uniform(-1.6, 1.6, (50, 2))
    gap = np.hypot(*(points[:, None] - line[None]).transpose(2, 0, 1)).min(axis=1)
    winding = np.abs(np.angle(_around(line, points)).sum(axis=1)) > math.pi
    away, edge = outline.distance(points, reach=10.0)
    clear = gap > 2e-3
    assert (outline.contains(points) == winding)[clear].all()
    np.testing.assert_allclose(away, gap, atol=2e-3)
    assert ((edge >= 0) & (edge < corners)).all()


def _around(line, points):
    """The turn from each point of the line to the next, as seen from each point."""
    z, p = line @ [1, 1j], points @ [1, 1j]
    return (np.roll(z, -1) - p[:, None]) / (z - p[:, None])


def test_distance_beyond_reach_is_infinite():
    away, edge = Outline.closed([(0, 0), (1, 0), (0, 1)]).distance(np.array([[0.5, -0.1], [0.5, -0.3]]), reach=0.2)
    assert away.tolist() == [pytest.approx(0.1), math.inf]
    assert edge[0] == 0


def test_points_on_the_chords_of_arcs_are_inside():
    """The chord of an outward arc is no wall, wherever it runs: level, upright or slanted."""
    turn = np.exp(1j * np.linspace(0, 2 * math.pi, 48, endpoint=False))
    for unit in turn:
        corners = np.array([-2 - 1j, 2 - 1j, 2 + 1j, -2 + 1j]) * unit
        outline = Outline.closed(np.stack([corners.real, corners.imag], axis=1), [0.3, 1, 0.3, 1])
        share = np.linspace(0.05, 0.95, 19)
        chords = np.concatenate([a + share * (b - a) for a, b in zip(corners, np.roll(corners, -1), strict=True)])
        assert outline.contains(np.stack([chords.real, chords.imag], axis=1)).all()


def test_the_middle_of_a_half_circle():
    """At the centre of an arc the foot is not defined, but the distance is."""
    outline = Outline.closed([(-1, 0), (1, 0)], [0, 1])
    away, _ = outline.distance(np.array([[0.0, 0.5], [0.0, 0.0]]), reach=5)
    assert away.tolist() == [pytest.approx(0.5), 0.0]


@given(st.integers(2, 60), st.integers(0, 1000))
def test_box_pairs_are_all_pairs(boxes, seed):
    rng = np.random.default_rng(seed)
    lower = rng.random((boxes, 2))
    upper = lower + rng.random((boxes, 2)) * 0.3
    found = {pair for one, two in box_pairs(lower, upper) for pair in zip(one.tolist(), two.tolist(), strict=True)}
    wanted = {
        (i, j)
        for i in range(boxes)
        for j in range(i + 1, boxes)
        if (lower[i] <= upper[j]).all() and (lower[j] <= upper[i]).all()
    }
    assert found == wanted


def test_box_pairs_in_batches(monkeypatch):
    monkeypatch.setattr("carom.scene.shapes.crossings._BATCH_PAIRS", 7)
    lower = np.random.default_rng(0).random((50, 2))
    batches = list(box_pairs(lower, lower + 0.5))
    assert len(batches) > 10
    pairs = np.concatenate([np.stack(batch, axis=1) for batch in batches])
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    inside = (np.abs(lower[:, None] - lower[None]) <= 0.5).all(axis=2)
    assert len(pairs) == (inside.sum() - 50) // 2


@given(st.integers(4, 9), st.integers(0, 10_000))
def test_crossings_of_random_polygons_agree_with_all_pairs(corners, seed):
    vertices = np.random.default_rng(seed).random((corners, 2))
    outline = Outline.closed(vertices)
    crossed = [
        (i, j)
        for i in range(corners)
        for j in range(i + 2, corners)
        if (i, j) != (0, corners - 1) and _cross(vertices, i, j)
    ]
    assert first_crossing(outline) == (crossed[0] if crossed else None)


def _cross(vertices, i, j):
    """Solve for the meeting point of two edges."""
    a, b = vertices[i], vertices[j]
    d, e = vertices[(i + 1) % len(vertices)] - a, vertices[(j + 1) % len(vertices)] - b
    s, t = np.linalg.solve(np.stack([d, -e], axis=1), b - a)
    return 0 <= s <= 1 and 0 <= t <= 1


@given(st.floats(0.1, 3.0), st.floats(0.0, 2 * math.pi))
def test_two_circles_cross_when_they_should(apart, direction):
    def circle(x, y, r):
        return Outline.closed([(x - r, y), (x + r, y)], [1, 1])

    other = circle(apart * math.cos(direction), apart * math.sin(direction), 0.7)
    if abs(apart - 1.7) > 1e-6 and abs(apart - 0.3) > 1e-6:
        assert (first_crossing(circle(0, 0, 1.0), other) is not None) == (0.3 < apart < 1.7)
