"""Each golden scene leaves the golden trail, whoever plays it; where one does not, it is told where it began."""

import json

import numpy as np
import pytest

from carom.solvers.stepped import build
from golden import states, stepped
from golden.trails import SCENES, Walk, golden_trails, mark, moments, parting, trail

TRAILS = golden_trails()
ENDS = {**json.loads(states.FILE.read_text("utf-8")), **json.loads(stepped.FILE.read_text("utf-8"))}


@pytest.mark.parametrize("name", SCENES)
def test_a_trail_ends_at_the_golden_state(name: str) -> None:
    """Else the one file was written anew, and not the other."""
    assert [int(each.split()[0]) for each in TRAILS[name]] == moments(name)
    assert TRAILS[name][-1].split()[1] == ENDS[name][:16]


def test_no_trail_is_left_over() -> None:
    assert sorted(TRAILS) == sorted(SCENES)


@pytest.mark.requirement("T-08")
def test_two_threads_leave_the_trail_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "THREADED", 1)
    walk = Walk("gas")
    assert walk.run._solver.pairs.other.size, "two threads"
    assert parting("gas", TRAILS["gas"], trail(walk)) is None


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize(("name", "count"), [("periodic", 5), ("walls", 3), ("space", 1), ("falling", 3)])
def test_without_compiled_code(name: str, count: int) -> None:
    """Brute force in plain NumPy; of the first scene beyond an epoch."""
    walk = Walk(name, brute=True)
    assert parting(name, TRAILS[name], trail(walk, count)) is None
    assert walk.run.epochs == (1 if name == "periodic" else 0)


def nudged(walk: Walk, ball: int) -> Walk:
    """A walk in which a ball is now faster by a last bit."""
    v = walk.run.velocities[ball]
    walk.run.change(ball, velocity=(np.nextafter(v[0], np.inf), *v[1:]))
    return walk


def test_a_trail_tells_where_it_was_left() -> None:
    walk = Walk("periodic")
    found = list(trail(walk, 2))
    walk.go(3750)
    told = parting("periodic", TRAILS["periodic"], [*found, mark(3750, nudged(walk, 17).run)])
    assert told == "periodic: the same bits after 2500 collisions; after 3750, 1 of 100 balls differ (17)"


def test_a_time_that_differs_is_told_too() -> None:
    one = TRAILS["slope"]
    two = [one[0].replace(one[0].split()[1], "0" * 16), *one[1:]]
    assert parting("slope", one, two) == "slope: the same bits after 0 steps; after 8, the time differs"
