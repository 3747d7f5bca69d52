"""What the kernels of a run are called with, made from a scene and a method."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.physics.regions import HALF_SPACE, OUTLINE, edge_record, region_record
from carom.scene import Scene
from carom.solvers.stepped.attraction.tree import attraction_of
from carom.solvers.stepped.bundles import Bodies, Coefficients, Scheme, Walls
from carom.solvers.stepped.contacts.grid import Space, grid_memory
from carom.solvers.stepped.contacts.partners import Pairs
from carom.solvers.stepped.forces.custom import Force
from carom.solvers.stepped.forces.custom_call import extra_of
from carom.solvers.stepped.forces.linked_bodies import alone
from carom.solvers.stepped.forces.sum import NO_HANDS, Forces
from carom.solvers.stepped.integrators.method import Method
from carom.solvers.stepped.pile.cloth import feet_of
from carom.solvers.stepped.pile.memory import Pile, PileWalls, Softness, contact_laws, pile_memory, with_feet
from carom.solvers.stepped.pile.substeps import substeps_for
from carom.solvers.stepped.regions.clearance import clearance_of
from carom.solvers.stepped.regions.cloth import Sheet
from carom.solvers.stepped.regions.mesh import feelers_of
from carom.solvers.stepped.regions.obstacles import contact_record
from carom.solvers.stepped.regions.table import regions_of
from carom.solvers.stepped.rows import State, hinges_of, periods_of, springs_of


def usable_cores() -> int:
    """How many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


CORES = usable_cores()
"""With one alone, all is done by one thread."""
THREADED = 100_000 if CORES > 1 else sys.maxsize
"""Balls from which two threads look for partners: below, handing over costs more than it saves."""
THICKNESS = 0.01
"""Thickness of a cloth to each side, as a part of the length of its edges."""

Floats = NDArray[np.float64]
Parts = NDArray[np.uint32]


def scheme_of(method: Method) -> Scheme:
    """The tables of a method's integrator, for forces that do not vary."""
    one = method.integrator
    if one.kind == "splitting":
        parts = np.array([part for _, part in one.moves])
        kicks = np.array([move == "kick" for move, _ in one.moves], np.uint8)
        return Scheme(False, False, (), (parts, kicks), ())
    if one.kind == "runge-kutta":
        size = len(one.weights)
        matrix = np.zeros((size, size))
        for k, row in enumerate(one.stages):
            matrix[k, :k] = row
        return Scheme(False, False, (), (), (matrix, np.array(one.weights), matrix.sum(axis=1)))
    return Scheme(False, False, (0,) if one.kind == "stormer" else (), (), ())


def bodies_for(state: State, method: Method) -> Bodies:
    """The rows of the bodies, with the scratch that the integrator needs."""
    kind = method.integrator.kind
    n = len(state.place)
    scratch = 0 if kind == "verlet" else n
    stages = len(method.integrator.weights)
    return Bodies(
        place=state.place,
        velocity=state.velocity,
        accel=state.accel,
        born=state.born,
        turns=state.turns,
        last=np.zeros((n, 4)),
        start=np.zeros((scratch, 4)),
        rest=np.zeros((scratch, 4)),
        slopes=np.zeros((stages, 2, n, 4)),
        since=np.full(n, method.step),
        begin=np.zeros((n, 4)),
    )


def forces_of(scene: Scene, state: State, extra: Sequence[Force], linked: Parts) -> Forces:
    """All forces."""
    row, pull = state.row, scene.attraction
    return Forces(
        gravity=(*scene.gravity, *(0.0,) * (3 - scene.dimension)),
        drag=(0.0, 0.0) if scene.drag is None else (scene.drag.linear, scene.drag.quadratic),
        springs=springs_of(scene, row, linked),
        hinges=hinges_of(scene, row),
        hands=NO_HANDS,
        attraction=()
        if pull is None
        else attraction_of(len(state.place), pull.G, pull.softening, pull.opening, pull.strict),
        extra=extra_of(extra),
        periods=periods_of(scene),
    )


def coefficients_of(scene: Scene, state: State, walls: tuple[str, ...]) -> Coefficients:
    """Restitution and friction by pairs of materials."""
    balls = scene.balls.material.names or ("ball",)
    bounce, wall_bounce = scene.restitution.table(balls, walls or ("wall",))
    (static, dynamic), (wall_static, wall_dynamic) = scene.friction.table(balls, walls or ("wall",))
    return Coefficients(
        material=state.material,
        bounce=bounce,
        wall_bounce=wall_bounce,
        static=static,
        dynamic=dynamic,
        wall_static=wall_static,
        wall_dynamic=wall_dynamic,
    )


def space_of(scene: Scene) -> Space:
    """Where space begins and how long it is, where that is known, and is it periodic?"""
    box = scene.boundary.box
    if box is None:
        return Space((0.0,) * 3, (0.0,) * 3, (False,) * 3)
    missing = 3 - scene.dimension
    size, periodic = (*box.size, *(0.0,) * missing), (*box.periodic, *(False,) * missing)
    return Space((0.0,) * 3, size, periodic)  # type: ignore[arg-type]  # three in all


def pass_each_other(scene: Scene) -> bool:
    """Do balls that touch pass through each other?"""
    return scene.attraction is not None and scene.attraction.touch == "pass"


def pairs_of(scene: Scene, linked: Parts) -> Pairs | tuple[()]:
    """The balls that can collide; none where all are points, or are one group for good."""
    radius = scene.balls.radius
    if len(radius) < 2 or not radius.any() or pass_each_other(scene):
        return ()
    if alone(linked) and not np.isfinite(scene.links.breaking).any():
        return ()
    return Pairs(
        grid=grid_memory(len(radius)),
        space=space_of(scene),
        lined=np.zeros((4, len(radius) + 4)),
        close=np.zeros(2 * len(radius) + 1024, np.uint64),
        other=np.zeros(2 * len(radius) + 1024 if len(radius) >= THREADED else 0, np.uint64),
        ready=np.zeros(7, np.int64),
        limit=np.zeros(1),
        fast=np.zeros(len(radius), np.uint32),
        quick=np.zeros(len(radius), np.uint8),
        linked=linked,
        widest=float(radius.max()),
    )


class PileSetup(NamedTuple):
    """The memory of a pile, and the tables that its kernels take."""

    pile: Pile
    space: Space
    softness: Softness
    walls: PileWalls
    laws: Any
    labels: Any  # of each wall, the number of its name
    linked: Any  # as in `Pairs`
    substeps: int
    guarded: Any = ()  # walls that are not flat (`Walls`)
    cloth: Any = ()  # `Sheet`


def pile_setup_of(
    scene: Scene, state: State, walls: Walls | tuple[()], cloth: Sheet | tuple[()], by: Coefficients, step: float,
    linked: Parts,
) -> PileSetup:  # fmt: skip
    """The memory and the tables of a pile."""
    regions = walls.regions if walls else np.zeros(0, region_record)
    edges = walls.edges if walls else np.zeros(0, edge_record)
    balls = by.bounce.shape[0]
    flat = regions["kind"] == HALF_SPACE
    normals = np.stack([regions[flat][f"q{axis}"] for axis in "xyz"], axis=1)
    points = np.stack([regions[flat][f"p{axis}"] for axis in "xyz"], axis=1)
    offsets = (normals * points).sum(axis=1)
    planes = np.column_stack([normals, offsets, balls + regions[flat]["material"]])
    parts = [
        (k, j, balls + int(edges[j]["material"] if regions[k]["kind"] == OUTLINE else regions[k]["material"]))
        for k in np.flatnonzero(~flat).tolist()
        for j in (range(regions[k]["first"], regions[k]["first"] + regions[k]["count"])
                  if regions[k]["kind"] == OUTLINE else [0])
    ]  # fmt: skip
    shape = np.array(parts, np.uint32).reshape(-1, 3)
    return PileSetup(
        pile=with_feet(pile_memory(scene.dimension, len(state.place)), feet_of(cloth, periods_of(scene))),
        space=space_of(scene),
        softness=Softness(),
        walls=PileWalls(planes, regions, edges, shape),
        laws=contact_laws(
            np.stack([by.bounce, by.static, by.dynamic], axis=2),
            np.stack([by.wall_bounce, by.wall_static, by.wall_dynamic], axis=2),
        ),
        labels=np.array(
            [
                *regions[flat]["label"],
                *(edges[j]["label"] if regions[k]["kind"] == OUTLINE else regions[k]["label"] for k, j, _ in parts),
            ],
            np.uint32,
        ),
        linked=np.zeros(len(state.place), np.uint32) if pass_each_other(scene) else linked,  # all of one part
        substeps=substeps_for(scene, step),
    )


def sheet_of(scene: Scene, state: State) -> Sheet | tuple[()]:
    """The triangles of cloth, and the bodies that can meet them; empty where there are none of either."""
    woven = np.zeros(len(scene.balls), np.uint8)
    woven[scene.triangles.ravel()] = 1
    if not len(scene.triangles) or woven.all():
        return ()
    a, b, c = (scene.balls.position[scene.triangles[:, k]] for k in range(3))
    thickness = THICKNESS * float(np.sqrt(((b - a) ** 2 + (c - b) ** 2 + (a - c) ** 2).sum(axis=1) / 3.0).mean())
    return Sheet(
        corners=state.row[scene.triangles].astype(np.uint32),
        woven=woven[state.number],
        grid=grid_memory(len(woven)),
        space=space_of(scene),
        start=np.zeros((len(woven), 4)),
        relative=np.zeros(18),
        widest=max(float(scene.balls.radius[woven == 0].max()), thickness),
        thickness=thickness,
    )


def walls_of(scene: Scene, state: State) -> tuple[Walls | tuple[()], list[str], tuple[str, ...]]:
    """What is forbidden, what its parts are called, and what they are made of."""
    table = regions_of(scene)
    if not len(table.regions):
        return (), [], ()
    size, places = space_of(scene).size, scene.balls.position
    low, high = np.zeros(3), np.array(size)
    for axis in range(scene.dimension if len(places) else 0):
        if not size[axis]:
            low[axis], high[axis] = places[:, axis].min(), places[:, axis].max()
    clearance = clearance_of(scene.dimension, table.regions, table.edges, low, high)
    walls = Walls(table.regions, table.edges, clearance, np.zeros(0, contact_record), feelers_of(scene, state.row))
    return walls, table.names, tuple(table.materials)
