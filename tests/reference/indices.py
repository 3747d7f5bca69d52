"""Indices of the exact solver for balls that somebody has placed, and what is in an index, as Python sees it."""

from types import SimpleNamespace

from carom.solvers.exact.balls import BESIDE, COLUMNS
from carom.solvers.exact.neighbours.build import fill, plan
from carom.solvers.exact.neighbours.candidate import PERIODS, periods
from carom.solvers.exact.neighbours.cells import Cells
from carom.solvers.exact.neighbours.lists import Lists
from carom.solvers.exact.tables import INDEX, STATE

MODES = {"cells": 1, "lists": 2}


def made(dimension, size, periodic, balls, mode, skin=0.0):
    """The index of balls in a region: a skin of 0 is chosen as for any run."""
    n = balls.size
    shapes = {"clock": (1,), "space": (1,), "balls": (n,), "numbers": (n,), "walls": (0,), "periods": (PERIODS,)}
    state = STATE.make(shapes | {name: (n, *COLUMNS[name].shape) for name in BESIDE})
    state.balls[:] = balls
    space = state.space
    for axis, length, around in zip("xyz", size, periodic, strict=True):
        space[f"size_{axis}"], space[f"around_{axis}"] = length, around
    space["bounded"], space["lists"] = 1, MODES[mode]
    state.periods[:] = periods(size)
    grid, dim = INDEX.make({"grid": (1,)}), (0,) * dimension
    grid.grid["skin"] = skin
    listed = (0,) if plan(state.raw, grid.raw, dim, ()) else ()
    assert bool(listed) == (mode == "lists")
    index = grid.laid_out("grid")
    while not fill(state.raw, index.raw, dim, (), listed):
        index = index.laid_out("grid")
    return SimpleNamespace(balls=state.balls, clock=state.clock, hood=hood_in(state, index))


def hood_in(state, index):
    """The neighbourhood in an index, with numbers instead of records."""
    space, grid = state.space[0], index.grid[0]
    size = tuple(space[f"size_{axis}"] for axis in "xyz")
    periodic = tuple(bool(space[f"around_{axis}"]) for axis in "xyz")
    low = tuple(grid[f"low_{axis}"] for axis in "xyz")
    if index.heads.size == 0:
        shape, edge = tuple(int(grid[f"n{axis}"]) for axis in "xyz"), tuple(grid[f"e{axis}"] for axis in "xyz")
        return Cells(index.slots, index.first, index.near, shape, low, edge, size, periodic, state.periods)
    return Lists(
        index.pool, index.heads, index.slots, index.first, index.near, index.shapes, index.offset, index.edges,
        index.reach, low, size, periodic, state.periods, grid["skin"], int(grid["longest"]), int(grid["least"]),
        index.left, index.gathered, index.remembered,
    )  # fmt: skip
