"""Blocks of memory: arrays where their table says, for Python and for kernels."""

import pickle
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

from carom import Simulation, library
from carom.kernels.blocks import COLUMNS, FIELDS, LINE, OVER, ROWS, ArraySpec, BlockTable, MemoryBlock, words
from carom.kernels.jit import PAGE, kernel

RECORD = np.dtype([("x", "f8"), ("n", "u4"), ("k", "u1")])
TABLE = BlockTable(
    ArraySpec("numbers", "f8", 0, "some numbers"),
    ArraySpec("balls", RECORD, 0, "records", 0x800),
    ArraySpec("vectors", "f8", 3, "three columns"),
    ArraySpec("matrix", "u4", -1, "as many columns as there are", 0xA00),
    ArraySpec("words", "u4", 0, "words"),
    ArraySpec("lines", np.dtype([("a", "u4"), ("b", "u4")]), 0, "pairs of these", OVER),
)
MATRIX = TABLE.names.matrix
SHAPES = {"numbers": (5,), "balls": (3,), "vectors": (4, 3), "matrix": (2, 7), "words": (10,), "lines": (3,)}


class Some(NamedTuple):
    """A bundle."""

    balls: Any
    vectors: Any
    matrix: Any
    lines: Any


opened = TABLE.opener(Some)


@kernel
def change(block):
    some = opened(block)
    for k in range(some.balls.size):
        some.balls[k].x += 10.0 * k
        some.balls[k].k = k
    some.vectors[3, 2] = some.vectors.shape[0] + 0.5
    some.matrix[1, 6] = some.matrix.shape[1]
    some.lines[2].b = some.lines.size
    return some.vectors.size + some.matrix.size


@kernel
def ask_for_more(block, name):
    directory = words(block)
    directory[FIELDS * name + ROWS] *= 2
    directory[FIELDS * MATRIX + COLUMNS] = 9


def test_each_array_begins_where_its_table_says():
    block = TABLE.make(SHAPES)
    assert not any(getattr(block, name).view("u1").any() for name in SHAPES)
    assert {name: getattr(block, name).shape for name in SHAPES} == SHAPES
    assert block.balls.ctypes.data % PAGE == 0x800
    assert block.matrix.ctypes.data % PAGE == 0xA00
    assert block.numbers.ctypes.data % LINE == 0
    assert block.vectors.ctypes.data % LINE == 0
    block.words[:] = range(10)
    assert block.lines.tolist() == [(0, 1), (2, 3), (4, 5)]
    arrays = [getattr(block, name) for name in SHAPES if name != "lines"]
    spans = sorted((each.ctypes.data, each.nbytes) for each in arrays)
    assert all(begin + size <= following for (begin, size), (following, _) in pairwise(spans))


def test_kernels_see_the_same_arrays():
    block = TABLE.make(SHAPES)
    block.balls["x"] = [1.0, 2.0, 3.0]
    assert change(block.raw) == 12 + 14
    assert block.balls.tolist() == [(1.0, 0, 0), (12.0, 0, 1), (23.0, 0, 2)]
    assert block.vectors[3, 2] == 4.5
    assert block.matrix[1, 6] == 7
    assert block.words[5] == 3


@pytest.mark.parametrize("copied", [MemoryBlock.copy, deepcopy, lambda block: pickle.loads(pickle.dumps(block))])
def test_a_copy_is_another_block_with_the_same_bytes_and_places(copied):
    block = TABLE.make(SHAPES)
    change(block.raw)
    other = copied(block)
    assert other.raw.tobytes() == block.raw.tobytes()
    assert other.raw.ctypes.data % PAGE == block.raw.ctypes.data % PAGE == 0
    change(other.raw)
    assert other.balls["x"].tolist() == [0.0, 20.0, 40.0], "its arrays are in its own memory"
    assert block.balls["x"].tolist() == [0.0, 10.0, 20.0]


def test_a_block_is_laid_out_anew_as_its_directory_asks():
    block = TABLE.make(SHAPES)
    change(block.raw)
    ask_for_more(block.raw, TABLE.names.balls)
    other = block.laid_out("vectors")
    assert other.balls.shape == (6,)
    assert other.matrix.shape == (2, 9)
    assert other.vectors.tolist() == block.vectors.tolist()
    assert not other.matrix.any()


def test_an_array_that_there_is_not_is_no_attribute():
    with pytest.raises(AttributeError, match="this block has no nothing"):
        _ = TABLE.make({}).nothing
    assert TABLE.make({}).vectors.shape == (0, 3)


@pytest.mark.parametrize("packing", [0.3, 0.7])
def test_a_copy_of_a_run_stands_in_memory_as_the_run_does(packing):
    sim = Simulation(library.load("gas", count=300, packing_fraction=packing, seed=3)).run(collisions=1000)
    mine, other = sim._solver, sim.copy().copy()._solver
    assert mine.block.raw.tobytes() == other.block.raw.tobytes()
    assert mine.index.raw.tobytes() == other.index.raw.tobytes()
    for one, two in ((mine.block, other.block), (mine.index, other.index)):
        assert not np.shares_memory(one.raw, two.raw)
        assert one.raw.ctypes.data % PAGE == two.raw.ctypes.data % PAGE == 0
    assert (mine.index.heads.size > 0) == (packing > 0.5)
