"""Piles: bodies that come to rest on each other, by soft contacts in substeps.

For e < 1 and friction under gravity or other forces. A step is `begin_step`, then `substep` as often as wanted (the
forces may be computed anew before each), then `end_step`. A substep of h:

    v += h a
    v += w J    the impulses of the last substep once more (warm start)
    contacts solved one by one in a fixed order (Gauss and Seidel)
    x += h v
    contacts solved again without undoing overlaps, so that this leaves no speed behind

Impacts bounce at the end of the step. (The "soft step" of E. Catto, Solver2D, 2024, for bodies that do not turn, with
exact meeting points for fast bodies, and no number that has a unit.) Kernels take a pile whole, as `heap`: its memory,
and what it is solved with.

How many substeps: a pile of L layers comes to rest soon if L g h²/r is below about 0.03 (4 substeps of 1/240 s for
thirty layers of half a metre; 16 for a centimetre); with fewer it takes longer. A fast body passes through no wall and
no body at rest, whatever its speed; where one hit leads to the next within a step, bodies that were hit may overlap or
pass, the more the farther they come in it. See `pieces` for what is done about that.
"""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, Real, inline, stage
from carom.solvers.stepped.pile.broad_phase import drop_impossible, find_near_pairs, find_wall_pairs, sort_bodies
from carom.solvers.stepped.pile.cloth import find_cloth_pairs
from carom.solvers.stepped.pile.fast import add_hits_by_fast, find_fast_pairs
from carom.solvers.stepped.pile.memory import DONE, LOST, NEEDED, Pile
from carom.solvers.stepped.pile.narrow_phase import make_contacts
from carom.solvers.stepped.pile.solve import apply_restitution, relax, solve, warm_start

MOST_SWEEPS = 64  # in a substep with impacts that go on from body to body; a pile at rest needs one


@stage
def begin_step(dim: Any, heap: Any, bodies: Any, material: Any, n: Index, dt: Real, h: Real) -> bool:
    """Find the contacts of a step of dt, which is made in substeps of h.

    False if there is no room for them: make room for more than `tally[NEEDED]` (`larger`) and call it again.
    Bodies that have left a periodic axis are brought back into it; nothing else has changed when it returns False.
    """
    pile = heap.pile
    sort_bodies(dim, heap, bodies, n, dt)
    add_hits_by_fast(dim, pile, heap.space)
    count = find_near_pairs(dim, pile, heap.space, heap.walls, n, dt)
    count = find_fast_pairs(dim, pile, heap.space, count)
    if count < pile.found.shape[0]:
        count = drop_impossible(pile, count, heap.linked)
    count = find_wall_pairs(dim, pile, heap.walls, n, count)
    count = find_cloth_pairs(pile, pile.feet, n, dt, count)
    pile.tally[NEEDED], pile.tally[DONE] = count, 0
    if count >= pile.found.shape[0]:
        return False
    make_contacts(dim, heap, material, n, dt, h, count)
    return True


@inline
def kick(dim: Any, pile: Pile, n: Index, h: Real, accel: Any, again: bool) -> None:
    """v += h a; from the second substep on, also the impulses of the one before (v - kicked)."""
    v, kicked, order = pile.v, pile.kicked, pile.grid.order
    for k in range(n):
        a = np.uint32(k)
        if v[a, 3] > 0.0:
            i = order[a]
            for axis in range(len(dim)):
                u = v[a, axis] + h * accel[i, axis]
                v[a, axis] = u + (v[a, axis] - kicked[a, axis]) if again else u
                kicked[a, axis] = u


@inline
def move(dim: Any, pile: Pile, n: Index, h: Real, place: Any) -> None:
    """x += h v; a fixed body moves if it has been given a velocity."""
    x, v, order = pile.x, pile.v, pile.grid.order
    for k in range(n):
        a = np.uint32(k)
        i = order[a]
        for axis in range(len(dim)):
            x[a, axis] += h * v[a, axis]
            place[i, axis] = x[a, axis]


@inline
def write_velocities(dim: Any, pile: Pile, n: Index, h: Real, velocity: Any, accel: Any) -> None:
    """Write the velocities back to the bodies, and book the energy lost: -J·(v + v')/2, J = m (v' - v - h a).

    v is the velocity before the substep and v' after it. So bodies at rest and in free flight lose nothing.
    """
    v, order = pile.v, pile.grid.order
    lost = 0.0
    for k in range(n):
        a = np.uint32(k)
        i = order[a]
        work = 0.0
        for axis in range(len(dim)):
            before, after = velocity[i, axis], v[a, axis]
            work += (after - (before + h * accel[i, axis])) * (after + before)
            velocity[i, axis] = after
        if v[a, 3] > 0.0:
            lost -= 0.5 * accel[i, 3] * work
    pile.account[LOST] += lost


@stage
def substep(dim: Any, heap: Any, bodies: Any, n: Index, h: Real) -> None:
    """Advance by h. Places and velocities are up to date afterwards; change neither before the step ends."""
    pile = heap.pile
    again = pile.tally[DONE] > 0
    kick(dim, pile, n, h, bodies.accel, again)
    if not again:
        warm_start(dim, pile)
    for _ in range(MOST_SWEEPS):
        if not solve(dim, pile, heap.softness, h, heap.laws):
            break
    move(dim, pile, n, h, bodies.place)
    relax(dim, pile, heap.laws)
    write_velocities(dim, pile, n, h, bodies.velocity, bodies.accel)
    pile.tally[DONE] += 1


@stage
def end_step(dim: Any, pile: Pile, bodies: Any, n: Index) -> None:
    """Apply restitution, with which a step ends."""
    apply_restitution(dim, pile)
    write_velocities(dim, pile, n, 0.0, bodies.velocity, bodies.accel)
