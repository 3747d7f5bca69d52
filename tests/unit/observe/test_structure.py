"""g(r): of lattices, of points without order, and how pairs are counted."""

import numpy as np
import pytest

from carom import Balls, Box, Circle, Scene, Simulation
from carom.errors import ArgumentError
from carom.observe.measures.structure import contact_value, overlap, pair_counts
from carom.observe.observable import observable

RNG = np.random.default_rng(4)


def points(count, size, periodic, radius=0.0):
    dimension = len(size)
    position = RNG.uniform(0.0, 1.0, (count, dimension)) * np.array(size)
    return Simulation(
        Scene(boundary=Box(size=size, periodic=periodic), balls=Balls(position=position, radius=radius)), check=False
    )


@pytest.mark.requirement("M-15")
@pytest.mark.parametrize("size", [(1.0, 1.0), (3.0, 1.0), (1.0, 0.7, 1.3)])
@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize("reach", [0.08, 0.3])
def test_pairs_are_those_of_all_against_all(size, around, reach):
    count, sizes = 300, np.array(size)
    places = RNG.uniform(0.0, 1.0, (count, len(size))) * sizes
    periodic = np.full(len(size), around)
    edges = np.linspace(0.0, reach, 20)
    apart = places[:, None] - places[None, :]
    apart -= np.where(periodic, np.round(apart / sizes) * sizes, 0.0)
    distance = np.sqrt((apart**2).sum(axis=2))[np.triu_indices(count, 1)]
    np.testing.assert_array_equal(pair_counts(places, sizes, periodic, edges), np.histogram(distance, edges)[0])


@pytest.mark.parametrize("size", [(1.0, 1.0), (1.0, 0.8, 1.2)])
@pytest.mark.parametrize("periodic", [False, True])
def test_points_without_order_have_one(size, periodic):
    """Between walls too; within four standard errors of counting."""
    samples = []
    for _ in range(20):
        sim = points(400, size, periodic)
        each = observable("radial_distribution")
        each.begin(sim)
        samples.append(each.sample(sim))
    g = np.array(samples).mean(axis=0)
    pairs = 20 * 0.5 * 400 * 399 * each._expected()
    far = pairs > 50
    assert far.sum() > 20
    assert (np.abs(g - 1.0) * np.sqrt(pairs))[far].max() < 4.5


def test_the_overlap_of_a_square_with_itself():
    """1 - 4 r/(π L) + r²/(π L²), an average over angles by hand."""
    r = np.array([0.0, 0.1, 0.5])
    expected = 1.0 - 4.0 * r / np.pi + r**2 / np.pi
    np.testing.assert_allclose(overlap(r, np.array([1.0, 1.0]), np.array([False, False])), expected, atol=1e-4)


def test_the_overlap_of_a_cube_with_itself():
    """1 - 3 r/2 + 2 r²/π - r³/(4 π)."""
    r = np.array([0.1, 0.4])
    expected = 1.0 - 1.5 * r + 2.0 * r**2 / np.pi - r**3 / (4.0 * np.pi)
    np.testing.assert_allclose(overlap(r, np.ones(3), np.zeros(3, dtype=bool)), expected, atol=2e-4)


def test_neighbours_of_a_square_lattice():
    """Four at a, four at √2 a: the pairs in the first bins are just those."""
    a, n = 0.1, 10
    grid = (np.stack(np.meshgrid(np.arange(n), np.arange(n)), axis=-1).reshape(-1, 2) + 0.5) * a
    scene = Scene(boundary=Box(size=(n * a, n * a), periodic=True), balls=Balls(position=grid, radius=0.4 * a))
    sim = Simulation(scene)
    each = observable("radial_distribution")
    each.begin(sim)
    counts = each.sample(sim) * each._expected() * 0.5 * n**2 * (n**2 - 1)
    middle = each.columns()
    near = middle < 1.1 * a
    assert counts[near].sum() == pytest.approx(2 * n**2)
    assert counts[~near & (middle < 1.6 * a)].sum() == pytest.approx(2 * n**2)


def test_contact_value_of_a_known_curve():
    x = np.linspace(0.005, 2.0, 200)
    g = np.where(x > 1.0, 2.5 * np.exp(-1.3 * (x - 1.0)), 0.0)
    assert contact_value(x, g, 1.0) == pytest.approx(2.5, rel=1e-6)
    assert np.isnan(contact_value(x[:10], g[:10], 1.0))


def test_a_round_vessel_has_none():
    balls = Balls(position=[(0.0, 0.0), (0.5, 0.0)], radius=0.1)
    with pytest.raises(ArgumentError, match="radial_distribution: it needs a box without obstacles"):
        observable("radial_distribution").begin(
            Simulation(Scene(boundary=Circle(centre=(0, 0), radius=2), balls=balls))
        )
