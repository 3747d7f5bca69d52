"""Random scenes with all features at once, which the stepped solver must survive."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from carom import (
    Ball,
    Bend,
    Block,
    Box,
    Circle,
    Cloth,
    Cylinder,
    Drag,
    HalfSpace,
    Link,
    Polygon,
    Scene,
    Simulation,
    Wedge,
)  # fmt: skip
from carom.kernels.jit import kernel
from carom.physics import regions as laws
from carom.scene.placement import check

SIZE = 4.0
EPS = np.finfo(float).eps
Rng = np.random.Generator


def scene_of(
    seed: int, dimension: int, *, periodic: bool, fastest: float, heaviest: float, births: bool = True
) -> Scene:
    """Ten balls or so, some fixed, some born later, with links that break, a bend, drag, friction and obstacles.

    Speeds are up to `fastest`, m/s, and masses from 1/heaviest to heaviest, kg. All kinds of forces are always there,
    so that one kernel does for all seeds. Without births, all are there from the beginning.
    """
    rng = np.random.default_rng(seed)
    empty = Scene(boundary=boundary_of(rng, dimension, periodic=periodic), gravity=(0.0,) * dimension)
    gravity = 5.0 * rng.normal(size=dimension)
    gravity[0] = 0.0 if periodic else gravity[0]  # or energy would grow without end
    scene = empty.replace(obstacles=list(obstacles_of(rng, dimension, periodic=periodic)), gravity=gravity)
    balls: list[Ball] = []
    for _ in range(200):
        ball = ball_of(rng, dimension, fastest, heaviest)
        ball = ball if births else ball.model_copy(update={"born": 0.0})
        if not check.problems(scene.replace(balls=[*balls, ball])):
            balls.append(ball)
        if len(balls) == 10:
            break
    if len(balls) < 4:
        return scene_of(seed + 10_000, dimension, periodic=periodic, fastest=fastest, heaviest=heaviest, births=births)
    stiff = 10.0 ** rng.uniform(-3.0, 4.0)
    return scene.replace(
        balls=balls,
        links=[
            Link(between=(0, 1), stiffness=stiff, damping=0.1 * stiff, breaking=0.5),
            Link(between=(1, 2), stiffness=stiff, damping=0.01 * stiff),
        ],
        bends=[Bend(corner=(0, 1, 2), stiffness=stiff)],
        drag=Drag(linear=10.0 ** rng.uniform(-3.0, 1.0), quadratic=10.0 ** rng.uniform(-6.0, 0.0)),
        restitution=float(rng.choice([0.0, 0.3, 0.9, 1.0])),
        friction=float(rng.choice([0.0, 0.2, 1.5])),
    )


def with_cloth(scene: Scene, seed: int) -> Scene:
    """A scene in three dimensions with a cloth where no ball is in the way, held or not."""
    rng = np.random.default_rng(seed)
    stiff = 10.0 ** rng.uniform(0.0, 3.0)
    for _ in range(20):
        corner = rng.uniform(0.1, 0.5, 3) * SIZE
        one, two = (0.4 * SIZE * rng.normal(side, 0.1) for side in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
        cloth = Cloth(
            corner=corner, sides=(one, two),
            counts=(4, 4), stiffness=stiff, damping=0.01 * stiff, held=str(rng.choice(["none", "edge", "corners"])),
        )  # fmt: skip
        covered = scene.replace(structures=[cloth])
        if not check.problems(covered):
            return covered
    return scene


def boundary_of(rng: Rng, dimension: int, *, periodic: bool) -> Any:
    """A container of about `SIZE`."""
    kind = "box" if periodic else rng.choice(["box", "circle", "polygon" if dimension == 2 else "cylinder"])
    middle = (SIZE / 2,) * dimension
    if kind == "circle":
        return Circle(centre=middle, radius=SIZE / 2)
    if kind == "cylinder":
        return Cylinder(centre=middle[:2], radius=SIZE / 2)
    if kind == "polygon":
        corners = [(0.0, 0.0), (SIZE, 0.0), (SIZE, SIZE), (0.5 * SIZE, 0.7 * SIZE), (0.0, SIZE)]
        return Polygon(vertices=corners, bulges=[0.0, 0.2, 0.0, 0.0, -0.1])
    return Box(size=(SIZE,) * dimension, periodic=(periodic, *(False,) * (dimension - 1)))


def obstacles_of(rng: Rng, dimension: int, *, periodic: bool) -> Iterator[Any]:
    """Up to three obstacles: some thin, some across the walls."""
    for _ in range(rng.integers(0, 4)):
        low = rng.uniform(0.0, 0.8 * SIZE, dimension)
        kind = rng.choice(["circle", "block", "plate", "half-space", "wedge", "polygon", "cylinder"])
        if kind == "circle":
            yield Circle(centre=low, radius=rng.uniform(0.05, 0.6))
        elif kind in {"block", "plate"}:
            size = rng.uniform(0.1, 1.0, dimension)
            size[0] = 1e-3 if kind == "plate" else size[0]
            yield Block(low=low, high=low + size)
        elif kind == "half-space":
            normal = rng.normal(size=dimension)
            normal[0] = 0.0 if periodic else normal[0]  # a plane across the seam is not periodic
            yield HalfSpace(point=0.5 * SIZE - 1.6 * normal / np.linalg.norm(normal), normal=normal)
        elif kind == "wedge":
            yield Wedge(slope=rng.normal(), intercept=0.0, x=(0.5, 2.5), bottom=-5.0)
        elif kind == "polygon" and dimension == 2:
            corners = low + np.array([(0.0, 0.0), (0.8, 0.1), (0.1, 0.7)])
            yield Polygon(vertices=corners, bulges=[0.3, 0.0, -0.2])
        elif kind == "cylinder" and dimension == 3:
            yield Cylinder(centre=low[:2], radius=rng.uniform(0.05, 0.6))


def ball_of(rng: Rng, dimension: int, fastest: float, heaviest: float) -> Ball:
    """A ball anywhere, of any size, mass and speed."""
    fixed = bool(rng.random() < 0.1)
    direction = rng.normal(size=dimension)
    speed = 0.0 if fixed or rng.random() < 0.1 else fastest ** rng.uniform(-0.3, 1.0)
    return Ball(
        position=rng.uniform(0.0, SIZE, dimension),
        velocity=speed * direction / np.linalg.norm(direction),
        mass=heaviest ** rng.uniform(-1.0, 1.0),
        radius=float(rng.choice([0.0, 1e-3, 0.05, 0.2, 0.5])),
        fixed=fixed,
        born=float(rng.choice([0.0, 0.0, 0.0, 0.01, 0.1])),
    )


@kernel
def least_gap(dim: Any, regions: Any, edges: Any, place: Any, velocity: Any, n: int) -> float:
    """The least gap between a body that is not held and a region."""
    gap = np.inf
    for i in range(n):
        for k in range(len(regions)):
            if velocity[i, 3] > 0.0:
                d = laws.nearest(dim, regions, edges, np.uint32(k), place[i, 0], place[i, 1], place[i, 2])[0]
                gap = min(gap, d - place[i, 3])
    return gap


def depth(sim: Simulation) -> float:
    """Largest depth of a ball in a forbidden region after the last step, m; infinite for an invalid position."""
    engine: Any = sim._solver
    state, walls = engine.rows, engine.walls
    if not np.isfinite(state.place).all() or not np.isfinite(state.velocity).all():
        return np.inf
    if not walls:
        return -np.inf
    bodies = int(engine.clock["bodies"][0])
    return -least_gap(engine.dim, walls.regions, walls.edges, state.place, state.velocity, bodies)
