"""Interactive forces and links: pulling by a spring, steering by keys. They need a solver with forces."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from carom import numerics
from carom.lab.bench.session import Does, Session
from carom.lab.commands.adding import births_with
from carom.lab.commands.arguments import choice_of, refusal, vector
from carom.lab.commands.arguments import index as one_of
from carom.lab.commands.selecting import selected
from carom.messages.phrase import Phrase
from carom.simulation.simulation import Simulation
from carom.solvers.registry import CARDS
from carom.views import region

MODES = ("place", "velocity", "acceleration")
REACH = 1.6
"""A new point is linked to points within this many mean lengths of existing links."""
PARTNERS = 4
"""Most links of a new point."""
CROSSING = 4.0
"""Steered by velocity, a ball crosses the scene in this wall-clock time, s."""


def _by_steps(session: Session, what: str) -> None:
    if not CARDS[session.track.sim.solver].has_forces:
        raise refusal("forces.not-here", where="solver", what=Phrase(what))


def _at_the_end(session: Session) -> None:
    """Cut off the future, as inputs act at the end of a run; undo restores it."""
    session.settle()
    track = session.track
    if not track.at_end:
        session.edit("pull", track.sim.copy())


def pull(session: Session, index: Any, target: Any) -> None:
    """Pull a ball by a spring towards a place."""
    session.settle()
    track = session.track
    k = one_of("index", index, len(track.scene.balls))
    place = vector("target", target, track.scene.dimension)
    _by_steps(session, "doing.pulling")
    _at_the_end(session)
    session.track.hand("pull", k, place)
    session.hands.add(k)


def release(session: Session, index: Any = None) -> None:
    """Release one ball, or all held balls."""
    session.settle()
    track = session.track
    released = track.sim.held
    if index is not None:
        released &= {one_of("index", index, len(track.scene.balls))}
    session.hands -= released
    if released:
        _at_the_end(session)
        track.release_balls(track.sim.held - released)


def steer(session: Session, direction: Any) -> None:
    """Drive the selected balls in a direction, by velocity or acceleration; zero releases them."""
    track = session.track
    scene = track.scene
    way = np.array(vector("direction", direction, scene.dimension))
    if not way.any():
        release(session)
        return
    if session.steering == "place":
        raise refusal("arrows.move-balls", where="steering")
    _by_steps(session, "doing.steering")
    session.settle()
    chosen = selected(session)
    _at_the_end(session)
    fast = region.size(scene) / (CROSSING * session.pace)
    way = way / numerics.length(way) * (fast if session.steering == "velocity" else fast / session.pace)
    for k in chosen:
        session.track.hand(session.steering, k, tuple(way.tolist()))
        session.hands.add(k)


def steering(session: Session, mode: Any) -> None:
    """Set what arrow keys do."""
    session.steering = choice_of("mode", mode, MODES)


def link(session: Session, i: Any, j: Any) -> None:
    """Add a spring between two balls, like the existing ones."""
    sim, one, two = _two_of(session, i, j)
    sim.link(one, two, **_like_the_others(session))
    session.edit("link", sim)


def unlink(session: Session, i: Any, j: Any) -> None:
    """Remove the springs between two balls."""
    sim, one, two = _two_of(session, i, j)
    sim.unlink(one, two)
    session.edit("unlink", sim)


def link_selected(session: Session) -> None:
    """Add a spring from each selected ball to the next, in the order of selection."""
    sim, pairs = _selected_pairs(session)
    spring = _like_the_others(session)
    for one, two in pairs:
        sim.link(one, two, **spring)
    session.edit("link-selected", sim)


def unlink_selected(session: Session) -> None:
    """Remove the springs between selected balls."""
    sim, _ = _selected_pairs(session)
    chosen = set(selected(session))
    linked = {tuple(sorted(pair)) for pair in sim.links.between.tolist() if chosen.issuperset(pair)}
    if not linked:
        raise refusal("link.none-selected")
    for one, two in sorted(linked):
        sim.unlink(one, two)
    session.edit("unlink-selected", sim)


def _selected_pairs(session: Session) -> tuple[Simulation, list[tuple[int, int]]]:
    """A copy of the run to edit, and each selected ball with the next."""
    _by_steps(session, "doing.link")
    session.settle()
    chosen = selected(session)
    if len(chosen) < 2:
        raise refusal("link.one-selected")
    return session.track.sim.copy(), list(pairwise(chosen))


def _two_of(session: Session, i: Any, j: Any) -> tuple[Simulation, int, int]:
    """A copy of the run to edit, and the checked indices of two balls."""
    _by_steps(session, "doing.link")
    session.settle()
    track = session.track
    count = len(track.scene.balls)
    return track.sim.copy(), one_of("i", i, count), one_of("j", j, count)


def build(session: Session, position: Any) -> None:
    """Add a point linked to those near it (M-16)."""
    _by_steps(session, "doing.building")
    session.settle()
    track = session.track
    scene, sim = track.scene, track.sim.copy()
    place = np.array(vector("position", position, scene.dimension))
    links = sim.links
    if not len(links):
        raise refusal("building.no-links", where="position")
    linked = np.unique(links.between)
    apart = np.linalg.norm(sim.positions[linked] - place, axis=1)
    reach = REACH * float(np.median(links.length))
    near = linked[np.argsort(apart, kind="stable")][: int((apart <= reach).sum())][:PARTNERS]
    if not len(near):
        raise refusal("building.nothing-near", where="position", reach=reach)
    balls = scene.balls
    model = next((k for k in near if not balls.fixed[k]), near[0])
    ball = balls[int(model)].replace(
        position=tuple(place.tolist()), velocity=(0.0,) * scene.dimension, fixed=False, name=None, born=0.0
    )
    births = births_with(session, 1)
    (new,) = sim.add(ball)
    spring = _like_the_others(session)
    for k in near:
        sim.link(int(k), new, **spring)
    session.edit("build", sim, births=births)


def _like_the_others(session: Session) -> dict[str, float]:
    """The properties of a new link: medians of the existing ones, or a sensible stiffness."""
    scene, links = session.track.scene, session.track.sim.links
    if not len(links):
        return {"stiffness": 100.0 * float(np.median(scene.balls.mass)), "damping": float(np.median(scene.balls.mass))}
    like = {"stiffness": float(np.median(links.stiffness)), "damping": float(np.median(links.damping))}
    breaking = float(np.median(links.breaking))
    return like if not np.isfinite(breaking) or breaking > 1e100 else {**like, "breaking": breaking}


DOES: Does = {
    "pull": pull,
    "release": release,
    "steer": steer,
    "steering": steering,
    "link": link,
    "unlink": unlink,
    "link-selected": link_selected,
    "unlink-selected": unlink_selected,
    "build": build,
}
