"""A state taken out and put into a fresh run: the same bits as without."""

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom import Attraction, Ball, Balls, Box, Cloth, Link, Scene, Simulation, StepWarning
from carom.errors import CaromError, SolverError
from carom.scene import library
from carom.scene.io.files import dumps, loads
from carom.solvers.exact import engine as exact
from carom.solvers.stepped import build, row_order
from golden import states
from golden import stepped as golden_stepped
from reference.scenes import lattice_scene

TESTS = Path(__file__).parents[2]


def through_a_file(state: dict[str, Any]) -> dict[str, Any]:
    """What comes back from an archive without pickles."""
    file = io.BytesIO()
    np.savez(file, **state)
    file.seek(0)
    with np.load(file, allow_pickle=False) as found:
        return dict(found)


def fresh(sim: Simulation, **wish: Any) -> Simulation:
    """A run of the same scene, read from its text, and the same method; what is scratch in it has no meaning."""
    if sim.solver == "stepped":
        method = sim.method
        wish = {"step": method.step, "integrator": method.integrator.name, "contacts": method.contacts, **wish}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        other = Simulation(loads(dumps(sim.scene, "json"), "json"), solver=sim.solver, check=False, **wish)
    if sim.solver == "stepped":
        bodies = other._solver.bodies  # type: ignore[attr-defined]  # of the stepped solver
        for scratch in (bodies.last, bodies.rest, bodies.slopes, bodies.begin):
            scratch[:] = np.nan
    return other


def resumed(sim: Simulation, **wish: Any) -> Simulation:
    """A fresh run that goes on where this one stands."""
    state = through_a_file(sim._solver.state())
    other = fresh(sim, **wish)
    other._solver.restore(state)
    other._run.time = sim.time
    return other


def all_of(sim: Simulation) -> list[Any]:
    """Everything that can be read of a run, as bytes."""
    numbers = [sim.positions, sim.velocities, sim.turns, np.array([sim.time, sim.energy])]
    account = [repr(sim.account)] if sim.solver == "stepped" else []
    return [
        *(each.tobytes() for each in numbers), sim.collisions_by_kind, sim.resting, sim._solver.softened, *account,
    ]  # fmt: skip


def goes_on_the_same(sim: Simulation, run: Callable[[Simulation], object], **wish: Any) -> None:
    """Cut here, take the state into a fresh run, and let both go on."""
    other = resumed(sim, **wish)
    assert all_of(other) == all_of(sim)
    before = all_of(sim)
    rows, same = run(sim), run(other)
    if isinstance(rows, np.ndarray) and isinstance(same, np.ndarray):
        assert rows.tobytes() == same.tobytes()
    assert all_of(sim) != before, "it goes on"
    assert all_of(other) == all_of(sim)
    assert _same_bytes(sim._solver.state(), other._solver.state())


def _same_bytes(one: dict[str, Any], two: dict[str, Any]) -> bool:
    return list(one) == list(two) and all(one[name].tobytes() == two[name].tobytes() for name in one)


# The exact solver.


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", states.SCENES)
def test_exact(name: str) -> None:
    make, collisions = states.SCENES[name]
    sim = Simulation(make(), solver="exact").run(collisions=collisions // 3)
    goes_on_the_same(sim, lambda run: run.collide(collisions=collisions - collisions // 3))
    golden = states.json.loads(states.FILE.read_text(encoding="utf-8"))
    assert states.digest(sim) == golden[name]


def test_exact_in_the_order_of_a_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "LARGE", 10)
    monkeypatch.setattr(exact, "ORDERED", 10)
    monkeypatch.setattr(exact, "REORDER", 1)
    make, collisions = states.SCENES["periodic"]
    sim = Simulation(make(), solver="exact").run(collisions=collisions // 2)
    goes_on_the_same(sim, lambda run: run.run(collisions=collisions // 2), neighbours="lists")


def test_exact_between_collisions_and_after_edits() -> None:
    sim = Simulation(states.bouncing(), solver="exact").run(until=3.0)
    sim.change(2, velocity=(0.25, 1.0))
    sim.change_scene(gravity=(0.0, -0.5), contact_time=None)
    sim.run(until=4.3)
    goes_on_the_same(sim, lambda run: run.run(until=9.0))


def test_reading_a_state_changes_nothing() -> None:
    make, collisions = states.SCENES["falling"]
    sim = Simulation(make(), solver="exact")
    for _ in range(10):
        sim.run(collisions=collisions // 10)
        sim._solver.state()
    golden = states.json.loads(states.FILE.read_text(encoding="utf-8"))
    assert states.digest(sim) == golden["falling"]


# The stepped solver.


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", golden_stepped.SCENES)
def test_stepped(name: str) -> None:
    until = golden_stepped.SCENES[name][2]
    sim = golden_stepped.start(name).run(until=0.4 * until)
    goes_on_the_same(sim, lambda run: run.collide(until=until))
    golden = states.json.loads(golden_stepped.FILE.read_text(encoding="utf-8"))
    assert states.digest(sim) == golden[name]


@pytest.mark.filterwarnings("ignore:step. with explicit-euler:carom.StepWarning")  # it gains energy, to the same bits
@pytest.mark.parametrize("integrator", ["stormer", "euler", "explicit-euler", "rk4", "pefrl"])
def test_integrators(integrator: str) -> None:
    sim = Simulation(golden_stepped.springs(), step=1 / 256, integrator=integrator).run(until=0.5)
    goes_on_the_same(sim, lambda run: run.run(until=1.0))


def test_births_links_that_broke_and_a_hand() -> None:
    balls = [Ball(position=(0.5 * k, 0.0), fixed=k == 0, born=0.25 * k if k > 3 else 0.0) for k in range(8)]
    links = [Link(between=(k, k + 1), stiffness=64.0, breaking=0.5, damping=0.25) for k in range(7)]
    scene = Scene(gravity=(0.0, -8.0), balls=balls, links=links)
    sim = Simulation(scene, step=1 / 128).run(until=0.25)
    sim.pull(2, (0.0, 4.0))
    sim.drive(1, velocity=(0.0, -1.0))
    sim.drive(5, acceleration=(1.0, 0.0))
    sim.pull(3, (3.0, -3.0), stiffness=100.0)
    sim.run(until=1.1)
    assert len(sim.links) < 7
    assert 0 < sim._solver.clock["bodies"][0] < 8  # type: ignore[attr-defined]  # some are born, some are to come
    goes_on_the_same(sim, lambda run: run.run(until=2.0))


def test_a_pile_that_needed_more_room_and_is_edited() -> None:
    sim = Simulation(golden_stepped.pile(), solver="stepped", step=1 / 64).run(until=1.0)
    engine: Any = sim._solver
    engine._make_room()
    sim.change(3, velocity=(0.0, 3.0))
    sim.run(until=1.5)
    goes_on_the_same(sim, lambda run: run.collide(until=2.0))


def test_a_cloth_that_was_edited_keeps_its_thickness() -> None:
    cloth = Cloth(
        corner=(0.0, 0.0, 0.0), sides=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), counts=(5, 5), stiffness=16.0, held="corners"
    )
    drops = Balls.concatenate([Ball(position=(0.3 + 0.2 * k, 0.5, 0.2), mass=0.05) for k in range(3)])
    scene = Scene(gravity=(0.0, 0.0, -8.0), balls=drops, structures=[cloth])
    sim = Simulation(scene, step=1 / 256).run(until=0.3)
    sim.change(0, velocity=(0.0, 0.0, 1.0))
    goes_on_the_same(sim, lambda run: run.run(until=0.8))


def test_rows_that_were_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_order, "LARGE", 10)
    monkeypatch.setattr(row_order, "SORTING", 8)
    sim = Simulation(lattice_scene(8, 2, (False, False)), solver="stepped", step=1 / 64).run(until=4.0)
    number = sim._solver.rows.number  # type: ignore[attr-defined]  # of the stepped solver
    assert (number != np.arange(64)).any(), "the rows were put in order"
    goes_on_the_same(sim, lambda run: run.collide(until=8.0))


def test_the_watch_on_attraction_goes_on() -> None:
    scene = Scene(
        balls=Balls(position=[(0.0, 0.0), (1.0, 0.0)], velocity=[(0.0, 0.001), (0.0, -0.001)]),
        attraction=Attraction(G=1.0, touch="pass"),
    )
    sim = Simulation(scene, step=0.01).run(until=0.2)
    other = resumed(sim)
    assert other._solver.watch == sim._solver.watch  # type: ignore[attr-defined]  # of the stepped solver
    for run in (sim, other):
        with pytest.warns(StepWarning, match="came closer than steps"):
            run.run(until=30.0)
        assert run._solver.watch is None  # type: ignore[attr-defined]  # of the stepped solver
    once_more = resumed(sim)
    once_more.run(until=60.0)
    assert all_of(once_more) == all_of(sim.run(until=60.0))


def test_a_force_of_ones_own_is_given_again() -> None:
    sim = Simulation(golden_stepped.springs(), step=1 / 128, forces=[wind]).run(until=0.5)
    goes_on_the_same(sim, lambda run: run.run(until=1.0), forces=[wind])


@carom.force
def wind(t: Any, x: Any, v: Any, m: Any, f: Any) -> None:
    for i in range(len(m)):
        f[i, 0] += 0.5 * np.cos(t) * m[i]


# All scenes.


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", [name for name in library.names() if name != "empty"])
def test_every_scene_of_the_library(name: str) -> None:
    sim = Simulation(library.load(name), check=False)
    if sim.solver == "exact":
        goes_on_the_same(sim.run(collisions=25), lambda run: run.run(until=run.time + 1.0))
    else:
        dt = sim.method.step
        goes_on_the_same(sim.run(until=20.5 * dt), lambda run: run.run(until=40.5 * dt))


def test_a_scene_without_balls() -> None:
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0))), solver="exact").run(until=1.0)
    assert all_of(resumed(sim)) == all_of(sim)


@pytest.mark.requirement("T-08")
def test_in_a_new_process(tmp_path: Path) -> None:
    exact_run = Simulation(states.table(), solver="exact").run(collisions=1000)
    pile = golden_stepped.start("pile").run(until=0.7)
    for name, sim in (("exact", exact_run), ("stepped", pile)):
        np.savez(tmp_path / f"{name}.npz", **sim._solver.state())
        (tmp_path / f"{name}.json").write_text(dumps(sim.scene, "json"), encoding="utf-8")
    code = """
import sys, numpy as np
from pathlib import Path
from carom import Simulation
from carom.scene.io.files import loads
from golden.states import digest
folder = Path(sys.argv[1])
for name, wish, end in (("exact", {}, {"collisions": 1000}), ("stepped", {"step": 1 / 64}, {"until": 1.5})):
    scene = loads((folder / f"{name}.json").read_text(encoding="utf-8"), "json")
    sim = Simulation(scene, solver=name, check=False, **wish)
    with np.load(folder / f"{name}.npz") as state:
        sim._solver.restore(dict(state))
    sim._run.time = sim._solver.time
    print(digest(sim.run(**end)))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=100)
    expected = [states.digest(exact_run.run(collisions=1000)), states.digest(pile.run(until=1.5))]
    assert done.stdout.split() == expected


# What does not fit.


def spoilt(state: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    return {**state, name: value}


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("place", np.zeros((3, 3)), "shape 3×3 where 6×3 fits"),
        ("velocity", np.zeros((6, 3), np.float32), "type float32"),
        ("time", np.full(6, np.nan), "not finite"),
        ("rest_on", np.full(6, 99, np.int32), "a wall that is not among"),
        ("counts", np.zeros(3, np.int64), "shape 3 where"),
    ],
)
def test_exact_refuses_what_does_not_fit(name: str, value: Any, what: str) -> None:
    sim = Simulation(states.bouncing(), solver="exact").run(collisions=5)
    before = all_of(sim)
    with pytest.raises(SolverError, match=what) as caught:
        sim._solver.restore(spoilt(sim._solver.state(), name, value))
    assert str(caught.value).startswith(f"state: {name} ")
    assert "\n" not in str(caught.value)
    assert all_of(sim) == before, "nothing is changed"


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("place", np.zeros((3, 4)), "shape 3×4 where 30×4 fits"),
        ("number", np.zeros(30, np.intp), "not an order of the balls"),
        ("step", np.array([0.5]), "is 0.5 s where"),
        ("driven", np.array([77]), "a ball that is not among 30"),
        ("pile_rows", np.zeros((1, 8)), "shape 1×8"),
    ],
)
def test_stepped_refuses_what_does_not_fit(name: str, value: Any, what: str) -> None:
    sim = golden_stepped.start("pile").run(until=0.25)
    before = all_of(sim)
    with pytest.raises(SolverError, match=what):
        sim._solver.restore(spoilt(sim._solver.state(), name, value))
    assert all_of(sim) == before, "nothing is changed"


def test_a_state_of_the_other_solver_is_refused() -> None:
    scene = states.bouncing()
    one, two = Simulation(scene, solver="exact"), Simulation(scene, solver="stepped")
    with pytest.raises(CaromError, match="state: place has the shape 6×4"):
        one._solver.restore(two._solver.state())
    with pytest.raises(CaromError, match="state: place has the shape 6×3"):
        two._solver.restore(one._solver.state())


def test_only_cores_that_may_be_used_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container may have one of two: a second thread would only be in the way of the first."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    assert build.usable_cores() == 1
