"""The memory of a pile: contacts with their impulses, and the scratch arrays of a step.

All that is kept from one step to the next is in these arrays: a copy goes on to the same bits.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.solvers.stepped.contacts.grid import Grid, grid_memory

NONE = 0xFFFFFFFF
WALL = 0x80000000  # the partner of a body in a contact with wall k is WALL + k
CLOTH = 0x40000000  # and with triangle m of a cloth, CLOTH + m

# Columns of a contact. The normal n points from the partner to the body, gap = n·(x - x') + offset.
NX, NY, OFFSET, MASS = 0, 1, 2, 3  # MASS is the reduced mass, kg
PRESS, RUB = 4, 5  # impulses of a substep along the normal and the tangent (-ny, nx), N s; in 3D RUB is their x
PARTING = 6  # e u₀, the speed to part at, m/s; negative: an impact to come; positive: it has touched; 0: it rests
LOAD = 7  # the lasting load that the contact has learnt, as an impulse per substep, N s
NZ, RUB_Y, RUB_Z = 8, 9, 10
COLUMNS = {2: 8, 3: 12}
# Columns of the numbers of a contact.
ONE, OTHER, ROW, COLUMN = 0, 1, 2, 3  # two slots (n is the ground), and where its law stands in the table of laws

# Entries of `tally`: contacts, the side that holds them, contacts found, fast bodies, substeps done in the step.
COUNT, SIDE, NEEDED, FAST, DONE = 0, 1, 2, 3, 4
# Entries of `account`: energy lost in contacts, J, since it was set to zero.
LOST = 0
# Entries of `limits`: how far bodies come that are not fast, the largest reach of those, the smallest radius, all in m;
# the substep that the impulses belong to, s.
SLOW, WIDEST, LEAST, SUBSTEP = 0, 1, 2, 3


class Softness(NamedTuple):
    """How stiff contacts are, per substep and radius: no number here has a unit.

    A contact is a spring and a damper, written for substeps of h (E. Catto, Solver2D, 2024): of an overlap d it undoes
    rate·d in a substep, and it loses the part `give` of its impulse P. So it would rest with the overlap
    d = give/(rate (1 - give)) · P h/m, with the reduced mass m. Stiffer than rate/give = 2, and tall piles begin to
    shake, for a sweep over the contacts carries a push no farther than a few layers. But what a contact bears all the
    time it learns to bear (slowly, by the part `learn` in a substep); it then rests with d = slop·r P/(P + P₀), less
    than slop·r, where P₀ gives the overlap slop·r of the smaller radius r without learning.
    """

    rate: float = 0.05
    give: float = 0.03
    learn: float = 0.008
    slop: float = 0.025
    push: float = 1.0  # an overlap deeper than push·r counts as push·r
    margin: float = (
        0.02  # a pair is a contact from a gap of margin·(r + r') on, and farther by what they move in a step
    )


class Pile(NamedTuple):
    """The arrays of a pile. Contacts have two sides: those of the last step are matched with those of the next."""

    grid: Grid
    rows: NDArray[np.float64]  # (2, capacity, 8 or 12), see the columns above
    numbers: NDArray[np.uint32]  # (2, capacity, 4)
    names: NDArray[np.uint32]  # (2, capacity, 2): body, and partner or WALL + k
    found: NDArray[np.uint32]  # (capacity, 4): pairs of slots, and their image
    head: NDArray[np.uint32]  # (bodies,): the last contact of each body on the old side
    link: NDArray[np.uint32]  # (capacity,): the one before it
    x: NDArray[np.float64]  # (bodies + 1, 4): place and radius by slot; the last row is the ground
    v: NDArray[np.float64]  # (bodies + 1, 4): velocity and 1/m by slot
    kicked: NDArray[np.float64]  # (bodies + 1, 4): acceleration until the first substep, then the velocity that forces
    # alone have given in the substep; and the mass
    far: NDArray[np.float64]  # (bodies,): how far each body can move within the step
    reach: NDArray[np.float64]  # (bodies, 4): place by slot, and how far out it touches within the step, by cells
    pushed: NDArray[np.float64]  # (bodies,): by slot, how far forces or a hit can push each body within the step, m
    fast: NDArray[np.uint32]  # (bodies,): slots of bodies that reach beyond adjacent cells
    limits: NDArray[np.float64]
    tally: NDArray[np.int64]
    account: NDArray[np.float64]
    speeds: NDArray[np.float64]  # (capacity,): the speed of approach of each contact that is an impact, m/s
    most: NDArray[np.float64]  # (capacity,): what a contact may remember of its impulse from substep to substep, N s
    parting: NDArray[np.float64]  # (capacity,): the largest speed with which an overlap is undone, m/s
    left: NDArray[np.float64]  # (1,): of a step that is made in pieces, s; 0 between steps
    feet: Any = ()  # `cloth.Feet`, where there is cloth; each is a row of x, v and kicked beyond the ground


class PileWalls(NamedTuple):
    """The walls of a pile: planes, and parts of regions of other shapes."""

    planes: NDArray[np.float64]  # (P, 5): half-spaces n·x >= offset as nx, ny, nz, offset, and the material
    regions: Any
    edges: Any
    parts: NDArray[np.uint32]  # (Q, 3): region, feature of its outline, material


def pile_memory(dimension: int, bodies: int, contacts: int | None = None) -> Pile:
    """Memory for so many bodies and contacts; by default, as many contacts as disks or balls of equal size can have."""
    capacity = max(contacts, 1) if contacts is not None else (4 if dimension == 2 else 7) * bodies + 64
    return Pile(
        grid=grid_memory(bodies),
        rows=np.zeros((2, capacity, COLUMNS[dimension])),
        numbers=np.zeros((2, capacity, 4), np.uint32),
        names=np.zeros((2, capacity, 2), np.uint32),
        found=np.zeros((capacity, 4), np.uint32),
        head=np.zeros(bodies, np.uint32),
        link=np.zeros(capacity, np.uint32),
        x=np.zeros((bodies + 1, 4)),
        v=np.zeros((bodies + 1, 4)),
        kicked=np.zeros((bodies + 1, 4)),
        far=np.zeros(bodies),
        reach=np.zeros((bodies, 4)),
        pushed=np.zeros(bodies),
        fast=np.zeros(bodies, np.uint32),
        limits=np.zeros(4),
        tally=np.zeros(5, np.int64),
        account=np.zeros(1),
        speeds=np.zeros(capacity),
        most=np.zeros(capacity),
        parting=np.zeros(capacity),
        left=np.zeros(1),
    )


def with_feet(pile: Pile, feet: Any) -> Pile:
    """The pile with memory for feet on a cloth, one per contact."""
    if not feet:
        return pile
    capacity = len(pile.found)
    rows = np.zeros((capacity, 4))
    return pile._replace(
        x=np.vstack([pile.x, rows]),
        v=np.vstack([pile.v, rows]),
        kicked=np.vstack([pile.kicked, rows]),
        feet=feet._replace(corners=np.zeros((capacity, 3), np.uint32), shares=np.zeros((capacity, 3))),
    )


def larger(pile: Pile, bodies: int, contacts: int) -> Pile:
    """A copy of a pile with more memory, between steps."""
    more = pile_memory(2 if pile.rows.shape[2] == COLUMNS[2] else 3, bodies, contacts)
    count = int(pile.tally[COUNT])
    for old, new in ((pile.rows, more.rows), (pile.numbers, more.numbers), (pile.names, more.names)):
        new[:, :count] = old[:, :count]
    more.tally[:], more.account[:], more.limits[:], more.left[:] = pile.tally, pile.account, pile.limits, pile.left
    return with_feet(more, pile.feet)


def contact_laws(ball_ball: Any, ball_wall: Any) -> NDArray[np.float64]:
    """The table of contact laws (M, M + W, 4): restitution, static and dynamic friction, and a zero.

    From tables (M, M, 3) for two materials of balls, and (M, W, 3) for a ball and a wall. In the table a wall's
    material has the number M + k.
    """
    table = np.concatenate([np.asarray(ball_ball, np.float64), np.asarray(ball_wall, np.float64)], axis=1)
    return np.ascontiguousarray(np.concatenate([table, np.zeros((*table.shape[:2], 1))], axis=2))
