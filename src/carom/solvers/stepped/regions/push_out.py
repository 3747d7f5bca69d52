"""A body that is inside a forbidden region, whatever pushed it there, is moved out."""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Real, noinline
from carom.physics import impact
from carom.physics.regions import nearest
from carom.physics.swept_contact import slack_of
from carom.solvers.stepped.contacts.paths import dot, joined, moved
from carom.solvers.stepped.regions.surfaces import material_of

PUSHES: Final = 64
"""How often a body that is inside is moved out; each time from one region, perhaps a little into another."""

NARROW: Final = 1e-6
"""Square of the sine of the angle between two surfaces that are taken as parallel."""


@noinline
def push_out(
    dim: Any, walls: Any, bounce: Any, path: Any, r: Real, length: Real, start: Any
) -> tuple[Any, bool, bool, Real]:
    """The path, with its end moved out of every region that it is in and not going deeper.

    And was it in one? Was it put back? What did that take, per unit of mass? `bounce` is the restitution of the body's
    material by that of walls, `start` its place and velocity at the beginning.

    Where two surfaces come together it is moved along the one, out of the other. One that does not come free (a slot is
    too narrow for it) is put back to the start of its path, and goes back where it came from.
    """
    regions, edges = walls.regions, walls.edges
    ever, stuck, taken = False, False, 0.0
    x, u = (path[0], path[1], path[2]), (path[3], path[4], path[5])
    m = (0.0, 0.0, 0.0)  # the normal of the last push
    for turn in range(PUSHES + 1):
        stuck = turn == PUSHES
        inside = False
        for row in range(len(regions)):
            k = np.uint32(row)
            d, nx, ny, nz, j = nearest(dim, regions, edges, k, x[0], x[1], x[2])
            if d - r < -slack_of(path, r, length, regions[k].scale):
                n = (nx, ny, nz)
                inside = True
                along = moved(n, -min(dot(n, m), 0.0), m)
                way = dot(along, n)
                x = moved(x, (r - d) / way, along) if way > NARROW else moved(x, r - d, n)
                m = n
                un = dot(u, n)
                if un < 0.0:
                    e = bounce[material_of(regions, edges, k, j)]
                    u = moved(u, impact.velocity_change(e, un) / dot(n, n), n)
                    taken += impact.energy_taken(e) * (un * un)
        if not inside:
            stuck = False
            break
        ever = True
    pull = (path[6], path[7], path[8])
    if stuck and depth_at(dim, regions, edges, start, r) < depth_at(dim, regions, edges, x, r):
        return joined((start[0], start[1], start[2]), (-start[3], -start[4], -start[5]), pull), True, True, 0.0
    return joined(x, u, pull), ever, False, taken


@noinline
def depth_at(dim: Any, regions: Any, edges: Any, x: Any, r: Real) -> Real:
    """How deep a body at x is in the region that it is deepest in."""
    deepest = -np.inf
    for row in range(len(regions)):
        d = nearest(dim, regions, edges, np.uint32(row), x[0], x[1], x[2])[0]
        deepest = max(deepest, r - d)
    return deepest
