"""Ranges: which values, exactly; and what is refused."""

import math
import statistics

import numpy as np
import pytest

from carom.errors import SceneError
from carom.sweeps.study.ranges import MAX_RUNS, Linear, Log, Normal, Uniform, Values, as_range


def values(given):
    one = as_range(given)
    return [one.value(k) for k in range(one.count_of)]


@pytest.mark.parametrize(
    ("given", "expected", "kind"),
    [
        ([100, 400], [100, 400], "int"),
        ([1, 2.5], [1.0, 2.5], "float"),
        (["verlet", "euler"], ["verlet", "euler"], "text"),
        ([True, False], [True, False], "bool"),
        (range(3), [0, 1, 2], "int"),
        (np.array([0.1, 0.2]), [0.1, 0.2], "float"),
        (np.array([1, 2]), [1, 2], "int"),
        ({"values": [3]}, [3], "int"),
        ({"linear": [0.1, 0.7], "count": 7}, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], "float"),
        ({"linear": [100, 400], "count": 4}, [100, 200, 300, 400], "int"),
        ({"linear": [0, 1], "count": 3}, [0.0, 0.5, 1.0], "float"),
        ({"linear": [1, 0], "count": 3}, [1.0, 0.5, 0.0], "float"),
        ({"linear": [0, 1], "step": 0.25}, [0.0, 0.25, 0.5, 0.75, 1.0], "float"),
        ({"linear": [0, 1], "step": 0.3}, [0.0, 0.3, 0.6, 0.9], "float"),
        ({"linear": [1.0, 0.0], "step": -0.5}, [1.0, 0.5, 0.0], "float"),
        ({"linear": [0.0, 1.0], "step": 1 / 3}, [0.0, 1 / 3, 2 / 3, 1.0], "float"),
        ({"linear": [2, 9], "step": 3}, [2, 5, 8], "int"),
        ({"log": [1e-4, 1e-2], "count": 5}, [1e-4, 10**-3.5, 1e-3, 10**-2.5, 1e-2], "float"),
        ({"log": [100, 100_000], "count": 4}, [100, 1000, 10_000, 100_000], "int"),
        ({"log": [1, 10], "count": 3}, [1.0, math.sqrt(10.0), 10.0], "float"),
    ],
)
def test_values_are_as_one_would_write_them(given, expected, kind):
    found = values(given)
    assert all(
        value == wanted or math.isclose(value, wanted, rel_tol=3e-16)
        for value, wanted in zip(found, expected, strict=True)
    )
    assert [type(value) for value in found] == [type(value) for value in expected]
    assert as_range(given).kind == kind


def test_decimals_are_exact():
    assert values({"linear": [0.1, 0.7], "count": 7})[2] == 0.3 != 0.1 + 2 * 0.1
    assert values({"linear": [0.0, 1.0], "step": 1 / 3})[-1] == 1.0  # and not three times the step, 0.9999999999999999
    assert values({"linear": [0.0, 1.0], "step": 0.1}) == [k / 10 for k in range(11)]
    assert values({"log": [1, 1e8], "count": 9}) == [10.0**k for k in range(9)]


@pytest.mark.parametrize(
    "given",
    [
        {"linear": [1.0, 1.0 + 2**-52], "count": 2},
        {"linear": [1.0, 1.0 + 2**-45], "count": 129},
        {"log": [1.0, 1.0 + 2**-52], "count": 2},
        {"linear": [2**62, 2**62 + 2000], "step": 1},
    ],
)
def test_values_as_close_as_numbers_are(given):
    assert len(set(values(given))) == as_range(given).count_of


def test_a_long_range_costs_nothing():
    one = as_range({"linear": [0, 1], "count": MAX_RUNS})
    assert one.count_of == MAX_RUNS
    assert one.value(MAX_RUNS - 1) == 1.0
    assert [index for index, _ in one.samples(3)] == [0, round((MAX_RUNS - 1) / 2), MAX_RUNS - 1]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ([], "values: the range is empty. Give at least one value."),
        ({"linear": [0, 1], "count": 0}, "count: the range is empty. Use count = 2 or more."),
        (
            {"linear": [0, 1], "count": 1},
            "count: from 0 to 1 in 1 value. Write values = [0], or two ends and count = 2 or more.",
        ),
        (
            {"linear": [2, 2], "count": 3},
            "count: from 2 to 2 in 3 values. Write values = [2], or two ends and count = 2 or more.",
        ),
        (
            {"linear": [0, 1], "step": -0.5},
            "step: the range is empty: steps of -0.5 do not lead from 0 to 1. Use step = 0.5.",
        ),
        (
            {"linear": [0, 1], "step": 0},
            "step: the range is empty: steps of 0 do not lead from 0 to 1. Use a step other than 0.",
        ),
        ({"linear": [0, 1], "step": 1e-300}, f"step: more than {MAX_RUNS} values. Ask for fewer."),
        ({"linear": [0, 1], "count": MAX_RUNS + 1}, f"count: more than {MAX_RUNS} values. Ask for fewer."),
        ({"linear": [0, 1]}, "neither count nor step is given. Give one of them: count = 7, or step = 0.1."),
        (
            {"linear": [0, 1], "count": 2, "step": 1},
            "both count and step are given. Give one of them: count = 7, or step = 0.1.",
        ),
        (
            {"linear": [0], "count": 2},
            "linear: [0] is not two numbers. Write the first and the last, such as [0.1, 0.7].",
        ),
        ({"linear": [0, math.inf], "count": 2}, "linear[1]: inf is not finite. Write a finite number."),
        ({"linear": [1.0, 1.0 + 2**-52], "count": 3}, "3 values are too close to be told apart. Ask for fewer."),
        (
            {"linear": [9.99999999999984e16, 9.99999999999992e16], "step": 10.0},
            "81 values are too close to be told apart. Ask for fewer.",
        ),
        ({"log": [1.0, 1.0 + 1e-14], "count": 90}, "90 values are too close to be told apart. Ask for fewer."),
        ({"log": [5e-324, 1e150], "count": 5000}, "5000 values are too close to be told apart. Ask for fewer."),
        ({"log": [0, 1], "count": 3}, "log[0]: 0 is not positive. Use numbers above 0."),
        ({"log": [1, 2]}, "count: is missing. Add it: how many values, both ends included."),
        ({"uniform": [1, 1]}, "uniform: from 1 to 1 is nothing. Write the lesser first."),
        ({"normal": [1, 0]}, "normal[1]: 0 is not a standard deviation. Use a number above 0."),
        ([math.nan], "values[0]: nan is not finite. Write a finite number."),
        ([2**63], f"values[0]: {2**63} is too large. Use whole numbers up to {2**63 - 1}."),
        (["a", 1], "values: ('a', 1) has numbers and texts together. Use values of one kind."),
        ([True, 1], "values: (True, 1) has numbers and true or false together. Use values of one kind."),
        (
            [[0.0, 1.0]],
            (
                "values[0]: [0.0, 1.0] is not a single value. "
                'Sweep its components by their own paths, such as "gravity[1]", and zip what goes together.'
            ),
        ),
        ([None], "values[0]: None is not a value. Use numbers, texts in quotes, true or false."),
        ({"lin": [0, 1]}, "'lin' is not a kind of range. Did you mean 'linear'?"),
        ({"count": 3}, "it is not said which values. Write one of values, linear, log, uniform, normal."),
        ({"log": [1, 2], "linear": [1, 2]}, "linear and log are given together. Keep one of them."),
        (3, "3 is not a range. Write a list of values, or a table with one of values, linear, log, uniform, normal."),
        (
            {"linear": [0, 1], "count": 3, "of": 1},
            "of: unknown key (with the value 1). Known keys: linear, count, step.",
        ),
    ],
)
def test_what_is_refused(given, line):
    with pytest.raises(SceneError) as error:
        as_range(given)
    assert str(error.value) == line


def test_too_many_values_are_refused_at_once():
    with pytest.raises(SceneError, match="more than"):
        as_range(np.zeros(MAX_RUNS + 1))


@pytest.mark.parametrize(
    ("given", "twice"), [([1, 2, 1.0], 1.0), (["a", "a"], "a"), ([0.0, -0.0], 0.0), ([1, 2], None)]
)
def test_a_value_that_is_there_twice_is_found(given, twice):
    assert as_range(given).twice() == twice


def test_drawn_values_follow_their_law():
    shares = [(k + 0.5) / 1000 for k in range(1000)]
    flat = [Uniform(uniform=(2, 4)).draw(share) for share in shares]
    assert min(flat) > 2.0
    assert max(flat) < 4.0
    assert statistics.mean(flat) == pytest.approx(3.0)
    bell = [Normal(normal=(5, 2)).draw(share) for share in shares]
    assert statistics.mean(bell) == pytest.approx(5.0)
    assert statistics.pstdev(bell) == pytest.approx(2.0, rel=0.01)  # the tails beyond 1/2000 are cut off
    assert Uniform(uniform=(2, 4)).drawn
    assert not Values(values=[1]).drawn


def test_tables_make_the_same_range_again():
    for one in (
        Values(values=[1, 2]),
        Linear(linear=(0, 1), step=0.5),
        Log(log=(1, 2), count=3),
        Normal(normal=(0, 1)),
    ):
        assert as_range(one.table()) == one
    assert str(Linear(linear=(0, 1), step=0.5)) == "{ linear = [0, 1], step = 0.5 }"
