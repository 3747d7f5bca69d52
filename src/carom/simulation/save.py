"""Save a run: its checkpoint, and the choices with which it is solved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from carom.simulation.run import ActiveRun
from carom.solvers.protocol import steerable
from carom.storage.checkpoint import Checkpoint


def checkpoint_of(
    run: ActiveRun, recording: dict[str, Any] | None = None, recorder: Mapping[str, NDArray[Any]] | None = None
) -> Checkpoint:
    """A checkpoint of a run; if the run is recorded, with the state of its recording."""
    choices, solver = {**method_of(run), **run.identities.metadata()}, run.solver
    recorded: dict[str, Any] = {} if recording is None else {"recording": recording, "recorder": recorder}
    return Checkpoint(run.scene, run.time, solver.card.name, choices, solver.state(), **recorded)


def method_of(run: ActiveRun) -> dict[str, Any]:
    """The choices with which a run is solved, as metadata of files; defaults are resolved."""
    wish = run.wish
    choices: dict[str, Any] = {
        "step": None, "integrator": None, "contacts": None, "neighbours": wish.neighbours,
        "forces": [each.name for each in wish.forces], "hooks": 0, "touched": run.touched,
    }  # fmt: skip
    if run.solver.card.has_forces:
        solver = steerable(run.solver, "save")
        method, hooks = solver.method, solver.hooks
        choices["hooks"] = len(hooks.before) + len(hooks.prepared) + len(hooks.after)
        choices |= {"step": method.step, "integrator": method.integrator.name, "contacts": method.contacts}
        choices["given"] = [repr(each) for each in solver.extra]
    return choices
