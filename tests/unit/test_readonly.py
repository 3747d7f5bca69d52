"""What a run hands out can be read, and an attempt to write names the call that changes the run."""

import copy
import pickle

import numpy as np
import pytest

from carom import ArgumentError, Ball, Box, Scene, Simulation

SCENE = Scene(
    boundary=Box(size=(1.0, 1.0), periodic=True),
    drag=0.1,
    balls=[Ball(position=(0.2, 0.2), velocity=(1.0, 0.5), radius=0.05), Ball(position=(0.7, 0.7), radius=0.1)],
)
ARRAYS = {
    "positions": r"sim\.change\(index, position=…\)",
    "velocities": r"sim\.change\(index, velocity=…\)",
    "masses": r"sim\.change\(index, mass=…\)",
    "radii": r"sim\.change\(index, radius=…\)",
    "forces": r"sim\.push\(index, impulse\)",
    "momentum": r"sim\.change\(index, velocity=…\)",
    "turns": r"turns\.copy\(\)",
}


@pytest.fixture
def sim() -> Simulation:
    return Simulation(SCENE).run(until=0.3)


def add_one(sim: Simulation, name: str) -> None:
    array = getattr(sim, name)
    array += 1


WRITES = {
    "a row": lambda sim, name: getattr(sim, name).__setitem__(0, 1),
    "all": lambda sim, name: getattr(sim, name).__setitem__(slice(None), 0),
    "a part of a part": lambda sim, name: getattr(sim, name)[:1].__setitem__(0, 1),
    "in place": add_one,
    "as the result": lambda sim, name: np.negative(sim.positions, out=getattr(sim, name)),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("name", ARRAYS)
def test_a_write_names_what_changes_the_run(sim: Simulation, name: str, write) -> None:
    before = sim.positions.tobytes(), sim.velocities.tobytes()
    with pytest.raises(ArgumentError, match=rf"^{name}: is read from the run.*{ARRAYS[name]}"):
        write(sim, name)
    assert (sim.positions.tobytes(), sim.velocities.tobytes()) == before


def test_an_attribute_that_is_added_to_in_place_is_refused_too(sim: Simulation) -> None:
    with pytest.raises(ArgumentError, match=r"sim\.change\(index, position=…\)"):
        sim.positions += 1.0
    with pytest.raises(ArgumentError, match=r"sim\.change\(index, velocity=…\)"):
        sim.velocities[0] *= 2.0


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x + 1.0,
        lambda x: 1.0 + x,
        lambda x: [0.0, 1.0] * x,
        lambda x: x @ x.T,
        lambda x: x.sum(axis=0),
        lambda x: np.linalg.norm(x, axis=1),
        lambda x: np.where(x > 0.0, x, 0.0),
        lambda x: np.concatenate([x, x]),
        lambda x: np.stack([x, x]),
        np.array,
        lambda x: x.copy(),
        lambda x: np.add(x, 1.0, out=np.zeros((2, 2)), where=x > 0.0),
        copy.copy,
        copy.deepcopy,
        lambda x: pickle.loads(pickle.dumps(x)),
    ],
)
def test_what_is_made_of_it_is_a_plain_array(sim: Simulation, made) -> None:
    result = made(sim.positions)
    assert type(result) is np.ndarray
    assert (result == made(np.array(sim.positions))).all()
    result[0] = 0.0


def test_a_number_of_it_is_a_plain_number(sim: Simulation) -> None:
    assert type(sim.positions[0, 0]) is type(sim.positions.max()) is type(sim.positions.sum()) is np.float64
    assert repr(sim.positions) == repr(np.array(sim.positions))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("positions", r"sim\.change\(index, position=…\)"),
        ("velocities", r"sim\.change\(index, velocity=…\)"),
        ("masses", r"sim\.change\(index, mass=…\)"),
        ("radii", r"sim\.change\(index, radius=…\)"),
        ("velocity", r"sim\.change\(index, velocity=…\)"),
        ("scene", r"sim\.change_scene\(…\)"),
        ("gravity", r"sim\.change_scene\(gravity=…\)"),
        ("balls", r"sim\.add\(balls\), sim\.remove\(index\), or sim\.change"),
        ("time", r"sim\.run\(until=…\)"),
        ("solver", r"Simulation\(sim\.snapshot\(\), solver=…\)"),
        ("step", r"Simulation\(sim\.snapshot\(\), step=…\)"),
        ("energy", "follows from the run"),
    ],
)
def test_setting_names_what_changes_the_run(sim: Simulation, name: str, remedy: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: cannot be set on a simulation\. .*{remedy}"):
        setattr(sim, name, 1.0)
    sim.note = "one's own attributes can be set"
    sim.run(until=0.4)
