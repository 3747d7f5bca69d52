"""Signed distance of a point from a forbidden region, and the normal of the region there.

A region is a record. Its signed distance d is positive in free space and negative inside the region; the normal n, the
gradient of d, points into free space. A container is the region outside it. An outline (a polygon, with arcs and
holes) is a run of records of its own, one a feature: a straight edge with its ends, a piece of an arc without them, or
a corner. All other kinds are one feature each.

The hollowness of a feature is a number κ with d(x + Δ) ≥ d(x) + n·Δ - κ Δ²/2 for every Δ. It is 0 for all that
is convex, and 1/ρ inside a circle, at the distance ρ from its centre. That makes it possible to say when a ball cannot
have arrived yet (`physics.swept_contact`), so that none passes through, however fast it is and however thin the region.

A scene's shapes are made of these kinds, so a new shape needs none (`scene.shapes.features`). A new kind of region is a
case in `probe`.
"""

from typing import Any, Final

import numpy as np

from carom.kernels.jit import Index, Real, inline, noinline

HALF_SPACE: Final = 0  # a point p of its surface, the normal q
BALL: Final = 1  # centre p, radius r; in 2D a circle
CYLINDER: Final = 2  # the same, unbounded along z
BLOCK: Final = 3  # corners p (low) and q (high)
OUTLINE: Final = 4  # the records `first` to `first + count` of the features; p and q: corners of a box round a solid

SEGMENT: Final = 0  # from (x, y) to (ex, ey), with both ends
ARC: Final = 1  # round (x, y), between the directions whose inner normals are a and b, at most a third of a circle
CORNER: Final = 2  # at (x, y)

NO_EDGE: Final = 0xFFFFFFFF

region_record = np.dtype(
    [
        ("px", "f8"), ("py", "f8"), ("pz", "f8"),  # see the kinds, m
        ("qx", "f8"), ("qy", "f8"), ("qz", "f8"),
        ("r", "f8"),  # radius, m
        ("sign", "f8"),  # 1: solid, -1: a container (round ones only; a box is one half-space a face)
        ("scale", "f8"),  # largest coordinate or radius, for the rounding error of distances, m
        ("first", "u4"), ("count", "u4"),
        ("label", "u4"), ("kind", "u1"), ("material", "u1"), ("spare", "u2"),
    ]
)  # fmt: skip

edge_record = np.dtype(
    [
        ("x", "f8"), ("y", "f8"),  # start of a segment, centre of an arc, place of a corner, m
        ("ex", "f8"), ("ey", "f8"),  # end of a segment, m
        ("tx", "f8"), ("ty", "f8"),  # unit tangent of a segment
        ("nx", "f8"), ("ny", "f8"),  # unit normal of a segment into free space; of a corner, the middle one
        ("ax", "f8"), ("ay", "f8"),  # middle normal at the start of a segment; of an arc, normal of its first side
        ("bx", "f8"), ("by", "f8"),  # middle normal at its end; of an arc, normal of its last side
        ("length", "f8"),  # of a segment, m
        ("r", "f8"),  # radius of an arc, m
        ("side", "f8"),  # of an arc: 1 if free space is inside the circle, -1 if outside
        ("label", "u4"), ("kind", "u1"), ("material", "u1"), ("spare", "u2"),
    ]
)  # fmt: skip


@inline
def half_space(dim: Any, region: Any, x: Real, y: Real, z: Real) -> Real:
    """Distance from a plane: (x - p)·q."""
    d = (x - region.px) * region.qx + (y - region.py) * region.qy
    if len(dim) == 3:
        d += (z - region.pz) * region.qz
    return d


@inline
def round_region(dim: Any, region: Any, x: Real, y: Real, z: Real) -> tuple[Real, Real, Real, Real, Real]:
    """Distance ±(ρ - R) from a ball or cylinder, normal, hollowness 1/ρ."""
    dx, dy, dz = x - region.px, y - region.py, 0.0
    square = dx * dx + dy * dy
    if len(dim) == 3 and region.kind == BALL:
        dz = z - region.pz
        square += dz * dz
    rho = np.sqrt(square)
    if rho == 0.0:  # the centre has no direction: any normal will do
        return -region.sign * region.r, region.sign, 0.0, 0.0, 0.0 if region.sign > 0.0 else np.inf
    s = region.sign / rho
    return region.sign * (rho - region.r), dx * s, dy * s, dz * s, 0.0 if region.sign > 0.0 else 1.0 / rho


@inline
def block(dim: Any, region: Any, x: Real, y: Real, z: Real) -> tuple[Real, Real, Real, Real, Real]:
    """Distance from an axis-parallel block: to its face, edge or corner; inside, to the nearest face."""
    dx = x - min(max(x, region.px), region.qx)
    dy = y - min(max(y, region.py), region.qy)
    dz = 0.0
    square = dx * dx + dy * dy
    if len(dim) == 3:
        dz = z - min(max(z, region.pz), region.qz)
        square += dz * dz
    if square > 0.0:
        d = np.sqrt(square)
        return d, dx / d, dy / d, dz / d, 0.0
    d, nx, ny, nz = region.px - x, -1.0, 0.0, 0.0
    if x - region.qx > d:
        d, nx = x - region.qx, 1.0
    if region.py - y > d:
        d, nx, ny = region.py - y, 0.0, -1.0
    if y - region.qy > d:
        d, nx, ny = y - region.qy, 0.0, 1.0
    if len(dim) == 3:
        if region.pz - z > d:
            d, nx, ny, nz = region.pz - z, 0.0, 0.0, -1.0
        if z - region.qz > d:
            d, nx, ny, nz = z - region.qz, 0.0, 0.0, 1.0
    return d, nx, ny, nz, 0.0


@inline
def on_arc(edge: Any, x: Real, y: Real, slack: Real) -> bool:
    """Is a point, seen from the centre of an arc, between the sides of this piece of it?"""
    dx, dy = x - edge.x, y - edge.y
    return bool(dx * edge.ax + dy * edge.ay >= -slack and dx * edge.bx + dy * edge.by >= -slack)


@inline
def from_corner(
    dx: Real, dy: Real, middle_x: Real, middle_y: Real, slack: Real
) -> tuple[Real, Real, Real, Real]:  # fmt: skip
    """Distance from a corner, never negative; on the corner itself the normal is the middle one."""
    rho = np.sqrt(dx * dx + dy * dy)
    if rho <= slack:
        return 0.0, middle_x, middle_y, 0.0
    return rho, dx / rho, dy / rho, 0.0


@inline
def edge_front(edge: Any, x: Real, y: Real, slack: Real, behind: Real) -> tuple[Real, Real, Real, Real]:
    """Distance from a feature of an outline, taken as a wall with two sides: d, n and hollowness.

    In front of it, and up to `behind` behind it, the distance is signed. Farther behind, the point is in another part
    of space, and has the back of the wall before it. Beyond the sides of an arc the distance is infinite: its ends are
    corners. `slack` is the rounding error.
    """
    dx, dy = x - edge.x, y - edge.y
    if edge.kind == SEGMENT:
        along = dx * edge.tx + dy * edge.ty
        if along < 0.0:
            return from_corner(dx, dy, edge.ax, edge.ay, slack)
        if along > edge.length:
            return from_corner(x - edge.ex, y - edge.ey, edge.bx, edge.by, slack)
        s = dx * edge.nx + dy * edge.ny
        if s >= -behind:
            return s, edge.nx, edge.ny, 0.0
        return -s, -edge.nx, -edge.ny, 0.0
    if edge.kind == CORNER:
        return from_corner(dx, dy, edge.nx, edge.ny, slack)
    if not on_arc(edge, x, y, slack):
        return np.inf, 0.0, 0.0, 0.0
    rho = np.sqrt(dx * dx + dy * dy)
    if rho == 0.0:
        return edge.r, 0.0, 0.0, np.inf
    s = edge.side * (edge.r - rho)
    side = edge.side
    if s < -behind:
        s, side = -s, -side
    c = -side / rho
    return s, dx * c, dy * c, 1.0 / rho if side > 0.0 else 0.0


@inline
def edge_distance(edge: Any, x: Real, y: Real) -> tuple[Real, Real, Real]:
    """Signed distance from a feature of an outline, and normal; infinite beyond the sides of an arc."""
    dx, dy = x - edge.x, y - edge.y
    middle_x, middle_y = edge.nx, edge.ny
    if edge.kind == ARC:
        if not on_arc(edge, x, y, 0.0):
            return np.inf, 0.0, 0.0
        rho = np.sqrt(dx * dx + dy * dy)
        if rho == 0.0:
            return edge.side * edge.r, 1.0, 0.0
        return edge.side * (edge.r - rho), -edge.side * dx / rho, -edge.side * dy / rho
    if edge.kind == SEGMENT:
        along = dx * edge.tx + dy * edge.ty
        if along >= 0.0 and along <= edge.length:
            return dx * edge.nx + dy * edge.ny, edge.nx, edge.ny
        middle_x, middle_y = edge.ax, edge.ay
        if along > 0.0:
            dx, dy = x - edge.ex, y - edge.ey
            middle_x, middle_y = edge.bx, edge.by
    rho = np.sqrt(dx * dx + dy * dy)
    if rho == 0.0:
        return 0.0, middle_x, middle_y
    out = -1.0 if dx * middle_x + dy * middle_y < 0.0 else 1.0
    return out * rho, out * dx / rho, out * dy / rho


@noinline
def probe(
    dim: Any, regions: Any, edges: Any, k: Index, j: Index, point: Any, slack: Real
) -> tuple[Real, Real, Real, Real, Real]:
    """Distance of a point from region k, or from feature j of its outline as a wall; normal and hollowness."""
    region, (x, y, z) = regions[np.uint32(k)], point
    if region.kind == HALF_SPACE:
        qz = 0.0
        if len(dim) == 3:
            qz = region.qz
        return half_space(dim, region, x, y, z), region.qx, region.qy, qz, 0.0
    if region.kind == BLOCK:
        return block(dim, region, x, y, z)
    if region.kind == OUTLINE:
        d, nx, ny, kappa = edge_front(edges[np.uint32(j)], x, y, slack, slack)
        return d, nx, ny, 0.0, kappa
    return round_region(dim, region, x, y, z)


@inline
def label_of(regions: Any, edges: Any, k: Index, j: Index) -> Index:
    """The label of feature j of region k, which the pieces of an arc share; NO_EDGE if it is no outline."""
    if regions[np.uint32(k)].kind == OUTLINE:
        return np.uint32(edges[np.uint32(j)].label)
    return np.uint32(NO_EDGE)


@noinline
def nearest(
    dim: Any, regions: Any, edges: Any, k: Index, x: Real, y: Real, z: Real
) -> tuple[Real, Real, Real, Real, Index]:
    """Signed distance from region k and the normal there, and the feature of its outline that is nearest."""
    region = regions[np.uint32(k)]
    if region.kind != OUTLINE:
        d, nx, ny, nz, _ = probe(dim, regions, edges, k, np.uint32(NO_EDGE), (x, y, z), 0.0)
        return d, nx, ny, nz, np.uint32(NO_EDGE)
    best, bx, by, which = np.inf, 0.0, 0.0, np.uint32(NO_EDGE)
    for j in range(region.first, region.first + region.count):
        d, nx, ny = edge_distance(edges[np.uint32(j)], x, y)
        if abs(d) < abs(best):
            best, bx, by, which = d, nx, ny, np.uint32(j)
    return best, bx, by, 0.0, which


@inline
def distance(dim: Any, regions: Any, edges: Any, k: Index, x: Real, y: Real, z: Real) -> Real:
    """Signed distance of a point from region k, m: positive in free space."""
    return nearest(dim, regions, edges, k, x, y, z)[0]


@inline
def normal(dim: Any, regions: Any, edges: Any, k: Index, x: Real, y: Real, z: Real) -> tuple[Real, Real, Real]:
    """Unit normal of region k where a point is, into free space."""
    _, nx, ny, nz, _ = nearest(dim, regions, edges, k, x, y, z)
    return nx, ny, nz


@inline
def box_gap(region: Any, x: Real, y: Real) -> Real:
    """A lower bound of the squared distance from an outline: that from the box around it, 0 inside the box."""
    dx = x - min(max(x, region.px), region.qx)
    dy = y - min(max(y, region.py), region.qy)
    return dx * dx + dy * dy


@inline
def is_clear(dim: Any, regions: Any, edges: Any, k: Index, x: Real, y: Real, z: Real, reach: Real) -> bool:
    """Is region k certainly farther from a point than `reach`?"""
    region = regions[np.uint32(k)]
    if region.kind == HALF_SPACE:
        return bool(half_space(dim, region, x, y, z) > reach)
    return is_clear_of_solid(dim, regions, edges, k, x, y, z, reach)


@noinline
def is_clear_of_solid(dim: Any, regions: Any, edges: Any, k: Index, x: Real, y: Real, z: Real, reach: Real) -> bool:
    """Is region k, no half-space, certainly farther from a point than `reach`?"""
    region = regions[np.uint32(k)]
    if region.kind == OUTLINE and box_gap(region, x, y) > reach * reach:
        return True
    return bool(nearest(dim, regions, edges, k, x, y, z)[0] > reach)
