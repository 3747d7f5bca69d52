"""How evenly balls are scattered."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import carom
from carom.errors import ArgumentError
from carom.observe.measures.evenness import EXACT, Dispersion, Evenness, cells_per_axis, chance_of, chances
from carom.sweeps.study.columns import Start


def box(places: Any, radius: float = 0.0, size: tuple[float, float] = (4.0, 2.0), **more: Any) -> Start:
    return Start(carom.Scene(boundary=carom.Box(size=size, **more), balls=carom.Balls(position=places, radius=radius)))


def measured(kind: type, start: Start) -> float:
    observable = kind()
    observable.begin(start)
    return float(observable.sample(start))


@pytest.mark.parametrize(("count", "cells"), [(4, 2), (5, 3), (6, 4), (8, 3)])
def test_chances_are_those_of_all_ways_counted(count: int, cells: int) -> None:
    ways = Counter(sum(n * n for n in Counter(each).values()) for each in product(range(cells), repeat=count))
    for squares in ways:
        more = sum(many for other, many in ways.items() if other >= squares)
        assert chances(count, cells)[squares] == pytest.approx(more / cells**count, rel=1e-12)


@pytest.mark.parametrize("cells", [8, 16, 20])
def test_the_law_for_many_joins_the_exact_one(cells: int) -> None:
    exact = chances(EXACT, cells)
    reachable = [s for s in range(EXACT, EXACT**2 + 1, 2) if exact[s] > 1e-9]
    assert max(abs(exact[s] - chance_of(s, EXACT, cells)) for s in reachable) < 0.01


def test_sixteen_balls_have_eight_cells() -> None:
    lattice = np.array([(0.25 + 0.5 * i, 0.5 + 1.0 * j) for i in range(8) for j in range(2)])
    start = box(lattice)
    assert measured(Dispersion, start) == 0.0
    assert measured(Evenness, start) == 1.0
    heap = box(np.tile([(1.5, 1.5)], (16, 1)))
    assert measured(Dispersion, heap) == pytest.approx(16.0, rel=1e-14)  # (16² · 8/16 - 16) / 7
    assert measured(Evenness, heap) == pytest.approx(8.0**-15, rel=1e-9)


def test_cells_divide_the_room_of_the_centres() -> None:
    corner = np.array([(0.5, 0.5), (0.5, 1.5), (3.5, 0.5), (3.5, 1.5)])  # where centres can be, at the outermost
    start = box(corner, radius=0.5)
    evenness = Evenness()
    evenness.begin(start)
    assert evenness.low.tolist() == [0.5, 0.5]
    assert evenness.counts(start) == (4, int(evenness.cells.prod()), 8)
    around = Evenness()
    around.begin(box(corner, radius=0.5, periodic=True))
    assert around.low.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("room", "count", "cells"),
    [
        ((4.0, 2.0), 16, [4, 2]),
        ((100.0, 0.1), 16, [8, 1]),
        ((0.1, 100.0), 16, [1, 8]),
        ((1e6, 1e-200), 16, [8, 1]),
        ((1e300, 1e300, 1e300), 54, [3, 3, 3]),
        ((10.0, 10.0, 0.01), 200, [10, 10, 1]),
        ((100.0, 0.1, 0.1), 20, [10, 1, 1]),
        ((1.0, 0.0), 16, [8, 1]),
        ((1.0, -0.1), 16, [8, 1]),
        ((0.0, 0.0), 1, [2, 1]),
        ((1.0, 2.0), 1, [1, 2]),
    ],
)
def test_a_narrow_axis_is_not_divided(room: tuple[float, ...], count: int, cells: list[int]) -> None:
    assert cells_per_axis(np.array(room), count).tolist() == cells


def test_there_are_never_more_cells_than_balls() -> None:
    random = np.random.default_rng(3)
    for _ in range(2000):
        count = int(random.integers(2, 300))
        room = 10.0 ** random.uniform(-12, 12, random.integers(2, 4))
        assert 2 <= cells_per_axis(room, count).prod() <= max(2, 1.2 * count)


@pytest.mark.parametrize("width", [0.1, 0.1 + 1e-16, 0.2])
def test_a_tube_as_wide_as_its_balls(width: float) -> None:
    places = np.column_stack([np.linspace(1.0, 99.0, 16), np.full(16, 0.5 * width)])
    tube = box(places, radius=0.05, size=(100.0, width))
    assert measured(Dispersion, tube) == 0.0
    assert measured(Evenness, tube) == 1.0


@pytest.mark.parametrize("count", [16, 200])
def test_places_at_random_are_even_just_as_often_as_chance_says(count: int) -> None:
    """P is below a with a chance of at most a (it is discrete), and nearly that; 4 standard errors."""
    random, runs = np.random.default_rng(7), 2000
    start = box(random.uniform(0.0, 1.0, (count, 2)) * (4.0, 2.0))
    evenness = Evenness()
    evenness.begin(start)
    found, indices = [], []
    index = Dispersion()
    index.begin(start)
    for _ in range(runs):
        now = Start(start.scene.replace(balls=carom.Balls(position=random.uniform(0.0, 1.0, (count, 2)) * (4.0, 2.0))))
        found.append(evenness.sample(now))
        indices.append(index.sample(now))
    values = np.array(found)
    for level in (0.05, 0.2, 0.5):
        error = np.sqrt(level * (1.0 - level) / runs)
        step = 0.1 if count == 16 else 0.03  # of what chances there are
        assert -step - 4 * error < (values <= level).mean() - level < 4 * error + (0.01 if count > EXACT else 0.0)
    cells = int(index.cells.prod())
    spread = np.sqrt(2.0 * (1.0 - 1.0 / count) / (cells - 1) / runs)
    assert abs(np.mean(indices) - 1.0) < 4 * spread


def test_pool_balls_have_few_chances() -> None:
    law = chances(16, 8)
    assert law[law <= 0.05].max() == pytest.approx(0.0377, abs=0.00005)


def test_a_gas_is_more_even_than_chance_and_a_rack_is_not() -> None:
    dense = carom.library.load("gas", count=400, packing_fraction=0.6, seed=2)
    assert measured(Evenness, Start(dense)) > 0.99
    rack = carom.library.load("pool-break")
    assert measured(Evenness, Start(rack)) < 1e-5
    assert measured(Dispersion, Start(rack)) > 5.0


def test_what_cannot_be_divided_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"evenness: it needs a box without obstacles\. Give the scene a box"):
        measured(Evenness, Start(carom.Scene(balls=[carom.Ball(position=(0, 0))])))


def test_balls_that_are_gone_do_not_count() -> None:
    start = box(np.array([(0.5, 0.5), (1.5, 0.5), (2.5, 0.5), (3.5, 0.5)]))
    evenness, index = Evenness(), Dispersion()
    for each in (evenness, index):
        each.begin(start)

    class Gone(Start):
        @property
        def positions(self) -> Any:
            return np.full((4, 2), np.nan)

    nobody = Gone(start.scene)
    assert np.isnan(evenness.sample(nobody))
    assert np.isnan(index.sample(nobody))
