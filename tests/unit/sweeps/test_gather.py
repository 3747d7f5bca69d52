"""Means over repeats."""

import random
from typing import Any

import pytest

from carom.sweeps.results.gather import points, summary

COLUMNS = ["time", "collisions", "energy", "stopped", "z", "z_error", "remarks"]


def run(point: int, z: Any, error: Any = None, status: str = "done", **more: Any) -> dict[str, Any]:
    values = {
        "time": 1.0,
        "collisions": 7,
        "energy": 2.0,
        "stopped": "until",
        "z": z,
        "z_error": error,
        "remarks": None,
    }
    return {"point": point, "status": status, "a.b": 10 * point, **values, **more}


def test_three_repeats_tell_their_error_by_their_scatter() -> None:
    (found,) = summary([run(0, 1.0, 9.0), run(0, 2.0, 9.0), run(0, 6.0, 9.0)], ["a.b"], COLUMNS)
    assert found["z"] == 3.0
    assert found["z_error"] == pytest.approx((14 / 2 / 3) ** 0.5, rel=1e-15)
    assert (found["point"], found["a.b"], found["done"], found["failed"], found["how"]) == (0, 0, 3, 0, "scatter")
    assert found["collisions"] == 7.0
    assert found["collisions_error"] == 0.0
    assert "stopped" not in found
    assert "remarks" not in found


def test_two_repeats_tell_it_by_their_own_errors() -> None:
    (found,) = summary([run(0, 1.0, 3.0), run(0, 2.0, 4.0)], ["a.b"], COLUMNS)
    assert (found["z"], found["z_error"], found["how"]) == (1.5, 2.5, "own")
    assert found["energy"] == 2.0
    assert found["energy_error"] is None
    (alone,) = summary([run(0, 1.0, 3.0)], [], COLUMNS)
    assert (alone["z"], alone["z_error"]) == (1.0, 3.0)
    (half,) = summary([run(0, 1.0, 3.0), run(0, 2.0, None)], [], COLUMNS)
    assert (half["z"], half["z_error"]) == (1.5, None)


def test_what_failed_is_counted_and_left_out() -> None:
    nothing = dict.fromkeys(COLUMNS)
    rows = [run(0, 5.0, 1.0), run(0, 1e9, status="failed"), {**run(0, 0.0, status="timed out"), **nothing}]
    (found,) = summary(rows, ["a.b"], COLUMNS)
    assert (found["done"], found["failed"], found["z"], found["z_error"], found["how"]) == (1, 2, 5.0, 1.0, "own")
    (none,) = summary([run(3, 1.0, status="failed")], ["a.b"], COLUMNS)
    assert (none["point"], none["a.b"], none["done"], none["z"], none["z_error"]) == (3, 30, 0, None, None)


def test_what_is_no_number_is_left_out_of_its_column_alone() -> None:
    rows = [run(0, value, 1.0) for value in (1.0, 3.0, None, float("inf"), float("nan"))]
    (found,) = summary(rows, [], COLUMNS)
    assert (found["done"], found["z"], found["z_error"], found["energy"]) == (5, 2.0, 1.0, 2.0)
    (one,) = summary([run(0, 1.0), run(0, None), run(0, None)], [], COLUMNS)
    assert (one["z"], one["z_error"]) == (1.0, None)


def test_points_come_one_by_one_and_parameters_that_are_drawn_have_no_value() -> None:
    rows = iter([run(0, 1.0, drawn=0.1), run(0, 2.0, drawn=0.2), run(1, 3.0, drawn=0.3), run(2, 4.0, drawn=0.4)])
    found = points(rows, ["a.b", "drawn"], COLUMNS)
    first = next(found)
    assert (first["a.b"], first["drawn"], first["z"]) == (0, None, 1.5)
    assert [row["z"] for row in found] == [3.0, 4.0]


def test_the_order_of_the_runs_changes_no_bit() -> None:
    dice = random.Random(1)
    rows = [run(0, dice.uniform(-1, 1) * 10.0 ** dice.randint(-8, 8), 1.0) for _ in range(50)]
    found = summary(rows, ["a.b"], COLUMNS)
    for _ in range(5):
        dice.shuffle(rows)
        assert summary(rows, ["a.b"], COLUMNS) == found
