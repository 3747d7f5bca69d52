"""Custom forces: what they raise stops the run and is told, and their parameters can be given and changed."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import carom
from carom import ArgumentError, Attraction, Ball, Balls, Box, ForceError, Link, Scene, Simulation, SolverError
from carom.solvers.stepped.integrators.cards import INTEGRATORS

ALONE = Scene(balls=[Ball(position=(1.0, 0.0))])
STEP = 1 / 128


@carom.force
def brittle(t, x, v, m, f, limit=0.5):
    """A push that fails late."""
    if t > limit:
        raise ValueError("outside my model")
    f[:, 0] += m


@carom.force
def spring(t, x, v, m, f, k, c=0.0):
    """To the origin, damped."""
    for i in range(len(m)):
        for axis in range(3):
            f[i, axis] -= k * x[i, axis] + c * v[i, axis]


@spring.potential
def stored(t, x, v, m, k):
    return 0.5 * k * float((x**2).sum())


@carom.force
def fields(t, x, v, m, f, charge, tensor):
    """A charge for each ball, and a linear field."""
    for i in range(len(m)):
        for axis in range(2):
            for other in range(2):
                f[i, axis] += charge[i] * tensor[axis, other] * x[i, other]


def state(sim: Simulation) -> tuple[object, ...]:
    return sim.time, sim.collisions, sim.positions.tobytes(), sim.velocities.tobytes()


class TestFailure:
    def test_an_exception_ends_the_run_and_names_the_force(self) -> None:
        sim = Simulation(ALONE, forces=[brittle], step=0.01)
        with pytest.raises(ForceError) as caught:
            sim.run(until=1.0)
        assert str(caught.value) == "force brittle failed at t = 0.51 s: ValueError: outside my model. Mend it."
        assert isinstance(caught.value, SolverError)
        assert (caught.value.force, caught.value.time) == ("brittle", sim.time + 0.01)
        assert sim.velocities[0, 0] == pytest.approx(sim.time, rel=1e-12), "the state of its last step can be read"
        assert np.isfinite(sim.energy)

    @pytest.mark.parametrize(
        "wish",
        [
            *({"integrator": name} for name in INTEGRATORS),
            {"contacts": "pile"},
            {"hooks": True},
        ],
        ids=str,
    )
    def test_it_stands_at_the_end_of_the_step_before_and_can_go_on(self, wish: dict[str, object]) -> None:
        """Once the force bears it, to the bits of a run in which nothing went wrong."""
        place = np.stack(np.divmod(np.arange(12), 4), axis=1) * 0.3 + 0.2
        scene = Scene(
            boundary=Box(size=(1.0, 1.4)), gravity=(0.0, -1.0), restitution=0.5, friction=0.2,
            balls=Balls(position=place, velocity=place - 0.6, radius=0.1),
            links=[Link(between=(0, 1), stiffness=50.0, damping=0.1, breaking=0.3)],
        )  # fmt: skip
        hooked = wish.pop("hooks", False)
        one, two = (Simulation(scene, forces=[brittle(limit=limit)], step=STEP, **wish) for limit in (0.5, 9.0))  # type: ignore[arg-type]  # whatever it is
        for sim in (one, two):
            if hooked:
                sim.after_step(lambda: None)
        with pytest.raises(ForceError):
            one.run(until=1.0)
        assert state(one) == state(two.run(until=one.time))
        assert 0.4 < one.time <= 0.5
        with pytest.raises(ForceError):
            one.run(until=1.0)
        one.change_force("brittle", limit=9.0)
        assert state(one.run(until=1.0)) == state(two.run(until=1.0))

    @pytest.mark.parametrize("index", [1, -2])
    def test_an_index_outside_is_an_error(self, index: int) -> None:
        @carom.force
        def careless(t, x, v, m, f, index):
            f[int(index), 0] += 1.0

        sim = Simulation(ALONE, forces=[careless(index=index)], step=0.01)
        with pytest.raises(ForceError, match=r"^force careless failed at t = 0 s: IndexError: index is out of bounds"):
            sim.run(until=1.0)
        assert sim.positions.tolist() == [[1.0, 0.0]]

    def test_a_value_that_is_given_back_is_an_error(self) -> None:
        @carom.force
        def returned(t, x, v, m, f):
            return -2.0 * x

        with pytest.raises(ArgumentError, match=r"^force returned: gives back a value .* adds to f\. Write f \+= …"):
            Simulation(ALONE, forces=[returned])

    def test_what_was_recorded_stays(self, tmp_path: Path) -> None:
        sim = Simulation(ALONE, forces=[brittle], step=0.01)
        with sim.record(tmp_path / "run.h5", every=0.1), pytest.raises(ForceError):
            sim.run(until=1.0)
        with carom.Recording(tmp_path / "run.h5") as recording:
            assert recording.times[-1] == pytest.approx(0.5)

    def test_between_two_steps_it_is_told_too(self) -> None:
        sim = Simulation(ALONE, forces=[brittle], step=0.3, integrator="rk4").run(until=0.35)
        sim.change_force(0, limit=0.1)
        with pytest.raises(ForceError, match="brittle"):
            _ = sim.forces

    def test_of_two_the_first_that_fails_is_named(self) -> None:
        @carom.force
        def fine(t, x, v, m, f):
            f[0, 0] += 0.0

        sim = Simulation(ALONE, forces=[fine, brittle(limit=0.1), brittle(limit=0.05)], step=0.01)
        with pytest.raises(ForceError, match=r"brittle failed at t = 0.06 s"):
            sim.run(until=1.0)

    def test_where_two_threads_attract(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("carom.solvers.stepped.build.CORES", 2)
        position = np.random.default_rng(3).uniform(-1.0, 1.0, (2100, 2))
        scene = Scene(balls=Balls(position=position), attraction=Attraction(G=1e-6, softening=0.1))
        sim = Simulation(scene, forces=[brittle(limit=0.035)], step=0.01)
        with pytest.raises(ForceError, match="outside my model"):
            sim.run(until=1.0)
        other = Simulation(scene, forces=[brittle], step=0.01)
        assert state(sim) == state(other.run(until=sim.time))


class TestParameters:
    def test_they_are_given_by_name(self) -> None:
        sims = [Simulation(ALONE, forces=[spring(k=k)], step=1e-3).run(until=1.0) for k in (1.0, 4.0)]
        assert [sim.positions[0, 0] for sim in sims] == pytest.approx([np.cos(1.0), np.cos(2.0)], abs=1e-5)
        assert [sim.account.error for sim in sims] == pytest.approx([0.0, 0.0], abs=5e-6)
        assert repr(spring(k=4.0)) == "<force spring(k=4.0, c=0.0)>"
        assert dict(spring(k=1)(c=2).parameters) == {"k": 1.0, "c": 2.0}

    def test_arrays_too(self) -> None:
        balls = Balls(position=[(1.0, 0.0), (0.0, 1.0)])
        force = fields(charge=[1.0, 2.0], tensor=[[-1.0, 0.0], [0.0, -2.0]])
        sim = Simulation(Scene(balls=balls), forces=[force, force(charge=[0.0, 0.0])], step=1e-3).run(until=1.0)
        assert sim.positions == pytest.approx(np.array([[np.cos(1.0), 0.0], [0.0, np.cos(2.0)]]), abs=1e-5)
        sim.change_force(0, charge=np.zeros(2))
        before = sim.velocities
        assert sim.run(until=2.0).velocities == pytest.approx(before)
        with pytest.raises(ValueError, match="read-only"):
            force.parameters["charge"][0] = 3.0  # type: ignore[index]  # it is an array

    def test_nothing_is_compiled_for_another_value(self, monkeypatch: pytest.MonkeyPatch) -> None:
        force = carom.force(spring.function)
        sim = Simulation(ALONE, forces=[force(k=1.0)], step=0.01).run(until=0.1)
        monkeypatch.setattr("carom.solvers.stepped.forces.custom_call.compile_force", None)
        monkeypatch.setattr("carom.solvers.stepped.forces.custom.compile_force", None)
        sim.change_force("spring", k=2.0)
        Simulation(ALONE, forces=[force(k=3.0, c=1.0)], step=0.01).run(until=0.1)
        with pytest.raises(TypeError):  # but for another kind of value it is
            sim.change_force("spring", k=[2.0])

    def test_a_change_counts_as_work_and_is_of_one_run_alone(self) -> None:
        sim = Simulation(ALONE, forces=[spring(k=1.0)], step=1e-3).run(until=1.0)
        other = sim.copy()
        sim.change_force("spring", k=9.0)
        assert sim.account.work == pytest.approx(4.0 * np.cos(1.0) ** 2, abs=1e-5)
        sim.run(until=2.0)
        assert abs(sim.account.error) < 1e-5
        assert [each.parameters["k"] for run in (sim, other) for each in run.custom_forces] == [9.0, 1.0]
        assert other.run(until=2.0).positions[0, 0] == pytest.approx(np.cos(2.0), abs=1e-5)
        sim.add(Ball(position=(0.0, 0.0)))
        assert sim.custom_forces[0].parameters["k"] == 9.0, "an edit keeps it"

    def test_copies_and_pickles_have_them(self) -> None:
        sim = Simulation(ALONE, forces=[spring(k=1.0), brittle], step=0.01).run(until=0.2)
        sim.change_force(0, k=3.0)
        others = [sim.copy(), pickle.loads(pickle.dumps(sim))]
        ends = {state(run.run(until=0.4)) for run in (sim, *others)}
        assert len(ends) == 1
        back = pickle.loads(pickle.dumps(spring(k=5.0)))
        assert dict(back.parameters) == {"k": 5.0, "c": 0.0}
        assert back.address == spring(k=1.0).address

    def test_a_checkpoint_wants_the_same(self, tmp_path: Path) -> None:
        sim = Simulation(ALONE, forces=[spring(k=1.0)], step=0.01).run(until=0.2)
        sim.change_force("spring", k=0.1 + 0.2)
        sim.save(tmp_path / "run.checkpoint")
        again = Simulation.resume(tmp_path / "run.checkpoint", forces=[spring(k=0.1 + 0.2)])
        assert state(again.run(until=0.5)) == state(sim.run(until=0.5))
        line = r"^forces: the saved run has <force spring\(k=0\.3\d*4, c=0\.0\)>; given are <force spring\(k=1\.0, "
        with pytest.raises(ArgumentError, match=line):
            Simulation.resume(tmp_path / "run.checkpoint", forces=[spring(k=1.0)])
        with pytest.raises(ArgumentError, match="spring lacks k"):
            Simulation.resume(tmp_path / "run.checkpoint", forces=[spring])

    @pytest.mark.parametrize(
        ("values", "line"),
        [
            ({"k": float("nan")}, "force spring.k: nan does not fit. Give a finite number, or an array of such "),
            ({"k": "much"}, "force spring.k: 'much' does not fit."),
            ({"k": True}, "force spring.k: True does not fit."),
            ({"k": np.zeros((2, 2, 2))}, "force spring.k: [[["),
            ({"kk": 1.0}, "force spring: there is no parameter 'kk'. Did you mean 'k'?"),
        ],
    )
    def test_a_wrong_one_is_one_clear_line(self, values: dict[str, object], line: str) -> None:
        sim = Simulation(ALONE, forces=[spring(k=1.0)], step=0.01)
        for give in (lambda: spring(**values), lambda: sim.change_force("spring", **values)):
            with pytest.raises(ArgumentError) as caught:
                give()
            assert str(caught.value).startswith(line)
        assert "\n" not in str(caught.value)

    def test_one_that_lacks_is_told(self) -> None:
        with pytest.raises(ArgumentError) as caught:
            Simulation(ALONE, forces=[spring])
        assert str(caught.value) == "forces[0]: spring lacks k. Give values: spring(k=…)."

    def test_a_force_that_is_not_there_is_told(self) -> None:
        sim = Simulation(ALONE, forces=[spring(k=1.0), spring(k=2.0)], step=0.01)
        for which in ("wind", "spring", 2, True):
            with pytest.raises(ArgumentError, match=r"is not one of the custom forces, which are: spring, spring\."):
                sim.change_force(which, k=1.0)
        sim.change_force(1, k=3.0)
        assert [each.parameters["k"] for each in sim.custom_forces] == [1.0, 3.0]
        with pytest.raises(ArgumentError, match="potential takes 'q'"):
            spring.potential(lambda t, x, v, m, q: 0.0)
