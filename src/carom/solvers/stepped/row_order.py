"""The order of rows in memory: now and then that of cells, so that neighbours in space are neighbours in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from carom.solvers.stepped.engine import Engine

LARGE = 4096
"""Bodies from which memory sets the pace, so that it pays to keep them in order."""
SORTING = 64
"""Steps between two sorts."""


def is_useful(engine: Engine) -> bool:
    """Is it worth while, and allowed, to put the bodies in order? Links and hands know them by their rows."""
    f = engine.forces
    tied = bool(len(f.springs) or len(f.hinges) or len(f.hands.k) or len(engine.cloth))
    return (
        not tied
        and not engine.pile_setup
        and len(engine.pairs) > 0
        and len(engine.rows.number) > LARGE
        and not engine.rows.born.any()
    )


def keep(engine: Engine) -> int:
    """Sort the rows if it is time; gives how many steps may be made until the next time.

    When, is told by the number of steps alone: the order in which pairs are met decides about bits.
    """
    done = int(engine.clock["steps"][0])
    if done % SORTING == 0:
        _sort(engine)
    return SORTING - done % SORTING


def _sort(engine: Engine) -> None:
    """Put the rows in the order of cells."""
    state = engine.rows
    x = state.place[:, : engine.scene.dimension]
    edge = 4.0 * float(state.place[:, 3].max())
    cells = np.floor((x - x.min(axis=0)) / edge).astype(np.int64)
    order = np.lexsort(cells.T)
    for rows in (state.place, state.velocity, state.accel, state.turns, state.material, state.number):
        rows[:] = rows[order]
    for rows in (engine.bodies.last, engine.bodies.start):
        if len(rows):
            rows[:] = rows[order]
