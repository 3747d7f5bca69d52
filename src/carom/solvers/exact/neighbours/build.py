"""Build the index of a run: choose between cells and lists, and set them up from where the balls are.

`plan` chooses, and writes into the directory of an index how large its arrays are to be. Whoever has the memory lays
them out. `fill` fills them, or says that one is too small and how large it is to be. Nothing here can change the
motion, only the time that it takes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from carom.kernels.blocks import COLUMNS, FIELDS, ROWS, words
from carom.kernels.jit import Index, Real, inline, kernel, noinline
from carom.physics.flight import place
from carom.physics.walls import PLANE, SEGMENT
from carom.solvers.exact.events.calendar import WAITING
from carom.solvers.exact.events.predict import pull
from carom.solvers.exact.kinds import NONE
from carom.solvers.exact.neighbours import cells, list_update, lists
from carom.solvers.exact.neighbours.candidate import ITSELF, named
from carom.solvers.exact.neighbours.wall_grid import WallGrid, count_near, list_near, size_of_grid
from carom.solvers.exact.tables import (
    INDEX,
    cells_of,
    lists_of,
    open_bodies,
    open_cells,
    open_lists,
    open_state,
    periodic_of,
    rules_of,
)

MARGIN: Final = 1.0 + 1e-7  # cells are larger than a contact distance by more than rounding can take away
THIN, PER_THIN_CELL = 0.2, 1.0  # packing fraction in the plane below which a ball leaves cells oftener than it collides
CROWD: Final = 6.0  # balls in a cell as large as the largest ball, beyond which lists are faster
LIST_ROOM: Final = 64  # balls that a list may name, at least
LARGEST_GRID: Final = 2**31 // 8  # cells
REMEMBERING: Final = 4_000  # balls up to which there is room in the near caches for what each has seen
LARGE: Final = 12_000  # balls from which memory, not arithmetic, sets the pace
QUEUE, LARGE_QUEUE = 1.0, 0.25  # buckets of the calendar per ball, at least; few enough to stay in the cache
ROW, ROUND = 32, 1024  # items by which two rows are apart in their pages; items that are whole pages
MAX_CLASSES: Final = 32  # of sizes: the last has all balls that are larger still
AUTO, CELLS, LISTS = 0, 1, 2  # how neighbours are to be found (`space.lists`)

NAMES = INDEX.names  # the arrays of an index by their numbers


class Constants(NamedTuple):
    """What differs between the plane and space."""

    per_cell: Any  # balls in a cell, where the balls are small enough
    dense: Any  # packing fraction beyond which lists are faster
    near: Any  # spacings of balls within which they are listed
    solid: Any  # the volume of a ball of radius 1


@inline
def constants(dim: Any) -> Any:
    """What differs between the plane and space."""
    if len(dim) == 2:
        return Constants(0.7, 0.6, 1.64, np.pi)
    else:  # Numba drops the other branch only so
        return Constants(0.5, 0.45, 1.5, 4.0 / 3.0 * np.pi)


class Sizes(NamedTuple):
    """What is to be known of the balls and their region."""

    count: Any
    largest: Any  # radius, m
    smallest: Any  # that is not zero, m; 1 if there is none
    typical: Any  # the median, m
    volume: Any  # of the region, m² or m³
    packing: Any  # the part of it that balls fill


@noinline
def edge_of(dim: Any, volume: Real) -> float:
    """The edge of a cube (or square) of some volume, m."""
    if len(dim) == 2:
        return float(np.sqrt(volume))
    scale = 1.0
    while volume >= 8.0:
        volume, scale = 0.125 * volume, 2.0 * scale
    while 0.0 < volume < 1.0:
        volume, scale = 8.0 * volume, 0.5 * scale
    edge = 1.5
    for _ in range(8):  # Newton's method for a cube root between 1 and 2
        edge -= (edge * edge * edge - volume) / (3.0 * edge * edge)
    return float(edge * scale) if volume > 0.0 else 0.0


@inline
def spacing(dim: Any, sizes: Any, count: Real) -> float:
    """The edge of the cube (or square) of the region that holds one of so many balls, m."""
    return edge_of(dim, sizes.volume / max(count, 1.0))


@inline
def spot(bodies: Any, rules: Any, i: Index, t: Real) -> Any:
    """Where ball i is at time t."""
    ball = bodies.balls[np.uint32(i)]
    a = pull(bodies, rules, rules.gravity, i)
    s = t - ball.t
    return place(ball.x, ball.vx, a[0], s), place(ball.y, ball.vy, a[1], s), place(ball.z, ball.vz, a[2], s)


@inline
def median_radius(balls: Any, largest: Real) -> float:
    """The median of the radii, but for a millionth of the largest."""
    low, high = 0.0, largest
    for _ in range(20):
        middle = 0.5 * (low + high)
        below = 0
        for i in range(balls.size):
            below += balls[i].r <= middle
        if 2 * below > balls.size:
            high = middle
        else:
            low = middle
    return high


@inline
def measure(dim: Any, balls: Any, grid: Any) -> Any:
    """What is to be known of the balls in a region."""
    largest, smallest, solid = 0.0, np.inf, 0.0
    for i in range(balls.size):
        r = balls[i].r
        largest = max(largest, r)
        smallest = min(smallest, r if r > 0.0 else np.inf)
        solid += r * r * (r if len(dim) == 3 else 1.0)
    volume = grid.wide_x * grid.wide_y * (grid.wide_z if len(dim) == 3 else 1.0)
    smallest = smallest if smallest < np.inf else 1.0
    packing = constants(dim).solid * solid / volume
    return Sizes(balls.size, largest, smallest, median_radius(balls, largest), volume, packing)


@inline
def cover(low: Any, high: Any, wall: Any) -> Any:
    """The corners of a box that also holds a wall that is no plane."""
    ex, ey = wall.px, wall.py
    if wall.kind == SEGMENT:
        ex, ey = ex + wall.tx * wall.length, ey + wall.ty * wall.length
    low = (
        min(low[0], wall.px - wall.r, ex - wall.r),
        min(low[1], wall.py - wall.r, ey - wall.r),
        min(low[2], wall.pz - wall.r),
    )
    high = (
        max(high[0], wall.px + wall.r, ex + wall.r),
        max(high[1], wall.py + wall.r, ey + wall.r),
        max(high[2], wall.pz + wall.r),
    )
    return low, high


@inline
def find_region(bodies: Any, rules: Any, state: Any, grid: Any) -> None:
    """What the grid is to cover: the box, or all walls and all balls."""
    dim, space, now = rules.dim, state.space[0], state.clock[0].now
    low, high = (np.inf, np.inf, np.inf), (-np.inf, -np.inf, -np.inf)
    boxed_x, boxed_y, boxed_z = periodic_of(space)
    for w in range(rules.walls.size):
        wall = rules.walls[w]
        if wall.kind == PLANE:
            boxed_x, boxed_y, boxed_z = (
                boxed_x | (wall.nx != 0.0),
                boxed_y | (wall.ny != 0.0),
                boxed_z | (wall.nz != 0.0),
            )
        else:
            low, high = cover(low, high, wall)
    reach = 0.0
    for i in range(bodies.balls.size):
        reach = max(reach, bodies.balls[i].r)
    low = low[0] - reach, low[1] - reach, low[2] - reach
    high = high[0] + reach, high[1] + reach, high[2] + reach
    for i in range(bodies.balls.size):
        x, y, z = spot(bodies, rules, i, now)
        low = min(low[0], x), min(low[1], y), min(low[2], z)
        high = max(high[0], x), max(high[1], y), max(high[2], z)
    grid.low_x, grid.wide_x = (0.0, space.size_x) if boxed_x else (low[0], high[0] - low[0])
    grid.low_y, grid.wide_y = (0.0, space.size_y) if boxed_y else (low[1], high[1] - low[1])
    grid.low_z, grid.wide_z = (0.0, space.size_z) if boxed_z else (low[2], high[2] - low[2])
    # A region without extent (balls in a row, or a single one) still needs cells of some size.
    widest = max(grid.wide_x, grid.wide_y, grid.wide_z if len(dim) == 3 else 0.0)
    widest = widest if widest > 0.0 else (2.0 * reach if reach > 0.0 else 1.0)
    least = 1e-3 * widest + 2.0 * reach
    grid.wide_x = space.size_x if space.around_x else max(grid.wide_x, least)
    grid.wide_y = space.size_y if space.around_y else max(grid.wide_y, least)
    if len(dim) == 3:
        grid.wide_z = space.size_z if space.around_z else max(grid.wide_z, least)
    else:
        grid.low_z, grid.wide_z = 0.0, 1.0


@inline
def cells_along(size: Real, edge: Real) -> int:
    """As many cells as fit along an axis with at least that edge."""
    if edge <= 0.0:
        return 1
    return max(1, int(min(size / edge, float(LARGEST_GRID))))


@inline
def wide_enough(dim: Any, space: Any, sizes: Any, skin: Real) -> bool:
    """Can lists be used at all? They need a box in which a ball cannot meet two images of another."""
    least = 4.2 * (sizes.largest + skin)
    fine = (space.around_x == 0 or space.size_x > least) and (space.around_y == 0 or space.size_y > least)
    return bool(fine and (len(dim) == 2 or space.around_z == 0 or space.size_z > least))


@inline
def prefer_lists(dim: Any, sizes: Any) -> bool:
    """Are neighbour lists the faster choice?"""
    edge = 2.0 * sizes.largest
    crowd = sizes.count * edge * edge * (edge if len(dim) == 3 else 1.0) / sizes.volume
    return bool(sizes.largest > 0.0 and (sizes.packing > constants(dim).dense or crowd > CROWD))


@inline
def size_class(r: Real, smallest: Real) -> int:
    """The class of a radius: those that differ by less than a factor of two share one; points are in the lowest."""
    k = 0
    while r >= 2.0 * smallest and k < MAX_CLASSES - 1:
        smallest, k = 2.0 * smallest, k + 1
    return k


@inline
def set_rows(directory: Any, name: Index, rows: Index) -> None:
    """Say how many rows an array is to have."""
    directory[FIELDS * name + ROWS] = rows


@inline
def two_rows(directory: Any, name: Index, least: Index) -> None:
    """Make room for two rows of at least so many items, a little apart in their pages."""
    room = (least - ROW + ROUND - 1) // ROUND * ROUND + ROW
    directory[FIELDS * name + ROWS], directory[FIELDS * name + COLUMNS] = 2, max(room, ROW)


@inline
def plan_calendar(directory: Any, clock: Any, n: Index) -> None:
    """Choose the number of buckets, and room for the events of so many balls."""
    queue, buckets = (LARGE_QUEUE if n > LARGE else QUEUE) * n, 16
    while buckets <= queue:
        buckets *= 2
    clock.buckets, clock.width = buckets, 0.0
    set_rows(directory, NAMES.heap_times, 2 * n + 64)
    set_rows(directory, NAMES.heap_balls, 2 * n + 64)
    set_rows(directory, NAMES.blocks, (buckets + n // 3 + 4 * WAITING) * 8)
    set_rows(directory, NAMES.count, 2)


@inline
def plan_cells(directory: Any, dim: Any, state: Any, index: Any, sizes: Any) -> None:
    """Cells at least as large as the largest contact distance, and as large as to hold some balls each."""
    grid, few = index.grid[0], constants(dim).per_cell
    per_cell = PER_THIN_CELL if len(dim) == 2 and sizes.packing < THIN else few
    edge = max(2.0 * sizes.largest * MARGIN, spacing(dim, sizes, sizes.count / per_cell))
    grid.nx, grid.ny, grid.nz = cells_along(grid.wide_x, edge), cells_along(grid.wide_y, edge), 1
    if len(dim) == 3:
        grid.nz = cells_along(grid.wide_z, edge)
    grid.ex, grid.ey, grid.ez = grid.wide_x / grid.nx, grid.wide_y / grid.ny, grid.wide_z / grid.nz
    count = grid.nx * grid.ny * grid.nz
    set_rows(directory, NAMES.slots, (count + sizes.count // cells.ROOM + 64) * cells.WORDS)
    if state.walls.size:
        lattice = WallGrid(
            (grid.low_x, grid.low_y, grid.low_z), (grid.ex, grid.ey, grid.ez), (grid.nx, grid.ny, grid.nz)
        )
        set_rows(directory, NAMES.first, count)
        set_rows(directory, NAMES.near, 2 * count_near(state.walls, lattice, sizes.largest, index))
    space, room = state.space[0], sizes.count
    room *= (3 if space.around_x and grid.nx < 3 else 1) * (3 if space.around_y and grid.ny < 3 else 1)
    room *= 3 if len(dim) == 3 and space.around_z and grid.nz < 3 else 1
    two_rows(directory, NAMES.found, room + 64)
    two_rows(directory, NAMES.times, room + 64)


@inline
def class_edge(dim: Any, balls: Any, grid: Any, sizes: Any, k: Index) -> Any:
    """The largest radius in a class of sizes, how many balls it has, and the edge that its cells are to have."""
    reach, count = 0.0, 0
    for i in range(balls.size):
        if size_class(balls[i].r, sizes.smallest) == k:
            reach, count = max(reach, balls[i].r), count + 1
    return reach, count, max(2.0 * reach + grid.skin, spacing(dim, sizes, float(count)))


@inline
def class_grid(dim: Any, grid: Any, edge: Real) -> Any:
    """The cells of a class."""
    nx, ny, nz = cells_along(grid.wide_x, edge), cells_along(grid.wide_y, edge), 1
    if len(dim) == 3:
        nz = cells_along(grid.wide_z, edge)
    low, edges = (grid.low_x, grid.low_y, grid.low_z), (grid.wide_x / nx, grid.wide_y / ny, grid.wide_z / nz)
    return WallGrid(low, edges, (nx, ny, nz))


@inline
def plan_lists(directory: Any, dim: Any, state: Any, balls: Any, index: Any, sizes: Any) -> None:
    """Neighbour lists, and a grid for each class of sizes."""
    grid, levels, count, near = index.grid[0], 0, 0, 0
    for k in range(size_class(sizes.largest, sizes.smallest) + 1):
        reach, members, edge = class_edge(dim, balls, grid, sizes, k)
        if members:
            lattice = class_grid(dim, grid, edge)
            levels, count = levels + 1, count + size_of_grid(lattice)
            near += 2 * count_near(state.walls, lattice, reach + grid.skin, index)
    n = sizes.count
    grid.levels = levels
    for name in (NAMES.shapes, NAMES.offset, NAMES.edges, NAMES.reach):
        set_rows(directory, name, levels)
    set_rows(directory, NAMES.slots, (count + n // cells.ROOM + 64) * cells.WORDS)
    set_rows(directory, NAMES.first, count if state.walls.size else 0)
    set_rows(directory, NAMES.near, near if state.walls.size else 0)
    set_rows(directory, NAMES.heads, n)
    set_rows(directory, NAMES.left, 32)
    set_rows(directory, NAMES.gathered, lists.FOUND)
    set_rows(directory, NAMES.remembered, lists.SEEN * n if len(dim) == 2 and n <= REMEMBERING else 0)
    plan_pool(directory, dim, grid, n)


@inline
def plan_pool(directory: Any, dim: Any, grid: Any, n: Index) -> None:
    """Room for lists: in the plane they begin inside the records; in space, where they are longer, behind these."""
    behind = 0 if len(dim) == 2 else 2 * lists.INSIDE
    set_rows(directory, NAMES.pool, (lists.LINE + behind + grid.spare) * n + 1024)
    two_rows(directory, NAMES.found, grid.longest + 64)
    two_rows(directory, NAMES.times, grid.longest + 64)


@kernel
def plan(state_block: Any, index_block: Any, dim: Any, pulled: Any) -> bool:
    """Choose how neighbours are found, and write into the directory of an index how large its arrays are to be.

    The index has only its grid yet. True: lists.
    """
    directory, index = words(index_block), open_cells(index_block)
    bodies, state = open_bodies(state_block), open_state(state_block)
    rules, grid, space = rules_of(dim, pulled, state), index.grid[0], state.space[0]
    find_region(bodies, rules, state, grid)
    sizes = measure(dim, bodies.balls, grid)
    if grid.skin == 0.0:  # nobody has chosen one
        spread = constants(dim).near * spacing(dim, sizes, float(sizes.count))
        grid.skin = max(spread - 2.0 * sizes.typical, 0.25 * sizes.typical)
    wished = space.lists == LISTS or (space.lists == AUTO and prefer_lists(dim, sizes))
    # A ball that flies away would have to renew its list for ever; but the outermost cells reach to infinity.
    by_lists = bool(wished and space.bounded and wide_enough(dim, space, sizes, grid.skin))
    plan_calendar(directory, state.clock[0], sizes.count)
    grid.spare, grid.longest, grid.levels = 2, LIST_ROOM, 0
    if by_lists:
        plan_lists(directory, dim, state, bodies.balls, index, sizes)
    else:
        plan_cells(directory, dim, state, index, sizes)
    return by_lists


@inline
def blank_slots(slots: Any, clock: Any, blocks: Index) -> None:
    """So many empty cells, and spare blocks chained up for crowded ones."""
    for k in range(slots.size):
        slots[np.uint64(k)] = NONE
    for block in range(blocks, slots.size // cells.WORDS - 1):
        slots[cells.word(block, cells.NEXT)] = block + 1
    clock.free_cell = blocks


@inline
def coordinate(x: Real, low: Real, edge: Real, n: Index) -> int:
    """The cell of a coordinate, clamped to the grid."""
    return int(min(max(np.floor((x - low) / edge), 0.0), n - 1.0))


@inline
def fill_cells(bodies: Any, rules: Any, state: Any, index: Any, hood: Any) -> None:
    """File every ball in its cell, and list the walls near each cell."""
    clock, grid = state.clock[0], index.grid[0]
    blank_slots(index.slots, clock, grid.nx * grid.ny * grid.nz)
    largest = 0.0
    for k in range(bodies.balls.size):
        ball = bodies.balls[k]
        largest = max(largest, ball.r)
        x, y, z = spot(bodies, rules, k, clock.now)
        ball.cx = coordinate(x, grid.low_x, grid.ex, grid.nx)
        ball.cy = coordinate(y, grid.low_y, grid.ey, grid.ny)
        ball.cz = coordinate(z, grid.low_z, grid.ez, grid.nz)
        cells.enter(hood, clock, cells.cell_of(hood, ball), np.uint32(k))
    if state.walls.size:
        list_near(state.walls, WallGrid(hood.low, hood.edge, hood.shape), largest, index, 0, 0)


@inline
def fill_grids(dim: Any, bodies: Any, state: Any, index: Any) -> None:
    """Make the grids of all classes of sizes, and list the walls near their cells."""
    balls, grid = bodies.balls, index.grid[0]
    sizes = measure(dim, balls, grid)
    level, cell, near = 0, 0, 0
    for k in range(size_class(sizes.largest, sizes.smallest) + 1):
        reach, members, edge = class_edge(dim, balls, grid, sizes, k)
        if members:
            lattice = class_grid(dim, grid, edge)
            for axis in range(3):
                index.shapes[level, axis], index.edges[level, axis] = lattice.shape[axis], lattice.edge[axis]
            index.reach[level], index.offset[level] = reach, cell
            for i in range(balls.size):
                if size_class(balls[i].r, sizes.smallest) == k:
                    index.heads[i].level = level
            if state.walls.size:
                near = list_near(state.walls, lattice, reach + grid.skin, index, cell, near)
            level, cell = level + 1, cell + size_of_grid(lattice)
    blank_slots(index.slots, state.clock[0], cell)


@inline
def blank_lists(dim: Any, balls: Any, index: Any, clock: Any) -> None:
    """Make all lists empty."""
    n, pool, heads = balls.size, index.pool, index.heads
    deep = len(dim) == 3
    within = 2 * lists.INSIDE if deep else lists.INSIDE
    room = 4 if deep else lists.SHORT
    for k in range(n):
        head, first = heads[k], lists.LINE * k + lists.INSIDE
        head.r, head.mark, head.bits, head.length, head.edgy = balls[k].r, NONE, room, 0, 0
        itself = named(k, ITSELF)
        if deep:
            first = lists.LINE * n + within * k
            pool[np.uint64(lists.LINE * k + lists.INSIDE)] = first
            pool[np.uint64(lists.LINE * k + lists.INSIDE + 1)] = 0
        for word in range(first, first + within):
            pool[np.uint64(word)] = itself
    clock.pool = (lists.LINE + (within if deep else 0)) * n
    index.grid[0].least = room
    for k in range(index.left.size):
        index.left[k] = NONE


@inline
def longest_of(hood: Any, n: Index) -> int:
    """How many balls the longest list names."""
    most = 0
    for i in range(n):
        most = max(most, lists.list_of(hood, np.uint32(i))[1])
    return most


@inline
def fill_lists(directory: Any, bodies: Any, rules: Any, state: Any, index: Any, hood: Any) -> bool:
    """Make all lists; False if there is too little room for them to grow, and then the directory asks for more."""
    dim, balls, clock, grid = rules.dim, bodies.balls, state.clock[0], index.grid[0]
    begun = clock.pool
    for k in range(balls.size):
        x, y, z = spot(bodies, rules, k, clock.now)
        list_update.settle(dim, hood, balls, k, x, y, z)
        cells.enter(hood, clock, lists.filed(hood, balls, k), np.uint32(k))
    made = True
    for k in range(balls.size):
        made = made and list_update.make_list(dim, hood, clock, balls, np.uint32(k), False)
    # Lists grow and shrink later: half of the room of the longest, and of the spare room, is to be left.
    if 2 * longest_of(hood, balls.size) > grid.longest:
        grid.longest *= 4
    elif made and 2 * (clock.pool - begun) <= index.pool.size - begun:
        return True
    else:
        grid.spare *= 2
    plan_pool(directory, dim, grid, balls.size)
    return False


@kernel
def fill(state_block: Any, index_block: Any, dim: Any, pulled: Any, listed: Any) -> bool:
    """Fill an index that was laid out as planned. False: its directory asks for more, so lay it out anew."""
    bodies, state = open_bodies(state_block), open_state(state_block)
    rules = rules_of(dim, pulled, state)
    state.clock[0].afresh = 1
    return fill_as(listed, words(index_block), bodies, rules, state, index_block)


@inline
def fill_as(listed: Any, directory: Any, bodies: Any, rules: Any, state: Any, index_block: Any) -> bool:
    """Fill an index of lists, or of cells where `listed` is empty."""
    if len(listed) == 0:
        cell_arrays = open_cells(index_block)
        fill_cells(bodies, rules, state, cell_arrays, cells_of(state, cell_arrays))
        return True
    index = open_lists(index_block)
    blank_lists(rules.dim, bodies.balls, index, state.clock[0])
    fill_grids(rules.dim, bodies, state, index)
    return fill_lists(directory, bodies, rules, state, index, lists_of(state, index))
