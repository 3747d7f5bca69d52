"""A run of the exact solver as two blocks of memory, and how kernels open them.

The *state* is all that a run needs to go on to the same bits: copy it, and you have the run. The *index* finds events
soon; it is made from the state (`neighbours.build`), and can be made anew at any time.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.kernels.blocks import OVER, ArraySpec, BlockTable
from carom.kernels.jit import inline
from carom.physics.walls import wall_record
from carom.solvers.exact.balls import BESIDE, COLUMNS, Bodies, ball_record
from carom.solvers.exact.clock import clock_record
from carom.solvers.exact.neighbours.cells import Cells
from carom.solvers.exact.neighbours.lists import Lists, list_record
from carom.solvers.exact.world import Contact, Rules, World

# Where in a page of memory the few bytes begin that each event reads and writes: apart from each other, and always the
# same beside the frame of the main loop (`jit.own_page`, which tells why). That takes most of a page, so that they
# cannot be apart from all of it; these places were measured to be good.
CLOCK, COUNTS, TIMES, FOUND, HEAP_TIMES, HEAP_BALLS = 0x800, 0x900, 0xA00, 0xC00, 0xD00, 0xD80

space_record = np.dtype(
    [
        ("size_x", "f8"), ("size_y", "f8"), ("size_z", "f8"),  # of the box, m; 1 where there is none
        ("around_x", "u1"), ("around_y", "u1"), ("around_z", "u1"),  # 1: the axis is periodic
        ("bounded", "u1"),  # 1: no ball can fly away
        ("lists", "u1"),  # how neighbours are found: 0 the faster way, 1 by cells, 2 by lists where they can be used
        ("gravity_x", "f8"), ("gravity_y", "f8"), ("gravity_z", "f8"),  # m/s²
        ("contact_time", "f8"), ("faint", "f8"),  # s, m/s: when collisions are one contact that lasts (ADR 3)
        ("extent", "f8"),  # the longest side of the region, m; 0 if it has no end
        ("origin", "f8"), ("lost", "f8"),  # of time, a sum of two, s
        ("epochs", "i8"),  # so often has the origin moved
        ("reorder", "i8"),  # epochs after which balls are put in order along a curve again; 0: never
    ]
)  # fmt: skip
"""What acts on the balls, and the origin of time."""

grid_record = np.dtype(
    [
        ("low_x", "f8"), ("low_y", "f8"), ("low_z", "f8"),  # where the grid begins, m
        ("wide_x", "f8"), ("wide_y", "f8"), ("wide_z", "f8"),  # how far it reaches, m
        ("nx", "i8"), ("ny", "i8"), ("nz", "i8"),  # cells
        ("ex", "f8"), ("ey", "f8"), ("ez", "f8"),  # their edges, m
        ("skin", "f8"),  # of lists, m
        ("longest", "i8"), ("least", "i8"),  # balls that a list may name; its room is at least 2^least
        ("levels", "i8"),  # classes of sizes
        ("spare", "i8"),  # words per ball for lists that grow
    ]
)  # fmt: skip
"""The grid of cells and what lists are made by."""

STATE: Final = BlockTable(
    ArraySpec("clock", clock_record, 0, "numbers that change while the run goes on: one record", CLOCK),
    ArraySpec("space", space_record, 0, "what acts on the balls, and the origin of time: one record"),
    ArraySpec("balls", ball_record, 0, "each ball that moves: its anchor, and its next event"),
    *(ArraySpec(name, COLUMNS[name].kind, sum(COLUMNS[name].shape), "a column of these") for name in BESIDE),
    ArraySpec("numbers", "i8", 0, "their numbers in the scene"),
    ArraySpec("still", "u1", 0, "1: the ball is fixed; only a history has these among the others"),
    ArraySpec("walls", wall_record, 0, "walls, and balls that are fixed"),
    ArraySpec("bounce", "f8", -1, "restitution of balls with balls, material by material"),
    ArraySpec("wall_bounce", "f8", -1, "restitution of balls with walls"),
    ArraySpec("periods", "f8", 0, "by what a ball is displaced, of which another one sees an image, m"),
)

INDEX: Final = BlockTable(
    ArraySpec("found", "u4", -1, "candidates of the two balls that are predicted together", FOUND),
    ArraySpec("times", "f8", -1, "when these two touch them, s", TIMES),
    ArraySpec("count", "i8", 0, "how many there are", COUNTS),
    ArraySpec("heap_times", "f8", 0, "the calendar: events of the current bucket, s", HEAP_TIMES),
    ArraySpec("heap_balls", "u4", 0, "and their balls", HEAP_BALLS),
    ArraySpec("blocks", "u4", 0, "balls in later buckets"),
    ArraySpec("grid", grid_record, 0, "the grid and what lists are made by: one record"),
    ArraySpec("slots", "u4", 0, "which balls are in which cell"),
    ArraySpec("first", "u4", 0, "where the list of the walls near each cell begins"),
    ArraySpec("near", "u4", 0, "those lists"),
    ArraySpec("shapes", "i8", 3, "cells along each axis, for each class of sizes"),
    ArraySpec("offset", "i8", 0, "the first cell of each class"),
    ArraySpec("edges", "f8", 3, "edges of the cells of each class, m"),
    ArraySpec("reach", "f8", 0, "the largest radius of each class, m"),
    ArraySpec("pool", "u4", 0, "neighbour lists, which begin with a record for each ball"),
    ArraySpec("heads", list_record, 0, "those records", OVER),
    ArraySpec("left", "u4", 0, "rooms in the pool that lists have left, by their size"),
    ArraySpec("gathered", "u4", 0, "balls among which a list looks for those that are near"),
    ArraySpec("remembered", "f8", 0, "when a ball touches whom its list names, as it saw last"),
)


class StateArrays(NamedTuple):
    """What kernels read of the state besides the balls."""

    clock: Any
    space: Any
    walls: Any
    bounce: Any
    wall_bounce: Any
    periods: Any


class NumberArrays(NamedTuple):
    """Which balls of the scene the bodies are."""

    numbers: Any
    still: Any


# Parts of the index: each kernel opens those that it needs, for Numba compiles the longer the larger a bundle is.
class CellArrays(NamedTuple):
    """The arrays of cells."""

    grid: Any
    slots: Any
    first: Any
    near: Any


class ListArrays(NamedTuple):
    """The arrays of neighbour lists."""

    grid: Any
    pool: Any
    heads: Any
    slots: Any
    first: Any
    near: Any
    shapes: Any
    offset: Any
    edges: Any
    reach: Any
    left: Any
    gathered: Any
    remembered: Any


class SightArrays(NamedTuple):
    """Room for what two balls that are predicted together see: their candidates, and when they touch them."""

    found: Any  # (2, room) words: candidates, where the neighbourhood has no list of them
    times: Any  # (2, room) when each is touched: infinity for those that the ball does not meet
    count: Any  # (2,) number of candidates


class CalendarArrays(NamedTuple):
    """The calendar."""

    heap_times: Any
    heap_balls: Any
    blocks: Any


class SeamSpace(NamedTuple):
    """The part of a neighbourhood that is read when balls touch."""

    size: Any
    periods: Any


open_bodies = STATE.opener(Bodies)
"""(state): the balls."""
open_state = STATE.opener(StateArrays)
"""(state): what is read besides the balls."""
open_numbers = STATE.opener(NumberArrays)
"""(state): which balls of the scene these are."""
open_cells = INDEX.opener(CellArrays)
"""(index): the arrays of cells."""
open_lists = INDEX.opener(ListArrays)
"""(index): the arrays of lists."""
open_sight = INDEX.opener(SightArrays)
"""(index): what balls see that are predicted."""
open_calendar = INDEX.opener(CalendarArrays)
"""(index): the calendar."""


@inline
def size_of(space: Any) -> Any:
    """The size of the box, m."""
    return space.size_x, space.size_y, space.size_z


@inline
def periodic_of(space: Any) -> Any:
    """Which axes are periodic."""
    return space.around_x != 0, space.around_y != 0, space.around_z != 0


@inline
def gravity_of(pulled: Any, space: Any) -> Any:
    """The components of gravity; none where `pulled` is empty."""
    if len(pulled) == 0:
        return ()
    return space.gravity_x, space.gravity_y, space.gravity_z


@inline
def rules_of(dim: Any, pulled: Any, state: Any) -> Any:
    """What acts on the balls."""
    space = state.space[0]
    contact = Contact(space.contact_time, space.faint)
    return Rules(dim, state.walls, state.bounce, state.wall_bounce, contact, gravity_of(pulled, space))


@inline
def hood_of(listed: Any, state: Any, index_block: Any) -> Any:
    """The neighbourhood: lists, or cells where `listed` is empty."""
    if len(listed) == 0:
        return cells_of(state, open_cells(index_block))
    return lists_of(state, open_lists(index_block))


@inline
def cells_of(state: Any, index: Any) -> Any:
    """The neighbourhood by cells."""
    space, grid = state.space[0], index.grid[0]
    return Cells(
        index.slots, index.first, index.near, (grid.nx, grid.ny, grid.nz), (grid.low_x, grid.low_y, grid.low_z),
        (grid.ex, grid.ey, grid.ez), size_of(space), periodic_of(space), state.periods,
    )  # fmt: skip


@inline
def lists_of(state: Any, index: Any) -> Any:
    """The neighbourhood by lists."""
    space, grid = state.space[0], index.grid[0]
    return Lists(
        index.pool, index.heads, index.slots, index.first, index.near, index.shapes, index.offset, index.edges,
        index.reach, (grid.low_x, grid.low_y, grid.low_z), size_of(space), periodic_of(space), state.periods,
        grid.skin, grid.longest, grid.least, index.left, index.gathered, index.remembered,
    )  # fmt: skip


def pack_space(world: World, space: NDArray[Any]) -> None:
    """Fill in the record from a world."""
    for k, axis in enumerate("xyz"):
        space[f"size_{axis}"], space[f"around_{axis}"] = world.size[k], world.periodic[k]
        space[f"gravity_{axis}"] = world.gravity[k] if world.gravity else 0.0
    space["bounded"] = world.bounded
    space["contact_time"], space["faint"] = world.contact
    space["extent"] = world.extent or 0.0
    space["origin"], space["lost"] = world.origin
    space["epochs"] = world.epochs
