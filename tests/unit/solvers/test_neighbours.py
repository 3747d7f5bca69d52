"""Cells and neighbour lists never miss a neighbour: compared with all pairs."""

from typing import NamedTuple

import numpy as np
import pytest

from carom import library
from carom.kernels.jit import kernel
from carom.physics import contact_time
from carom.physics.flight import NO_ACCELERATION
from carom.solvers.collision_record import collision_record
from carom.solvers.exact.balls import ball_record
from carom.solvers.exact.engine import Engine
from carom.solvers.exact.kinds import ALL_AROUND
from carom.solvers.exact.neighbours import build, candidate, cells, interface, lists
from carom.solvers.exact.tables import SightArrays
from carom.solvers.exact.world import World
from reference.indices import hood_in, made
from reference.laws import called


class Region(NamedTuple):
    """The part of space in which the balls are."""

    dimension: int
    size: tuple[float, float, float]
    periodic: tuple[bool, bool, bool]


def a_region(dimension, size, periodic):
    missing = 3 - dimension
    return Region(dimension, (*size, *(1.0,) * missing), (*periodic, *(False,) * missing))


def indexed(region, balls, mode, skin=0.0):
    """The balls, the clock and the neighbourhood of an index."""
    return made(*region, balls, mode, skin)


def some_balls(region, n, radius, seed):
    """Places at random (overlaps do not matter to neighbourhoods), radii as given or drawn from a range."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(0.0, 1.0, (n, 3)) * region.size
    places[:, region.dimension :] = 0.0
    balls = np.zeros(n, ball_record)
    balls["x"], balls["y"], balls["z"] = places.T
    low, high = radius
    balls["r"] = low * (high / low) ** rng.uniform(0.0, 1.0, n) if low < high else low
    balls["id"] = np.arange(n)
    return balls, places


def nearest_images(region, places):
    """All differences of places, each the shortest of its images, and the period that makes it so."""
    d = places[:, None, :] - places[None, :, :]
    steps = np.zeros(d.shape, np.int64)
    for axis in range(region.dimension):
        if region.periodic[axis]:
            steps[..., axis] = -np.round(d[..., axis] / region.size[axis]).astype(np.int64)
    return d + steps * np.array(region.size), steps


@kernel
def copy_words(dim, hood, balls, i, face, found, out):
    n = interface.candidates(dim, hood, balls, i, face, found)
    words, first = interface.where(hood, i, found)
    pace = interface.pace(hood)
    full = (n + pace - 1) // pace * pace
    for k in range(full):
        out[k] = words[first + k]
    return n, full


@pytest.mark.parametrize(("packing", "expected"), [(0.05, 1.0), (0.19, 1.0), (0.21, 0.7), (0.4, 0.7)])
def test_cells_of_a_thin_gas_are_larger(packing, expected):
    """There most events are ways out of cells."""
    n = 10_000
    region = a_region(2, (1.0, 1.0), (True, True))
    balls, _places = some_balls(region, n, ((packing / (np.pi * n)) ** 0.5,) * 2, 1)
    hood = indexed(region, balls, "cells").hood
    assert n / np.prod(hood.shape) == pytest.approx(expected, rel=0.05)


def test_python_is_told_that_these_names_are_for_kernels():
    with pytest.raises(TypeError, match="pace is for kernels to call"):
        interface.pace(None)


def words_by(region, hood, balls, i, face):
    """The candidates of a ball; behind them it stands itself, up to a multiple of the pace."""
    found, out = np.zeros((2, 4 * balls.size + 64), np.uint32)
    n, full = copy_words((0,) * region.dimension, hood, balls, i, face, found, out)
    assert (out[n:full] == (candidate.PLAIN | i)).all()
    return out[:n]


def found_by(region, hood, balls, i):
    """Partner and image of each candidate."""
    words = words_by(region, hood, balls, i, ALL_AROUND)
    partner = (words & (candidate.MOST - 1)).astype(int)
    image = (words >> candidate.BITS).astype(int)
    steps = np.stack([image % 3 - 1, image // 3 % 3 - 1, image // 9 - 1], axis=1)
    return {(int(j), *s) for j, s in zip(partner, steps.tolist(), strict=True)}


REGIONS = [
    pytest.param(a_region(2, (1.0, 0.7), (True, True)), 300, id="periodic plane"),
    pytest.param(a_region(2, (1.0, 0.7), (True, False)), 300, id="strip"),
    pytest.param(a_region(2, (1.0, 0.7), (False, False)), 300, id="plane"),
    pytest.param(a_region(3, (1.0, 0.7, 0.8), (True, True, True)), 400, id="periodic space"),
    pytest.param(a_region(3, (1.0, 0.7, 0.8), (False, True, False)), 400, id="space"),
]


@pytest.mark.requirement("M-15", "M-17")
@pytest.mark.parametrize("radius", [(0.01, 0.01), (0.002, 0.03)], ids=["equal", "mixed"])
@pytest.mark.parametrize(("region", "n"), REGIONS)
def test_cells_name_everyone_who_could_be_touched(region, n, radius):
    balls, places = some_balls(region, n, radius, seed=1)
    known = indexed(region, balls, "cells")
    balls, _clock, hood = known.balls, known.clock, known.hood
    d, steps = nearest_images(region, places)
    reach = balls["r"][:, None] + balls["r"][None, :]
    touching = (d**2).sum(axis=2) <= reach**2
    assert touching.sum() > n  # the test has something to find
    for i in range(n):
        near = {(int(j), *steps[i, j].tolist()) for j in np.flatnonzero(touching[i]) if j != i}
        named = found_by(region, hood, balls, i)
        assert near <= named


@pytest.mark.requirement("M-15")
@pytest.mark.parametrize(("region", "n"), REGIONS[:3])
def test_cells_name_all_within_one_cell(region, n):
    """Partners are looked for in the same and all adjacent cells: what is nearer than an edge on each axis is there."""
    balls, places = some_balls(region, n, (0.01, 0.01), seed=2)
    known = indexed(region, balls, "cells")
    balls, hood = known.balls, known.hood
    d, steps = nearest_images(region, places)
    near = (np.abs(d)[..., : region.dimension] < np.array(hood.edge)[: region.dimension]).all(axis=2)
    for i in range(n):
        wanted = {(int(j), *steps[i, j].tolist()) for j in np.flatnonzero(near[i]) if j != i}
        assert wanted <= found_by(region, hood, balls, i)


@pytest.mark.requirement("M-15")
def test_the_work_for_a_ball_does_not_grow_with_the_number_of_balls():
    """Cells turn N² into N: the mean number of candidates is the same for 500 and for 8000 balls."""
    means = []
    for n in (500, 8000):
        region = a_region(2, (1.0, 1.0), (True, True))
        balls, _places = some_balls(region, n, (0.3 / n**0.5,) * 2, seed=3)
        known = indexed(region, balls, "cells")
        balls, hood = known.balls, known.hood
        means.append(np.mean([len(found_by(region, hood, balls, i)) for i in range(200)]))
    # About nine cells of half a ball each (or of the size of a ball); 200 samples of a Poisson number.
    assert means[0] < 12.0
    assert means[1] == pytest.approx(means[0], abs=4 * (2 * means[0] / 200) ** 0.5 + 0.1 * means[0])


@pytest.mark.parametrize("face", range(4))
def test_after_a_face_only_the_new_cells_are_looked_at(face):
    region = a_region(2, (1.0, 1.0), (True, True))
    balls, _places = some_balls(region, 300, (0.01, 0.01), seed=4)
    known = indexed(region, balls, "cells")
    balls, hood = known.balls, known.hood
    axis, step = ("cx", "cy")[face >> 1], 2 * (face & 1) - 1
    shape = hood.shape[face >> 1]
    for i in range(50):
        new = (words_by(region, hood, balls, i, face) & (candidate.MOST - 1)).astype(int)
        assert (balls[axis][new] == (balls[axis][i] + step) % shape).all()
        everyone = {entry[0] for entry in found_by(region, hood, balls, i)}
        ahead = {j for j in everyone if balls[axis][j] == (balls[axis][i] + step) % shape}
        assert set(new.tolist()) == ahead


@pytest.mark.requirement("M-15", "M-17")
@pytest.mark.parametrize("radius", [(0.01, 0.01), (0.001, 0.05)], ids=["equal", "mixed 1:50"])
@pytest.mark.parametrize(("region", "n"), REGIONS)
def test_lists_are_exactly_the_balls_within_the_skin(region, n, radius):
    balls, places = some_balls(region, n, radius, seed=5)
    skin = 0.013
    known = indexed(region, balls, "lists", skin)
    balls, hood = known.balls, known.hood
    d, steps = nearest_images(region, places)
    reach = balls["r"][:, None] + balls["r"][None, :] + skin
    near = (d**2).sum(axis=2) < reach**2
    missed_by_design = hidden_by_large_balls(balls, d, skin)
    for i in range(n):
        wanted = {int(j) for j in np.flatnonzero(near[i] & ~missed_by_design[i]) if j != i}
        named = {entry[0] for entry in found_by(region, hood, balls, i)}
        assert wanted <= named <= {int(j) for j in np.flatnonzero(near[i])}
        images = {entry for entry in found_by(region, hood, balls, i) if entry[0] in wanted}
        assert images == {(j, *steps[i, j].tolist()) for j in wanted}


def test_a_list_of_any_length_has_room_to_grow():
    """A large ball among many small ones; half of what a list may name is left free."""
    region = a_region(2, (3.0, 3.0), (True, True))
    balls, _places = some_balls(region, 600, (0.001, 0.001), seed=6)
    balls["r"][7] = 0.4
    known = indexed(region, balls, "lists", 0.3)
    balls, hood = known.balls, known.hood
    lengths = [len(found_by(region, hood, balls, i)) for i in range(600)]
    assert longest_of(hood, 600) == max(lengths) > build.LIST_ROOM
    assert hood.longest >= 2 * max(lengths)


longest_of = called(build.longest_of)


@kernel
def append_to(hood, clocks, i, j):
    return lists.append(hood, clocks[0], np.uint32(i), np.uint32(j), candidate.ITSELF)


def test_a_list_that_may_not_grow_says_so():
    """Then everything is built anew, with more room."""
    region = a_region(2, (1.0, 1.0), (True, True))
    balls, _places = some_balls(region, 40, (0.001, 0.001), seed=7)
    known = indexed(region, balls, "lists", 0.001)
    balls, clock, hood = known.balls, known.clock, known.hood._replace(longest=9)
    assert len(found_by(region, hood, balls, 0)) == 0
    assert [append_to(hood, clock, 0, j) for j in range(1, 12)] == [True] * 9 + [False] * 2
    assert [entry[0] for entry in sorted(found_by(region, hood, balls, 0))] == list(range(1, 10))


@kernel
def drop_from(hood, clocks, i, j):
    lists.drop(hood, clocks[0], np.uint32(i), np.uint32(j))


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_list_takes_no_more_room_than_it_needs(dimension):
    """Lists grow and shrink at random: nobody is lost, and rooms that were left are used again, else none were left."""
    rng = np.random.default_rng(8)
    region = a_region(dimension, (1.0,) * dimension, (True,) * dimension)
    n, least = 24, dimension + 1
    balls, _places = some_balls(region, n, (1e-4, 1e-4), seed=9)
    known = indexed(region, balls, "lists", 1e-4)
    balls, clock, hood = known.balls, known.clock, known.hood
    named = [set() for _ in range(n)]
    for swing in range(30):
        i = rng.permutation(n)[:12]
        for k in i:
            wanted = set((rng.permutation(n - 1)[: rng.integers(0, 22)] + k + 1) % n)
            for j in named[k] - wanted:
                drop_from(hood, clock, k, j)
            for j in wanted - named[k]:
                assert append_to(hood, clock, k, j)
            named[k] = wanted
        for k in range(n):
            assert {entry[0] for entry in found_by(region, hood, balls, k)} == named[k], (swing, k)
            assert least <= hood.heads["bits"][k] <= max(least, 1 + len(named[k]).bit_length())


@pytest.mark.requirement("M-15")
def test_hardly_a_list_stands_outside_its_record_for_long():
    """One that was too long for a moment comes back: in a dense gas they are few at a time, however long it runs."""
    engine = Engine(World.of(library.load("gas", count=400, packing_fraction=0.7, seed=1)), "lists")
    engine.advance(np.inf, 400_000, np.zeros(0, collision_record))
    assert (engine.index.heads["bits"] > lists.SHORT).mean() < 0.02


def hidden_by_large_balls(balls, d, skin):
    """Centres deep inside another ball, which only a test with overlaps can have; the search leaves them out."""
    deep = np.maximum(balls["r"][:, None], balls["r"][None, :]) - skin
    return (d**2).sum(axis=2) < np.maximum(deep, 0.0) ** 2


@kernel
def enter_and_leave(hood, clocks, cell, which, into):
    for k in range(which.size):
        if into[k]:
            if not cells.enter(hood, clocks[0], cell[k], which[k]):
                return k
        else:
            cells.leave(hood, clocks[0], cell[k], which[k])
    return which.size


def test_cells_keep_books_when_crowded():
    """Balls go in and out of a few cells at random; more than a cell's slots, so that spare blocks come and go."""
    rng = np.random.default_rng(6)
    region = a_region(2, (1.0, 1.0), (True, True))
    balls, _places = some_balls(region, 200, (0.1, 0.1), seed=6)
    known = indexed(region, balls, "cells")
    balls, clock, hood = known.balls, known.clock, known.hood
    count = hood.shape[0] * hood.shape[1]
    home = (balls["cx"] + hood.shape[0] * balls["cy"]).astype(np.int64)
    for _ in range(20):
        who = rng.permutation(200)[:50].astype(np.uint32)
        target = rng.integers(0, count, 50)
        cell = np.stack([home[who], target], axis=1).ravel()
        done = enter_and_leave(hood, clock, cell, np.repeat(who, 2), np.tile([False, True], 50))
        assert done == 100
        home[who] = target
        for c in range(count):
            assert sorted(balls_in(hood, c)) == np.flatnonzero(home == c).tolist()


def balls_in(hood, cell):
    found, block = [], cell
    while block != 0xFFFFFFFF:
        words = hood.slots[4 * block : 4 * block + 4]
        found += [int(k) for k in words[: cells.ROOM] if k != 0xFFFFFFFF]
        block = int(words[cells.NEXT])
    return found


@pytest.mark.requirement("M-15", "M-17")
@pytest.mark.parametrize("smallest", [1.0, 0.6], ids=["equal", "mixed"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_lists_stay_exact_while_balls_cross_seams(dimension, smallest):
    """In a run, too, a list is exactly who is within the skin, centre from centre; some are beyond a seam."""
    scene = library.load("gas", count=300, packing_fraction=0.5, dimension=dimension, seed=1)
    radius = scene.balls.radius * np.random.default_rng(2).uniform(smallest, 1.0, 300)
    scene = scene.replace(balls=scene.balls.replace(radius=radius))
    engine = Engine(World.of(scene), "lists")
    beyond = 0
    for _ in range(20):
        engine.advance(np.inf, 300, np.zeros(0, collision_record))
        hood, balls = hood_in(engine.block, engine.index), engine.balls
        region = a_region(dimension, scene.boundary.size, (True,) * dimension)
        places = np.zeros((balls.size, 3))
        for axis in range(dimension):
            places[:, axis] = hood.heads["xyz"[axis]]
            beyond += ((places[:, axis] < 0.0) | (places[:, axis] > region.size[axis])).sum()
        d, _ = nearest_images(region, places)
        reach = balls["r"][:, None] + balls["r"][None, :] + hood.skin
        near = (d**2).sum(axis=2) < reach**2
        for i in range(balls.size):
            wanted = {int(j) for j in np.flatnonzero(near[i]) if j != i}
            assert {entry[0] for entry in found_by(region, hood, balls, i)} == wanted
    assert beyond > 10


@kernel
def look_around(dim, hood, balls, sight, others, true, seen):
    """For each ball: whom its list names, when they touch, and when they do by what the ball remembers, or nan."""
    for i in range(balls.size):
        knows = interface.recall(hood, balls, np.uint32(i), sight)
        n = interface.candidates(dim, hood, balls, i, ALL_AROUND, sight.found[0])
        words, first = interface.where(hood, i, sight.found[0])
        for k in range(n):
            word = words[first + k]
            j, image = candidate.ball_of(word), candidate.image_of(word)
            wx, wy = candidate.period(hood, image, 0), candidate.period(hood, image, 1)
            t, b, c, disc = contact_time.pair(dim, balls[i], balls[j], (wx, wy, 0.0), NO_ACCELERATION)
            others[i, k] = j
            true[i, k] = contact_time.first_root(t, b, c, disc) if b < 0.0 and disc >= 0.0 else np.inf
            seen[i, k] = sight.times[0, k] if knows else np.nan


def sight_in(index):
    return SightArrays(index.found, index.times, index.count)


@pytest.mark.requirement("M-15")
def test_what_a_ball_remembers_is_what_it_would_see():
    """Of those that have not moved. And of two that will touch, one has that event, or an earlier one.

    Looked at again and again in a dense gas, whose lists change now and then: then a ball forgets.
    """
    count, room = 200, lists.FOUND
    engine = Engine(World.of(library.load("gas", count=count, packing_fraction=0.7, seed=1)), "lists")
    known = forgotten = gone = 0
    for _ in range(300):
        engine.advance(np.inf, 7, np.zeros(0, collision_record))
        others = np.repeat(np.arange(count)[:, None], room, axis=1)
        true, seen = np.full((count, room), np.inf), np.full((count, room), np.inf)
        look_around(
            engine.dim, hood_in(engine.block, engine.index), engine.balls, sight_in(engine.index), others, true, seen
        )
        event, moved, planned = (engine.balls[name] for name in ("te", "moved", "planned"))
        assert (np.minimum(event[:, None], event[others]) <= true).all()
        knows, late = ~np.isnan(seen[:, 0]), moved[others] > planned[:, None]
        assert (seen[knows] == np.where(late, np.inf, true)[knows]).all()
        known, forgotten, gone = known + knows.sum(), forgotten + (~knows).sum(), gone + late[knows].sum()
    assert min(known, forgotten, gone) > 500
