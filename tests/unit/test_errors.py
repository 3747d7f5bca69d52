"""Errors say where, what and how to mend it."""

import pickle

import pytest

from carom import Ball, Scene, Simulation, Stepping, draw, sweep
from carom.errors import (
    ArgumentError,
    CaromError,
    ClusterError,
    EndlessError,
    InputError,
    MissingExtraError,
    NotExactError,
    Problem,
    SceneError,
    SolverError,
    StackError,
    StudyError,
    VersionError,
    first_problems,
)

MASS = Problem("mass", "-1 is not positive", "Use a number above 0.")

EVERY_ERROR = [
    SceneError([MASS], source="gas.toml"),
    ArgumentError([MASS], source="run.h5"),
    StudyError([MASS], source="study.toml"),
    ClusterError("tcp://127.0.0.1:1", "nobody answers", "Check the address."),
    NotExactError("springs"),
    StackError((3, 7), 1.25),
    EndlessError(0.5, 1000),
    MissingExtraError("plots", "plots"),
    VersionError("Numba 0.1 is installed", "numba>=0.63.1"),
]


def test_a_problem_is_one_line():
    assert str(MASS) == "mass: -1 is not positive. Use a number above 0."


def test_a_problem_without_a_place():
    assert str(Problem("", "balls 3 and 7 overlap", "Move them.")) == "balls 3 and 7 overlap. Move them."


def test_a_problem_by_its_id_has_values_and_texts_of_the_catalogue():
    problem = Problem("more", where="balls", n=3)
    assert (problem.id, problem.where, problem.values) == ("more", "balls", {"n": 3})
    assert problem.what == "... and 3 more"
    assert problem.remedy == "Mend these first, then check again."
    assert str(problem) == "balls: ... and 3 more. Mend these first, then check again."
    assert problem == Problem("more", where="balls", n=3) != Problem("more", where="balls", n=4)
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_a_problem_may_be_made_of_three_texts():
    named = Problem(where="mass", what="-1 is not positive", remedy="Use a number above 0.")
    assert named == MASS
    assert (MASS.where, MASS.what, MASS.remedy) == ("mass", "-1 is not positive", "Use a number above 0.")
    assert MASS.line("pl") == str(MASS)


@pytest.mark.parametrize(
    ("outer", "inner", "path"),
    [
        ("balls[3]", "mass", "balls[3].mass"),
        ("balls", "[3].mass", "balls[3].mass"),
        ("", "mass", "mass"),
        ("balls", "", "balls"),
    ],
)
def test_a_problem_seen_from_further_out(outer, inner, path):
    assert Problem(inner, "what", "remedy.").inside(outer).where == path


def test_a_scene_error_has_one_line_a_problem_after_the_file():
    error = SceneError([MASS, MASS.inside("balls[3]")], source="gas.toml")
    assert str(error).splitlines() == [f"gas.toml: {MASS}", f"gas.toml: balls[3].{MASS}"]


def test_the_tree():
    assert issubclass(SceneError, InputError)
    assert issubclass(ArgumentError, InputError)
    assert issubclass(InputError, ValueError)
    assert not issubclass(ArgumentError, SceneError)
    assert issubclass(MissingExtraError, ImportError)
    assert all(issubclass(kind, SolverError) for kind in (NotExactError, StackError, EndlessError))
    assert all(isinstance(error, CaromError) for error in EVERY_ERROR)


@pytest.mark.parametrize(
    "call",
    [
        lambda sim: sim.run(),
        lambda sim: sim.run(until=-1.0),
        lambda sim: sim.push(99, (0.0, 0.0)),
        lambda sim: sim.remove(99),
        lambda sim: sim.add("ball"),
        lambda sim: sim.before_step(3),
        lambda sim: sim.measure("warmth", until=1.0),
        lambda sim: sim.measure("energy", until=1.0, every=0.0),
        lambda sim: sim.record("a.h5", every=-1.0),
        lambda sim: Simulation(sim.scene, solver="fast"),
        lambda sim: Simulation(sim.scene, integrator="fast"),
        lambda sim: Simulation(sim.scene, forces=[3]),
        lambda sim: draw(sim, scale="huge"),
        lambda sim: sweep("pi", workers=0),
    ],
)
def test_a_wrong_argument_is_no_error_of_the_scene(call):
    sim = Simulation(Scene(drag=1.0, balls=[Ball(position=(0.0, 0.0))]))
    with pytest.raises(InputError) as caught:
        call(sim)
    assert type(caught.value) is ArgumentError


@pytest.mark.parametrize(
    "call",
    [
        lambda: Scene(balls=[Ball(position=(0.0, 0.0), mass=-1.0)]),
        lambda: Simulation(Scene(balls=[Ball(position=(0.0, 0.0), radius=1.0)] * 2)),
        lambda: Simulation(Scene(drag=1.0, stepping=Stepping(integrator="fast"))),
        lambda: Simulation(Scene(balls=[Ball(position=(0.0, 0.0), radius=1.0)])).add(
            Ball(position=(1.0, 0.0), radius=1)
        ),
    ],
)
def test_a_scene_that_cannot_be_is_an_error_of_the_scene(call):
    with pytest.raises(InputError) as caught:
        call()
    assert type(caught.value) is SceneError


@pytest.mark.parametrize("error", EVERY_ERROR, ids=lambda error: type(error).__name__)
def test_errors_travel_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NotExactError("springs"), ["springs", "exact", "stepped solver"]),
        (StackError((3, 7), 1.25), ["balls 3 and 7", "t = 1.25 s", "stepped solver"]),
        (EndlessError(0.5, 1000), ["1000 events", "t = 0.5 s", "contact_time"]),
        (MissingExtraError("a plot", "plots", ["matplotlib"]), ["a plot needs matplotlib", '"carom[plots]"']),
    ],
)
def test_texts_name_what_matters(error, words):
    assert all(word in str(error) for word in words)
    assert "\n" not in str(error)


def test_the_first_problems_and_how_many_more():
    few = [MASS] * 3
    assert first_problems(few) == few
    assert [str(problem) for problem in first_problems(few, limit=2)[2:]] == [
        "... and 1 more. Mend these first, then check again."
    ]
    assert first_problems(few, 100)[-1].what == "... and 97 more"
    assert first_problems(few, 100, at_least=True)[-1].what == "... and at least 97 more"
