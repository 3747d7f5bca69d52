"""Commands of options: properties of the scene, its solver, and companions."""

from __future__ import annotations

from typing import Any

from carom.lab.bench.session import Does, Session, start_run
from carom.lab.bench.track import Track
from carom.lab.commands.arguments import choice_of, number, refusal
from carom.lab.commands.options import CONTACTS, OPTIONS, SOLVERS
from carom.scene import Scene
from carom.scene.fields.base import nearest, shown
from carom.simulation.simulation import Simulation
from carom.solvers import choose
from carom.solvers.registry import CARDS
from carom.solvers.stepped.integrators.cards import INTEGRATORS

FOR_STEPS = ("integrator", "step", "contacts")
SCENE_OPTIONS = ("gravity", "drag", "attraction", "restitution", "friction")
"""Parts of a scene that options change."""


def option(session: Session, name: Any, value: Any) -> None:
    """Set an option of the scene, from now on."""
    if not isinstance(name, str) or name not in OPTIONS:
        raise refusal(
            "option.unknown",
            where="name",
            name=shown(name),
            hint=nearest(name if isinstance(name, str) else "", OPTIONS, "options"),
        )
    session.settle()
    chosen = OPTIONS[name]
    track = session.track
    changes = chosen.write(track.scene, chosen.checked(value))
    session.edit("option", _with_changes(track.sim, changes, track.segment.wish), about=name)


def _with_changes(sim: Simulation, changes: dict[str, Any], wish: dict[str, Any]) -> Simulation:
    """A copy of a run with other options, or a new run if they need another solver."""
    solver = choose.solver_for(sim.scene.replace(**changes), choose.Wish(**wish))
    if solver != sim.solver:
        return start_run(sim.snapshot().replace(**changes), **wish)
    made = sim.copy()
    made.change_scene(**changes)
    return made


def restart(session: Session) -> None:
    """Go back to the start, with its edits and the present options. Undo restores the run."""
    session.settle()
    track = session.track
    first, now = track.past.segments[0], track.segment
    if track.end <= 0.0:
        session.running = False
        return
    sim = _with_options_of(track.scene, first.frames[0].sim, first.wish, now.wish)
    moment = session.moment()
    session.running, session.hands = False, set()
    track.restore(Track(sim, now.wish).past, 0.0)
    session.history.remember("restart", None, moment, session.clock(), track.most_frames)
    session.samples = session.samples.until(-1.0)
    session.recount()
    session.after_change()


def _with_options_of(scene: Scene, start: Simulation, old: dict[str, Any], wish: dict[str, Any]) -> Simulation:
    """The start of a run with the present options of scene and solver."""
    changes = {name: value for name in SCENE_OPTIONS if (value := _given(scene, name)) != _given(start.scene, name)}
    if wish != old:
        return start_run(start.snapshot().replace(**changes), **wish)
    return _with_changes(start, changes, wish) if changes else start


def _given(scene: Scene, name: str) -> Any:
    return scene.planet or scene.gravity if name == "gravity" else getattr(scene, name)


def solve(session: Session, solver: Any = None, integrator: Any = None, step: Any = None, contacts: Any = None) -> None:
    """Change the solver's options from now on; None keeps one, and an empty text makes it automatic."""
    session.settle()
    track = session.track
    wish = dict(track.segment.wish)
    for name, value, known in (
        ("solver", solver, SOLVERS),
        ("integrator", integrator, tuple(INTEGRATORS)),
        ("contacts", contacts, CONTACTS),
    ):
        if value is not None:
            wish[name] = choice_of(name, value, known) if value != "" else None
    if step is not None:
        wish["step"] = None if step == "" else number("step", step)
    named = CARDS.get(wish.get("solver") or "")
    if (named is not None and not named.has_steps) or (solver == "auto" and not track.scene.forces_needed):
        if any(said not in (None, "") for said in (integrator, step)):
            raise refusal("exact.no-steps", where="solver")
        wish = {name: said for name, said in wish.items() if name not in FOR_STEPS}
    wish = {name: said for name, said in wish.items() if said is not None}
    sim = start_run(track.sim.snapshot(), **wish)
    session.edit("solve", sim, about="solve", wish=wish)


def compare(session: Session, names: Any) -> None:
    """Run companions from now on; an empty list ends them."""
    session.settle()
    session.compare(names)


DOES: Does = {"option": option, "solve": solve, "compare": compare, "restart": restart}
