from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import carom
from carom.errors import ArgumentError
from carom.observe.frame import Frame
from carom.observe.observable import Observable
from carom.observe.sampler import Sampler, observables_for
from carom.observe.triggers import Collisions, Every, Times
from carom.solvers.collision_record import NOBODY, collision_record


class Count(Observable):
    name, symbol, unit = "count", "n", ""
    wants_collisions = True

    def begin(self, sim: Any) -> None:
        self.met = 0

    def collide(self, rows: NDArray[Any]) -> None:
        self.met += len(rows)

    def sample(self, sim: Any) -> float:
        return float(self.met)

    def state(self) -> dict[str, NDArray[Any]]:
        return {"met": np.array(self.met)}

    def load(self, state: Any) -> None:
        self.met = int(state["met"])


class Kept:
    """A sink that remembers."""

    def __init__(self) -> None:
        self.frames: list[tuple[Frame, int, dict[str, Any], Any]] = []
        self.rows: list[NDArray[Any]] = []

    def frame(self, frame: Frame, step: int, sample: dict[str, Any], bulk: Any) -> None:
        self.frames.append((frame, step, sample, bulk))

    def collided(self, rows: NDArray[Any]) -> None:
        self.rows.append(rows)


def simulation() -> carom.Simulation:
    return carom.Simulation(carom.library.load("break"))


def logged(*pairs: tuple[int, int]) -> NDArray[Any]:
    rows = np.zeros(len(pairs), collision_record)
    rows["a"], rows["b"] = np.array(pairs).T
    return rows


def test_what_falls_due_together_is_one_sample() -> None:
    sim, sink = simulation(), Kept()
    sampler = Sampler([Every(0.5), Times([0.5, 0.7])], [], events=True, count=len(sim.masses))
    sampler.begin(sim)
    sampler.take(sim, sink)
    assert sampler.due() == (0.5, 2**62)
    sim.run(until=0.5)
    assert sampler.is_due(sim)
    sampler.take(sim, sink)
    assert sampler.due()[0] == 0.7
    assert [each[0].time for each in sink.frames] == [0.0, 0.5]


def test_what_was_due_before_the_start_is_passed_over() -> None:
    sim = simulation().run(until=1.0)
    sampler = Sampler([Times([0.2, 1.0, 3.0])], [], events=True, count=len(sim.masses))
    sampler.begin(sim)
    assert sampler.due()[0] == 1.0


def test_collisions_call_for_a_sample() -> None:
    sim, sink = simulation(), Kept()
    sampler = Sampler([Collisions(2)], [], events=False, count=len(sim.masses))
    sampler.begin(sim)
    sampler.take(sim, sink)
    assert sampler.due()[1] == 2
    sim.run(collisions=2)
    assert sampler.is_due(sim)


def test_rows_are_those_of_the_beginning_when_balls_are_gone() -> None:
    sim, sink = simulation(), Kept()
    count = len(sim.masses)
    sampler = Sampler([Every(1.0)], [], events=True, count=count)
    sampler.begin(sim)
    who = sampler.rows
    sim.remove([1, 3])
    sampler.keep_only(np.array([k for k in range(count) if k not in {1, 3}]))
    frame = sampler.frame(sim)
    assert np.flatnonzero(~frame.present).tolist() == [1, 3]
    assert frame.positions[4].tolist() == sim.positions[2].tolist()
    sampler.collided(logged((1, 2), (2, NOBODY)), sampler.rows, sink)
    sampler.collided(logged((1, 2)), who, sink)
    assert [rows[["a", "b"]].tolist() for rows in sink.rows] == [[(2, 4), (4, NOBODY)], [(1, 2)]]
    sampler.take(sim, sink)
    masses, radii = sink.frames[0][3]
    assert masses[[1, 3]].tolist() == radii[[1, 3]].tolist() == [0.0, 0.0]


def test_added_balls_have_no_row() -> None:
    sampler = Sampler([Every(1.0)], [], events=True, count=3)
    sampler.check_row_count(3)
    with pytest.raises(ArgumentError, match=r"record: balls cannot be added while a run is being recorded\. Close"):
        sampler.check_row_count(4)


def test_state_goes_on_where_it_was() -> None:
    sim, sink = simulation(), Kept()
    first = Sampler([Every(0.25)], [Count()], events=False, count=len(sim.masses))
    first.begin(sim)
    first.collided(logged((0, 1), (2, 3)), first.rows, sink)
    first.take(sim, sink)
    second = Sampler([Every(0.25)], [Count()], events=False, count=len(sim.masses))
    second.resume(sim, first.state())
    assert second.due() == first.due() == (0.25, 2**62)
    second.take(sim, sink)
    assert sink.frames[-1][2]["count"] == 2.0


def test_a_trial_leaves_no_trace() -> None:
    class Once(Count):
        def sample(self, sim: Any) -> float:
            self.met += 1
            return float(self.met)

    sim = simulation()
    sampler = Sampler([Every(1.0)], [Once()], events=False, count=len(sim.masses))
    sampler.begin(sim)
    assert sampler.preview(sim)["count"] == sampler.preview(sim)["count"] == 1.0


def test_observables_by_name_and_of_ones_own() -> None:
    mine = Count()
    found = observables_for(["energy", mine])
    assert [each.name for each in found] == ["energy", "count"]
    assert found[1] is mine
    assert [each.name for each in observables_for("energy")] == ["energy"]


def test_wrong_observables_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"observables: 7 is not an observable\. Give names"):
        observables_for([7])
    with pytest.raises(ArgumentError, match=r"observables: 'energy' is there twice\."):
        observables_for(["energy", "energy"])


@pytest.mark.parametrize("name", ["a/b", "/abs", ".", " ", "a b", "a\x00b", "1st", "a\n", 3])
def test_a_name_that_cannot_stand_in_a_file_is_refused(name: object) -> None:
    odd = type("Odd", (Count,), {"name": name})()
    with pytest.raises(
        ArgumentError, match=r"^observables: .* is not a name\. Give the class a name of letters, digits"
    ):
        observables_for([odd])


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^observables: 3 is not a list\. Give a list of names"):
        observables_for(3)
