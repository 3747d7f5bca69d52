from typing import Any

import numpy as np
import pytest

from carom.errors import ArgumentError
from carom.observe.triggers import NEVER, UNREACHABLE_COUNT, Collisions, Every, Once, Times, read, triggers_for


def test_every_counts_as_one_writes() -> None:
    trigger = Every(0.1)
    assert [trigger.due(2.0, 5, k)[0] for k in (0, 1, 3, 1000)] == [2.0, 2.1, 2.3, 102.0]
    assert trigger.due(0.0, 0, 3)[0] == 0.3 < 3 * 0.1
    assert trigger.due(2.0, 5, 3)[1] == UNREACHABLE_COUNT


def test_times_are_sorted_and_end() -> None:
    trigger = Times([3.0, 1.0, 1.0])
    assert [trigger.due(0.0, 0, k)[0] for k in range(3)] == [1.0, 3.0, NEVER]


def test_collisions_count_from_the_start() -> None:
    trigger = Collisions(10)
    assert trigger.due(1.0, 100, 0) == (1.0, UNREACHABLE_COUNT)
    assert trigger.due(1.0, 100, 2) == (NEVER, 120)


def test_one_sample_at_the_start_where_nothing_is_said() -> None:
    (trigger,) = triggers_for(None, None)
    assert isinstance(trigger, Once)
    assert trigger.due(1.0, 0, 0)[0] == 1.0
    assert trigger.due(1.0, 0, 1) == (NEVER, UNREACHABLE_COUNT)


def test_both_ways_can_be_said() -> None:
    assert [type(each) for each in triggers_for(0.1, [1.0])] == [Every, Times]


@pytest.mark.parametrize("trigger", [Every(0.1), Times([1.0, 2.0]), Collisions(3), Once()])
def test_a_trigger_survives_a_file(trigger: Any) -> None:
    other = read(trigger.described())
    assert type(other) is type(trigger)
    assert [other.due(1.0, 2, k) for k in range(4)] == [trigger.due(1.0, 2, k) for k in range(4)]


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "often", True])
def test_a_wrong_interval_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"every: .* is not a time above 0\. Give a number of seconds"):
        triggers_for(value, None)


@pytest.mark.parametrize("value", ["soon", [1.0, np.nan], [[1.0]], [None]])
def test_wrong_times_are_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"at: .* is not a list of times\. Give numbers of seconds"):
        triggers_for(None, value)


@pytest.mark.parametrize("value", [0, 1.5, True])
def test_a_wrong_number_of_collisions_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"every: .* is not a number of collisions"):
        Collisions(value)
