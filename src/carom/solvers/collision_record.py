"""A collision as a row: what both solvers write down."""

from typing import Final

import numpy as np

NOBODY: Final = 0xFFFFFFFF  # in place of a ball or a wall

BALL: Final = 1  # the kinds: with another ball,
WALL: Final = 2  # with a wall,
CLOTH: Final = 3  # with a triangle of cloth

collision_record = np.dtype(
    [
        ("time", "f8"),
        ("kind", "u1"), ("softened", "u1"),  # BALL, WALL or CLOTH; 1: within the contact time, so without loss
        ("wall", "u4"),  # the wall's number, or NOBODY
        ("a", "u4"), ("b", "u4"),  # the balls' numbers in the scene; b is NOBODY for a wall
        ("place", "f8", (3,)), ("normal", "f8", (3,)),  # where, and the unit normal towards a
        ("impulse", "f8"),  # given to a along the normal, N s
    ]
)  # fmt: skip
