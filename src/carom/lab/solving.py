"""Commands of options: what the scene is like, how it is solved, and what it is compared with."""

from __future__ import annotations

from typing import Any

from carom import choice
from carom.lab.options import CONTACTS, OPTIONS, SOLVERS
from carom.lab.reading import number, refusal
from carom.lab.session import Does, Session, started
from carom.scene.base import nearest, shown
from carom.solvers.stepped.integrators import INTEGRATORS

FOR_STEPS = ("integrator", "step", "contacts")


def option(session: Session, name: Any, value: Any) -> None:
    """Set an option of the scene, from now on."""
    if name not in OPTIONS:
        raise refusal("name", f"there is no option {shown(name)}", nearest(str(name)[:60], OPTIONS, "options"))
    session.settle()
    chosen = OPTIONS[name]
    track = session.track
    changes = chosen.write(track.scene, chosen.checked(value))
    wish = track.segment.wish
    solver = choice.solver_for(track.scene.replace(**changes), choice.Wish(**wish))
    if solver == track.sim.solver:
        sim = track.sim.copy()
        sim.change_scene(**changes)
    else:
        sim = started(track.sim.snapshot().replace(**changes), **wish)
    session.edit("option", sim, about=name)


def solve(session: Session, solver: Any = None, integrator: Any = None, step: Any = None, contacts: Any = None) -> None:
    """Solve it in another way from now on; what is not said stays as it is, and an empty text leaves it open."""
    session.settle()
    track = session.track
    wish = dict(track.segment.wish)
    for name, value, known in (
        ("solver", solver, SOLVERS),
        ("integrator", integrator, tuple(INTEGRATORS)),
        ("contacts", contacts, CONTACTS),
    ):
        if value is None:
            continue
        if value and value not in known:
            raise refusal(name, f"{shown(value)} is unknown", nearest(str(value)[:60], known, "choices"))
        wish[name] = value or None
    if step is not None:
        wish["step"] = None if step == "" else number("step", step)
    if wish.get("solver") == "exact" or (solver == "auto" and not track.scene.forces_needed):
        if any(said not in (None, "") for said in (integrator, step)):
            raise refusal(
                "solver", "the exact solver has no steps", "Choose the stepped solver for an integrator or a step."
            )
        wish = {name: said for name, said in wish.items() if name not in FOR_STEPS}
    wish = {name: said for name, said in wish.items() if said is not None}
    sim = started(track.sim.snapshot(), **wish)
    session.edit("solve", sim, about="solve", wish=wish)


def compare(session: Session, names: Any) -> None:
    """Run the same beside it in other ways, from now on; an empty list ends that."""
    session.settle()
    session.compare(names)


DOES: Does = {"option": option, "solve": solve, "compare": compare}
