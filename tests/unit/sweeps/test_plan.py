"""What a run does: its plan, its scene, its seed."""

import pickle

import pytest

from carom.errors import SceneError
from carom.scene import library
from carom.sweeps.study.plan import (
    RunPlan,
    RunSpec,
    digest_of,
    draw_value,
    has_seed,
    hashable,
    plan_of,
    plan_problems,
    scene_of,
    seed_of,
)
from carom.sweeps.study.ranges import Uniform
from carom.sweeps.study.wanted import Wanted


def spec(seed=7, **parameters):
    return RunSpec(0, "0" * 16, 0, 0, seed, {path.replace("__", "."): value for path, value in parameters.items()})


def test_a_plan_with_parameters_in_it():
    plan = plan_of(RunPlan(until=1.0, step=0.1), spec(run__step=0.25, run__integrator="euler", restitution=0.5))
    assert (plan.until, plan.step, plan.integrator) == (1.0, 0.25, "euler")
    assert plan.table() == {"until": 1.0, "step": 0.25, "integrator": "euler"}


def test_a_bad_value_of_a_plan_is_refused():
    with pytest.raises(SceneError, match="step: -1 is not positive"):
        plan_of(RunPlan(until=1.0), spec(run__step=-1))
    with pytest.raises(SceneError, match="collisions: 0 is not a number of collisions"):
        RunPlan(collisions=0)


@pytest.mark.parametrize(
    ("plan", "take", "lines"),
    [
        (RunPlan(until=1.0), "last", []),
        (RunPlan(collisions=1, every=0.5), "mean", []),
        (RunPlan(), "last", ["run: it is not said when a run ends. Add until = … (s) or collisions = …."]),
        (
            RunPlan(until=1.0),
            "mean",
            ["run.every: is missing, and 'energy' is to be sampled. Add every = … (s), or take = \"last\"."],
        ),
        (
            RunPlan(until=1.0, settle=1.0),
            "last",
            ["run.settle: 1 s leaves nothing of a run that ends at 1 s. Use a shorter time."],
        ),
        (
            RunPlan(until=1.0, events=True),
            "last",
            ["run.events: is given without record. Add record = true, or leave it out."],
        ),
        (RunPlan(until=1e6, every=0.1), "mean", []),
        (
            RunPlan(until=1e6, every=1e-6),
            "mean",
            [
                (
                    "run.every: 1e-06 s makes more than 10000000 samples of a run that ends at 1e+06 s. "
                    "Use a longer time, such as 1e+03 s."
                )
            ],
        ),
    ],
)
def test_what_does_not_fit_together(plan, take, lines):
    assert [str(problem) for problem in plan_problems(plan, [Wanted(name="energy", take=take)])] == lines


def test_a_scene_has_its_parameters_and_its_seed():
    base = {"generator": {"kind": "gas", "count": 4}}
    scene = scene_of(base, spec(generator__packing_fraction=0.1))
    assert scene == library.load("gas", count=4, packing_fraction=0.1, seed=7)
    assert base == {"generator": {"kind": "gas", "count": 4}}


def test_a_seed_that_is_swept_stays():
    base = {"generator": {"kind": "gas", "count": 4}}
    assert scene_of(base, spec(generator__seed=3)) == library.load("gas", count=4, seed=3)


def test_a_generator_without_a_seed_gets_none():
    assert not has_seed({"generator": {"kind": "pool-break"}})
    assert not has_seed({"balls": []})
    assert scene_of({"generator": {"kind": "pool-break"}}, spec()) == library.load("pool-break")


def test_numbers_from_content_never_change():
    """Results that are there would be done again if they did."""
    assert digest_of({"b": [1.5, "é"], "a": True}) == digest_of({"a": True, "b": [1.5, "é"]})
    assert digest_of({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert seed_of("0" * 63 + "1") == 3717377837946358015
    assert draw_value(Uniform(uniform=(0, 1)), 1, "restitution") == 0.17463649042549073


def test_equal_numbers_are_told_alike():
    assert hashable(1) == hashable(1.0)
    assert hashable(True) != hashable(1)
    assert hashable("1") != hashable(1)
    assert hashable(2**62 + 1) != hashable(2**62)


def test_a_run_is_small_and_plain():
    one = spec(generator__count=100)
    assert pickle.loads(pickle.dumps(one)) == one
    assert len(pickle.dumps(one)) < 300
