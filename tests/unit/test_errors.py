"""Errors say where, what and how to mend it."""

import pickle

import pytest

from carom.errors import (
    CaromError,
    ClusterError,
    EndlessError,
    MissingExtraError,
    NotExactError,
    Problem,
    SceneError,
    SolverError,
    StackError,
    StudyError,
    the_first,
)

MASS = Problem("mass", "-1 is not positive", "Use a number above 0.")

EVERY_ERROR = [
    SceneError([MASS], source="gas.toml"),
    StudyError([MASS], source="study.toml"),
    ClusterError("tcp://127.0.0.1:1", "nobody answers", "Check the address."),
    NotExactError("springs"),
    StackError((3, 7), 1.25),
    EndlessError(0.5, 1000),
    MissingExtraError("plots", "plots"),
]


def test_a_problem_is_one_line():
    assert str(MASS) == "mass: -1 is not positive. Use a number above 0."


def test_a_problem_without_a_place():
    assert str(Problem("", "balls 3 and 7 overlap", "Move them.")) == "balls 3 and 7 overlap. Move them."


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
    assert issubclass(SceneError, ValueError)
    assert issubclass(MissingExtraError, ImportError)
    assert all(issubclass(kind, SolverError) for kind in (NotExactError, StackError, EndlessError))
    assert all(isinstance(error, CaromError) for error in EVERY_ERROR)


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
    assert the_first(few) == few
    assert [str(problem) for problem in the_first(few, limit=2)[2:]] == [
        "... and 1 more. Mend these first, then check again."
    ]
    assert the_first(few, 100)[-1].what == "... and 97 more"
    assert the_first(few, 100, at_least=True)[-1].what == "... and at least 97 more"
