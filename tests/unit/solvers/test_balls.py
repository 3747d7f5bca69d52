"""From the table of columns follow the records, the arrays beside them, and the way back."""

import numpy as np
import pytest

from carom.scene import Ball, Box, Scene
from carom.solvers.exact.balls import (
    BESIDE,
    CACHE_LINE,
    COLUMNS,
    FIRST_LINE,
    MOVING,
    Anchors,
    Bodies,
    Column,
    ball_record,
    put,
    record_of,
    take,
)
from carom.solvers.exact.state import fitted
from carom.solvers.exact.world import World

SCENE = Scene(
    boundary=Box((4.0, 2.0)), balls=[Ball(position=(k + 0.5, 0.5), radius=0.1 * k, mass=k) for k in (1, 2, 3)]
)


def test_a_record_is_two_cache_lines_of_which_the_first_is_what_a_prediction_reads():
    assert ball_record.itemsize == 2 * CACHE_LINE
    assert [ball_record.fields[name][1] for name in FIRST_LINE] == list(range(0, CACHE_LINE, 8))


def test_a_further_column_lengthens_the_record_by_a_line_and_moves_none_of_the_first():
    spin = Column("f8", (3,), moves=True, hot=("wx", "wy", "wz"))
    longer = record_of({**COLUMNS, "spin": spin})
    assert longer.itemsize == 3 * CACHE_LINE
    assert set(longer.names) == {*ball_record.names, "wx", "wy", "wz"}
    assert [longer.fields[name] for name in FIRST_LINE] == [ball_record.fields[name] for name in FIRST_LINE]


def bodies_of(columns, rows):
    """The bodies of some rows."""
    bodies = Bodies(np.zeros(len(rows), ball_record), *(np.array(columns[name][rows]) for name in BESIDE))
    bodies.balls["id"] = rows
    put(bodies, columns, rows, COLUMNS)
    return bodies


@pytest.mark.parametrize("name", COLUMNS)
def test_bodies_hold_each_column_in_the_order_of_the_rows_and_give_back_what_moves(name):
    anchors, rows = vars(Anchors.of(SCENE)), np.array([2, 0])
    column = COLUMNS[name]
    values = np.arange(anchors[name].size).reshape(anchors[name].shape).astype(column.kind)
    anchors[name][:] = values
    bodies = bodies_of(anchors, rows)
    assert bodies.balls["id"].tolist() == [2, 0]
    if name in BESIDE:
        assert getattr(bodies, name).tolist() == values[rows].tolist()
    for k, part in enumerate(column.hot):
        assert bodies.balls[part].tolist() == (values[rows, k] if column.shape else values[rows]).tolist()
    if name in MOVING:
        anchors[name][:] = 0
        take(bodies, anchors, rows)
        assert anchors[name][rows].tolist() == values[rows].tolist()
        assert not anchors[name][1].any()
        anchors[name][:] = values[::-1]
        put(bodies, anchors, rows)
        take(bodies, anchors, rows)
        assert anchors[name].tolist() == values[::-1].tolist()


def test_who_rests_is_marked_in_the_record():
    anchors = Anchors.of(SCENE)
    anchors.rest_on[1] = 0
    assert bodies_of(vars(anchors), np.arange(3)).balls["rest"].tolist() == [0, 1, 0]


def test_a_state_holds_what_moves():
    world = World.of(SCENE)
    state = {name: getattr(world.anchors, name) for name in MOVING}
    assert list(MOVING) == ["place", "velocity", "time", "hit", "rest_on", "streak", "turns"]
    taken = fitted(world, {**state, "moments": np.zeros(6), "counts": np.zeros(9, np.int64)})
    assert set(taken) == {*MOVING, "moments", "counts"}
