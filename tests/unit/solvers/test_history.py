"""Any instant of a run again, bit for bit, from its events."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from carom import Ball, Box, Scene, Simulation, StackError
from carom.errors import ArgumentError, SolverError
from carom.scene import library
from carom.solvers.choose import Wish, solver_for
from carom.solvers.exact import engine
from carom.solvers.exact import state as stored
from carom.solvers.exact.history.history import History
from carom.solvers.exact.history.notes import SEAMS, note_record
from golden import states
from reference.scenes import lattice_scene


def remembered(scene: Scene, **wish: Any) -> tuple[Simulation, History]:
    """A run that is remembered from its start."""
    sim = Simulation(scene, solver="exact", check=False, **wish)
    history = History(sim.scene)
    sim._solver.remember(history)  # type: ignore[attr-defined]  # of the exact solver
    return sim, history


def seen(sim: Simulation) -> tuple[bytes, ...]:
    solver, d = sim._solver, sim.scene.dimension
    numbers = (solver.places(sim.time)[:, :d], solver.velocities(sim.time)[:, :d], solver.turns)
    x, v = solver.look(sim.time)  # type: ignore[attr-defined]  # of the exact solver
    assert (x.tobytes(), v.tobytes()) == (numbers[0].tobytes(), numbers[1].tobytes()), "in one pass it is the same"
    return tuple(np.array(each).tobytes() for each in numbers)


def told(history: History, t: float) -> tuple[bytes, ...]:
    instant = history.at(t)
    assert instant.time == t
    return tuple(each.tobytes() for each in (instant.places, instant.velocities, instant.turns))


def watch(sim: Simulation, times: Any) -> dict[float, tuple[bytes, ...]]:
    """Run, and note what is seen at which time."""
    return {float(t): seen(sim.run(until=float(t))) for t in times}


def shuffled(times: Any) -> list[float]:
    return [float(t) for t in np.random.default_rng(5).permutation(list(times))]


class Growing(dict[str, Any]):
    """Columns that grow as datasets do."""

    def append(self, rows: dict[str, Any]) -> None:
        for name, each in rows.items():
            self[name] = np.concatenate([self[name], each]) if name in self else each


# In memory.


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", states.SCENES)
def test_any_instant_again(name: str) -> None:
    make, collisions = states.SCENES[name]
    end = Simulation(make(), solver="exact").run(collisions=collisions).time
    sim, history = remembered(make())
    noted = watch(sim, np.linspace(0.0, end, 40))
    for t in [*shuffled(noted), *noted]:
        assert told(history, t) == noted[t]
    assert history.end == end
    assert len(history) >= sim.collisions
    golden = states.json.loads(states.FILE.read_text(encoding="utf-8"))
    sim.run(collisions=collisions - sim.collisions)
    assert states.digest(sim) == golden[name], "remembering changes no bit"


EXACT = [name for name in library.names() if name != "empty" and solver_for(library.load(name), Wish()) == "exact"]


@pytest.mark.parametrize("name", EXACT)
def test_every_scene_of_the_library(name: str) -> None:
    scene = library.load(name)
    end = Simulation(scene, solver="exact", check=False).run(until=2.0, collisions=2000).time
    sim, history = remembered(scene)
    noted = watch(sim, np.linspace(0.0, end, 21))
    for t in shuffled(noted):
        assert told(history, t) == noted[t]


def test_pages_begin_with_epochs_and_when_they_are_full() -> None:
    make, collisions = states.SCENES["periodic"]
    sim, history = remembered(make())
    sim.run(collisions=2 * collisions)
    epochs = sim._solver.epochs  # type: ignore[attr-defined]  # of the exact solver
    assert epochs > 3
    assert len(history._headings) > 3 * epochs
    assert {head.origin for head in history._headings[-8:]} != {history._headings[0].origin}
    kinds = {int(how) for page in history._pages.values() for how in page.notes["kind"][: page.count]}
    assert any(how >= SEAMS for how in kinds), "seams are events too"
    assert any(how < SEAMS and how >> 2 != 13 for how in kinds), "balls meet across seams"


@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_rows_in_the_order_of_a_curve(neighbours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LARGE", 10)
    monkeypatch.setattr(engine, "ORDERED", 10)
    monkeypatch.setattr(engine, "REORDER", 1)
    sim, history = remembered(states.SCENES["periodic"][0](), neighbours=neighbours)
    noted = watch(sim, np.linspace(0.0, 400.0, 30))
    assert sim._solver.epochs > 1  # type: ignore[attr-defined]  # of the exact solver
    for t in shuffled(noted):
        assert told(history, t) == noted[t]


def test_told_while_logged_or_not() -> None:
    """Whoever asks for collisions has pairs told from the lower number; the motion is the same, and so the history."""
    make, _ = states.SCENES["walls"]
    one, first = remembered(make())
    two, second = remembered(make())
    one.run(collisions=2000)
    two.collide(collisions=2000)
    assert told(first, one.time) == told(second, one.time) == seen(one)


def test_the_instant_of_a_collision_is_after_it() -> None:
    sim, history = remembered(library.load("break"))
    for hit in list(sim.events(collisions=20)):
        instant = history.at(hit.time)
        assert np.isfinite(instant.places).all()
    assert told(history, sim.time) == seen(sim)


@pytest.mark.requirement("T-08")
def test_a_state_from_which_the_run_goes_on() -> None:
    make, _ = states.SCENES["bouncing"]
    sim, history = remembered(make())
    sim.run(until=30.0)
    for t in (0.0, 1.7, 3.3, 9.0, 29.0):
        straight = Simulation(make(), solver="exact").run(until=t)
        other = Simulation(history.scene(t), solver="exact", check=False)
        other._solver.restore(history.state(t))
        other._run.time = t
        assert straight._solver.state().keys() == history.state(t).keys()
        for name, column in straight._solver.state().items():
            assert column.tobytes() == history.state(t)[name].tobytes(), name
        assert other.collisions_by_kind == straight.collisions_by_kind
        assert seen(other.run(until=30.0)) == seen(sim)


def test_memory_for_an_event_is_small() -> None:
    sim, history = remembered(lattice_scene(10, 2, (True, True)))
    sim.run(collisions=20_000)
    state = sum(each.nbytes for each in sim._solver.state().values())
    assert history.bytes_per_event == pytest.approx(note_record.itemsize + state / stored.LEAST_PAGE, rel=0.1)
    assert state / 100 < 100, "bytes a ball and page"
    assert note_record.itemsize + state / (stored.PAGE * 100) < 30, "where pages are of full length"


def test_an_instant_of_a_thousand_balls_is_told_within_a_millisecond() -> None:
    sim, history = remembered(library.load("gas"))
    assert len(sim.scene.balls) == 1000
    sim.run(collisions=40_000)
    times = shuffled(np.linspace(0.0, sim.time, 200))
    rounds = []
    for k in range(10):  # the best of some: others may be at work on the machine
        began = perf_counter()
        for t in times[20 * k : 20 * k + 20]:
            history.at(t)
        rounds.append((perf_counter() - began) / 20)
    assert min(rounds) < 1e-3


# Edits, copies, errors.


def test_edits_begin_chapters() -> None:
    sim, history = remembered(library.load("break"))
    noted = watch(sim, np.linspace(0.0, 0.5, 10))
    sim.change(0, velocity=(0.5, 0.1))
    noted |= watch(sim, np.linspace(0.5, 1.0, 10))
    sim.add(Ball(position=(0.05, 0.05), radius=0.01, mass=0.01, velocity=(0.1, 0.2)))
    noted |= watch(sim, np.linspace(1.01, 1.5, 10))
    sim.change_walls(restitution=0.5)
    noted |= watch(sim, np.linspace(1.51, 3.0, 10))
    sim.remove(3)
    noted |= watch(sim, np.linspace(3.01, 4.0, 10))
    assert len(history.at(1.0).places) == 17, "at the instant of an edit it is as it was after it"
    assert len(history.at(np.nextafter(1.0, 0.0)).places) == 16
    del noted[1.0], noted[3.0]
    for t in shuffled(noted):
        assert told(history, t) == noted[t]
    assert [len(history.scene(t).balls) for t in (0.1, 1.2, 2.0, 3.5)] == [16, 17, 17, 16]
    columns = Growing()
    columns.append(history.drain())
    again = History.over(library.load("break"), columns)
    for t in shuffled(noted):
        assert told(again, t) == noted[t]


def test_a_copy_does_not_write_into_the_history() -> None:
    sim, history = remembered(states.SCENES["periodic"][0]())
    sim.run(collisions=100)
    events = len(history)
    sim.copy().run(collisions=100)
    assert sim.upcoming
    assert len(history) == events
    sim.run(collisions=100)
    assert len(history) > events
    assert told(history, sim.time) == seen(sim)


def test_two_histories_and_one_that_is_let_go() -> None:
    sim, one = remembered(states.SCENES["periodic"][0]())
    noted = watch(sim, [1.0, 2.0])
    two = History(sim.scene)
    solver: Any = sim._solver
    solver.remember(two)
    noted |= watch(sim, [2.5, 3.0])
    solver.forget(one)
    noted |= watch(sim, [3.5, 4.0])
    assert [told(one, t) == noted[t] for t in (1.0, 2.0, 2.5, 3.0)] == [True] * 4
    assert [told(two, t) == noted[t] for t in (2.5, 3.0, 3.5, 4.0)] == [True] * 4
    with pytest.raises(ArgumentError, match=r"4\.0 s is not in the history"):
        one.at(4.0)
    solver.forget(two)
    assert solver.scribe.page is None
    sim.run(until=5.0)
    assert two.end == 4.0


def test_an_error_leaves_it_usable() -> None:
    balls = [Ball(position=(2.0, 0.5), radius=0.5, fixed=True), Ball(position=(2.0, 1.5), radius=0.25)]
    scene = Scene(boundary=Box(size=(4.0, 4.0)), gravity=(0.0, -1.0), balls=balls, restitution=0.5)
    sim, history = remembered(scene)
    noted = watch(sim, np.linspace(0.0, 1.0, 5))
    with pytest.raises(StackError):
        sim.run(until=100.0)
    noted[sim.time] = seen(sim)
    for t in shuffled(noted):
        assert told(history, t) == noted[t]
    with pytest.raises(ArgumentError, match="is not in the history"):
        history.at(100.0)


@pytest.mark.parametrize("t", [-0.1, 1.5, np.nan, "now", True])
def test_times_that_are_not_known_are_refused(t: Any) -> None:
    sim, history = remembered(library.load("break"))
    assert told(history, 0.0) == seen(sim)
    with pytest.raises(ArgumentError, match="Run first"):
        History(sim.scene).at(0.0)
    sim.run(until=1.0)
    with pytest.raises(ArgumentError, match=r"^t: .*(is not in the history|is not a time)"):
        history.at(t)


def test_a_scene_without_movers() -> None:
    sim, history = remembered(Scene(boundary=Box(size=(1.0, 1.0)), balls=[Ball(position=(0.5, 0.5), fixed=True)]))
    sim.run(until=2.0)
    assert told(history, 1.0) == seen(sim)


# In columns.


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("forget", [False, True])
def test_columns_hold_the_same(forget: bool) -> None:
    make, _ = states.SCENES["falling"]
    sim, history = remembered(make())
    columns, noted = Growing(), {}
    for t in np.linspace(0.0, 200.0, 41):
        noted |= watch(sim, [t])
        columns.append(history.drain(forget=forget))
    assert len(columns["marks"]) == 41
    again = History.over(make(), columns)
    assert (len(again), again.end) == (len(history), history.end)
    for t in shuffled(noted):
        assert told(again, t) == noted[t]
        if not forget:
            assert told(history, t) == noted[t]
    if forget:
        assert len(history._pages) == 1
        with pytest.raises(ArgumentError, match="not in memory any more"):
            history.at(0.0)


def test_what_is_behind_the_last_mark_does_not_count() -> None:
    make, _ = states.SCENES["falling"]
    sim, history = remembered(make())
    columns = Growing()
    noted = watch(sim, np.linspace(0.0, 50.0, 11))
    columns.append(history.drain())
    sim.run(until=150.0)
    torn = {name: rows for name, rows in history.drain().items() if name != "marks"}
    for name in list(torn)[::2]:
        columns.append({name: torn[name]})
    again = History.over(make(), columns)
    assert again.end == 50.0
    for t in shuffled(noted):
        assert told(again, t) == noted[t]


def test_a_resumed_run_goes_on_in_the_same_columns() -> None:
    make, _ = states.SCENES["periodic"]
    sim, history = remembered(make())
    columns = Growing()
    noted = watch(sim, np.linspace(0.0, 20.0, 11))
    columns.append(history.drain(forget=True))
    state = sim._solver.state()
    other = Simulation(make(), solver="exact")
    other._solver.restore(state)
    other._run.time = sim.time
    more = History.over(make(), columns)
    other._solver.remember(more)  # type: ignore[attr-defined]  # of the exact solver
    noted |= watch(other, np.linspace(20.5, 60.0, 11))
    columns.append(more.drain())
    noted |= watch(other, np.linspace(60.5, 80.0, 11))
    columns.append(more.drain())
    assert seen(sim.run(until=80.0)) == noted[80.0]
    for known in (more, History.over(make(), columns)):
        for t in shuffled(noted):
            assert told(known, t) == noted[t]


def spoil(name: str, change: Callable[[Any], Any]) -> Callable[[Growing], None]:
    def act(columns: Growing) -> None:
        columns[name] = change(columns[name])

    return act


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (spoil("event_ball", lambda rows: rows + np.uint32(1000)), "name balls or walls that are not there"),
        (spoil("event_partner", lambda rows: rows + np.uint32(1000)), "name balls or walls that are not there"),
        (spoil("event_time", lambda rows: rows[:-5]), "not whole"),
        (spoil("frame_since", lambda rows: rows[:0]), "pages are missing"),
        (spoil("marks", lambda rows: rows[:0]), "no mark"),
        (spoil("anchor_rest_on", lambda rows: rows + np.int32(100)), "rest_on names a wall"),
        (lambda columns: columns.pop("event_kind"), "the column event_kind is missing"),
    ],
)
def test_columns_that_are_torn_are_refused(act: Any, what: str) -> None:
    sim, history = remembered(states.SCENES["falling"][0]())
    sim.run(collisions=500)
    columns = Growing()
    columns.append(history.drain())
    act(columns)
    with pytest.raises(SolverError, match=what) as caught:
        History.over(sim.scene, columns).at(sim.time)
    assert "\n" not in str(caught.value)
