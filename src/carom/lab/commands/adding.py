"""Commands that add and remove balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import InputError
from carom.lab.bench.session import Does, Session
from carom.lab.commands.arguments import flag, number, refusal, vector, word
from carom.lab.commands.arguments import indices as numbers
from carom.lab.commands.selecting import selected
from carom.lab.share import MAX_BALLS
from carom.scene import Ball, Scene
from carom.scene.placement import check
from carom.simulation.simulation import Simulation
from carom.views import region

SMALL = 40.0
"""Radius of a ball in an empty scene: the size of the scene divided by this."""
DENSITY = 1000.0
"""Density of a ball in an empty scene, that of water, kg/m³."""
MAX_RADIUS = 1e50
"""m: the cube of a radius, for its mass, must not overflow."""
MAX_TRIES = 1500
"""Places that are tried for a new ball."""


def add(
    session: Session,
    position: Any = None,
    velocity: Any = None,
    mass: Any = None,
    radius: Any = None,
    material: Any = None,
    name: Any = None,
    fixed: Any = None,
) -> None:
    """Add a ball; by default it is like the others, at a free place near the middle."""
    _add(
        session,
        "add",
        position=position,
        velocity=velocity,
        mass=mass,
        radius=radius,
        material=material,
        name=name,
        fixed=fixed,
    )


def launch(session: Session, position: Any, velocity: Any, radius: Any = None, mass: Any = None) -> None:
    """Add a ball that was aimed with the mouse, and run on."""
    session.held = False
    _add(session, "launch", position=position, velocity=velocity, radius=radius, mass=mass)


def _add(session: Session, command: str, **given: Any) -> None:
    session.settle()
    track = session.track
    sim = track.sim.copy()
    births = births_with(session, 1)
    ball = _new_ball(session, sim, **given)
    (new,) = sim.add(ball)
    session.edit(command, sim, births=births)
    session.selected = (new,)


def _new_ball(session: Session, sim: Simulation, **given: Any) -> Ball:
    scene = sim.scene
    d = scene.dimension
    radius = _like_radius(scene) if given.get("radius") is None else number("radius", given["radius"])
    if abs(radius) > MAX_RADIUS:
        raise refusal("radius.out-of-range", where="radius", value=radius)
    mass = _like_mass(scene, radius) if given.get("mass") is None else number("mass", given["mass"])
    fields: dict[str, Any] = {"radius": radius, "mass": mass}
    if given.get("velocity") is not None:
        fields["velocity"] = vector("velocity", given["velocity"], d)
    if given.get("material") is not None:
        fields["material"] = word("material", given["material"])
    if given.get("name"):
        fields["name"] = word("name", given["name"])
    if given.get("fixed") is not None:
        fields["fixed"] = flag("fixed", given["fixed"])
    if given.get("position") is not None:
        return Ball(position=vector("position", given["position"], d), **fields)
    return Ball(position=free_place(sim, radius, session.check_cancel), **fields)


def _like_radius(scene: Scene) -> float:
    radii = scene.balls.radius
    if scene.attraction is not None and len(radii):
        return float(radii[_lightest(scene)])
    solid = radii[radii > 0.0]
    if len(solid):
        return float(np.median(solid))
    return 0.0 if len(radii) else region.round_part(region.size(scene) / SMALL)


def _like_mass(scene: Scene, radius: float) -> float:
    """Mass from the density of the others, or of water; points get the others' mass, satellites the smallest."""
    balls, d = scene.balls, scene.dimension
    if scene.attraction is not None and len(balls):
        return float(balls.mass[_lightest(scene)])
    solid = balls.radius > 0.0
    if radius > 0.0 and solid.any():
        density = float(np.median(balls.mass[solid] / balls.radius[solid] ** d))
        middle = float(np.median(balls.radius[solid]))
        return float(np.median(balls.mass[solid])) if radius == middle else density * radius**d
    if len(balls):
        return float(np.median(balls.mass))
    return region.rounded_mass(DENSITY * 4.19 * radius**3) if radius > 0.0 else 1.0


def _lightest(scene: Scene) -> int:
    """The lightest ball: among bodies that attract each other a new one is a satellite."""
    return int(np.argmin(scene.balls.mass))


def free_place(sim: Simulation, radius: float, check_cancel: Callable[[], object] = lambda: None) -> tuple[float, ...]:
    """Find a place near the middle where a ball overlaps nothing."""
    scene = sim.scene
    low, high = region.bounds(scene)
    places = sim.positions
    reach = scene.balls.radius + radius
    for place in _outward(low, high, radius):
        check_cancel()
        if len(places) and (((places - place) ** 2).sum(axis=1) < (reach * 1.0001) ** 2).any():
            continue
        alone = scene.replace(balls=[Ball(position=place, radius=radius)], links=[], bends=[], triangles=[])
        if not check.problems(alone):
            return tuple(place.tolist())
    raise refusal("add.no-place", where="position", radius=radius)


def _outward(low: NDArray[np.float64], high: NDArray[np.float64], radius: float) -> Iterator[NDArray[np.float64]]:
    """The middle, then places on a spiral around it; in 3D on shells."""
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    yield middle
    golden = np.pi * (3.0 - np.sqrt(5.0))
    near = min(max(3.0 * radius / max(float(half.max()), 1e-300), 0.02), 1.0)
    for k in range(1, MAX_TRIES):
        part = max(near * np.sqrt(k / 8.0), k / MAX_TRIES) if near * np.sqrt(k / 8.0) < 1.0 else k / MAX_TRIES
        angle = golden * k
        turn = np.array([np.cos(angle), np.sin(angle), np.cos(2.399 * k + 1.0)])[: len(low)]
        yield middle + part * half * turn


def births_with(session: Session, more: int) -> NDArray[np.float64]:
    """When balls were added, in the time of the bench, with some that are added now; ArgumentError if too many."""
    count = len(session.track.scene.balls) + more
    if count > MAX_BALLS:
        raise refusal("bench.too-many-balls", count=count, most=MAX_BALLS)
    return np.append(_births(session), np.full(more, session.track.time))


def _births(session: Session) -> NDArray[np.float64]:
    track = session.track
    known = track.segment.births
    count = len(track.scene.balls)
    if known is not None and len(known) == count:
        return known
    return np.array(track.scene.balls.born) + (track.segment.offset if track.scene.balls.born.any() else 0.0)


def duplicate(session: Session) -> None:
    """Duplicate the selected balls beside themselves, and select the copies."""
    session.settle()
    chosen = selected(session)
    track = session.track
    births = births_with(session, len(chosen))
    error: InputError | None = None
    for way in _ways(track.scene, chosen):
        session.check_cancel()
        sim = track.sim.copy()
        balls = sim.snapshot().balls[list(chosen)]
        try:
            new = sim.add(balls.replace(position=balls.position + way))
        except InputError as refused:
            error = refused
            continue
        session.edit("duplicate", sim, births=births)
        session.selected = tuple(new)
        return
    raise error or refusal("copy.no-room")


def _ways(scene: Scene, chosen: Sequence[int]) -> Iterator[NDArray[np.float64]]:
    """Offsets for copies: right, up, left, down, at growing distance."""
    balls = scene.balls[list(chosen)]
    extent = float(np.ptp(balls.position, axis=0).max()) + 2.2 * float(balls.radius.max())
    aside = extent or region.size(scene) / SMALL
    for far in (1.0, 2.0, 3.0, 5.0):
        for axis, sign in ((0, 1.0), (1, 1.0), (0, -1.0), (1, -1.0)):
            way = np.zeros(scene.dimension)
            way[axis] = sign * far * aside
            yield way


def remove(session: Session, indices: Any = None) -> None:
    """Remove balls: these, or the selected ones."""
    session.settle()
    track = session.track
    gone = selected(session) if indices is None else numbers("indices", indices, len(track.scene.balls))
    births = np.delete(_births(session), list(gone))
    sim = track.sim.copy()
    sim.remove(list(gone))
    session.hands = set()  # the indices of later balls change
    session.edit("remove", sim, births=births)
    session.selected = ()


DOES: Does = {"add": add, "launch": launch, "duplicate": duplicate, "remove": remove}
