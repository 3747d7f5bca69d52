"""Overlapping pairs, against all pairs one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.scene.placement import overlaps
from carom.scene.placement.overlaps import TOLERANCE, BallImages, overlapping_pairs
from effort import examples


def bodies(position, radius, fixed=None):
    position = np.array(position, dtype=float)
    number = len(position)
    fixed = np.zeros(number, dtype=bool) if fixed is None else np.array(fixed)
    return BallImages(position, np.array(np.broadcast_to(radius, number), dtype=float), fixed, np.arange(number))


def one_by_one(some, periods):
    """All pairs and all images, in plain loops."""
    found = []
    images = list(itertools.product(*[(-p, 0, p) if np.isfinite(p) else (0,) for p in periods]))
    for i, j in itertools.combinations(range(len(some)), 2):
        contact = some.radius[i] + some.radius[j]
        apart = min(np.linalg.norm(some.position[i] - some.position[j] + image) for image in images)
        if apart < contact * (1 - TOLERANCE) - 1e-14 and not (some.fixed[i] and some.fixed[j]):
            found.append([i, j])
    return found


@settings(max_examples=examples(75))
@given(
    st.integers(0, 10_000),
    st.integers(2, 40),
    st.sampled_from([2, 3]),
    st.floats(0, 4),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.floats(0, 1),
)
def test_agree_with_all_pairs_one_by_one(seed, number, dimension, spread, periodic, share_fixed):
    """Radii from equal to 1 : 10⁴, points among them; periodic axes; fixed ones."""
    rng = np.random.default_rng(seed)
    radius = 0.2 * 10 ** (-spread * rng.random(number))
    radius[rng.random(number) < 0.1] = 0.0
    some = bodies(rng.random((number, dimension)), radius, rng.random(number) < share_fixed)
    periods = [1.0 if around else np.inf for around in periodic[:dimension]]
    pairs, complete = overlapping_pairs(some, periods)
    assert complete
    assert pairs.tolist() == one_by_one(some, periods)


@pytest.mark.parametrize("far", [1e3, 1e9, 1e14, 1e100])
def test_a_ball_far_away_does_not_matter(far):
    rng = np.random.default_rng(5)
    near = rng.random((500, 2)) * 30
    some = bodies([*near, (far, far), (-far, 3.0)], 0.5)
    pairs, _ = overlapping_pairs(some, [np.inf, np.inf])
    expected, _ = overlapping_pairs(bodies(near, 0.5), [np.inf, np.inf])
    assert pairs.tolist() == expected.tolist()
    assert len(pairs) > 10


def test_batches_do_not_matter(monkeypatch):
    rng = np.random.default_rng(6)
    some = bodies(rng.random((300, 2)), 0.05)
    whole, _ = overlapping_pairs(some, [1.0, np.inf])
    monkeypatch.setattr(overlaps, "_BATCH_CANDIDATES", 3)
    pieces, _ = overlapping_pairs(some, [1.0, np.inf])
    assert pieces.tolist() == whole.tolist()


def test_all_in_one_place_does_not_take_forever():
    pairs, complete = overlapping_pairs(bodies(np.zeros((100_000, 2)), 1.0), [np.inf, np.inf])
    assert not complete
    assert len(pairs) >= overlaps.MAX_OVERLAPS


def test_fixed_ones_and_points_in_one_place_are_nothing_to_look_at():
    fixed = bodies(np.zeros((100_000, 2)), 1.0, np.ones(100_000, dtype=bool))
    assert overlapping_pairs(fixed, [np.inf, np.inf])[0].tolist() == []
    assert overlapping_pairs(bodies(np.zeros((100_000, 2)), 0.0), [np.inf, np.inf])[0].tolist() == []


def test_touching_is_fine_at_any_scale():
    for scale in (1e-140, 1e-9, 1.0, 1e9, 1e140):
        row = np.stack([0.2 * np.arange(100), np.zeros(100)], axis=1) * scale
        assert len(overlapping_pairs(bodies(row, 0.1 * scale), [np.inf, np.inf])[0]) == 0
        assert len(overlapping_pairs(bodies(row, 0.1001 * scale), [np.inf, np.inf])[0]) == 99
