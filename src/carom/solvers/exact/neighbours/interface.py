"""One interface to the two ways of knowing one's neighbours: cells and neighbour lists.

A kernel calls these names; which of the two is meant follows from the type of `hood`, when the kernel is compiled.
Neither can change the motion: they only say which pairs are worth a look, and until when that holds.
"""

from collections.abc import Callable
from typing import Any

from carom.kernels.jit import by_type
from carom.solvers.exact.neighbours import cells, list_memory, list_update, lists


def either(by_cells: Callable[..., Any], by_lists: Callable[..., Any]) -> Any:
    """A name for kernels to call: one of two laws, by the type of the neighbourhood."""
    return by_type({cells.Cells: by_cells, lists.Lists: by_lists})


candidates = either(cells.candidates, lists.candidates)
"""(dim, hood, balls, i, face, found): how many balls ball i could touch before its neighbourhood expires; they are
collected in `found` if need be."""

where = either(cells.where, lists.where)
"""(hood, i, found): where those stand, an array and the place of the first.

Behind them stands ball i itself, so often that their number becomes a multiple of the pace."""

pace = either(cells.pace, lists.pace)
"""(hood): how many are looked at at once."""

keep = either(cells.keep, list_memory.keep)
"""(hood, i, low, high): remember when ball i touches the first eight of its candidates, in two lots of four."""

recall = either(cells.recall, list_memory.recall)
"""(hood, balls, i, sight): see what ball i remembers, of those that have not moved since; False: nothing."""

first_wall = either(cells.first_wall, lists.first_wall)
"""(hood, balls, i): where the list of the walls near ball i begins in `hood.near`."""

expiry = either(cells.expiry, lists.expiry)
"""(dim, hood, balls, i, now, a): when and how the neighbourhood of ball i, which has the acceleration a, expires."""

lasting = either(cells.lasting, lists.lasting)
"""(hood): do most contacts come before the neighbourhoods of those that touch expire?"""

outlasts = either(cells.outlasts, lists.outlasts)
"""(dim, hood, balls, i, t, ax): does the neighbourhood of ball i surely last up to a time? Cheaper than `expiry`."""

renew = either(cells.renew, list_update.renew)
"""(dim, hood, clock, balls, i, face, now, a): bring the neighbourhood of ball i up to date after it expired;
False: no memory left, build everything anew."""

warm = either(cells.warm, lists.warm)
"""(hood, balls, i, stage, second): ask for the memory that ball i's next event will read."""

steps = either(cells.steps, lists.steps)
"""(dim, hood): in how many steps all is asked for that an event reads, each of which needs what the one before got."""
