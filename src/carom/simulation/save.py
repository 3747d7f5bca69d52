"""Runs that are saved, and begun again: from a checkpoint, or at an instant of a recording."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem, StepWarning, StorageError, StorageWarning
from carom.simulation.live_balls import Identities
from carom.simulation.run import Run
from carom.solvers import choose
from carom.solvers.protocol import steerable
from carom.solvers.registry import EXACT
from carom.storage.checkpoint import Checkpoint
from carom.storage.hdf5.writer import EDITS
from carom.storage.recording import Recording
from carom.storage.tape import versions
from carom.thread_warnings import warn_caller

if TYPE_CHECKING:
    from carom.solvers.stepped.forces.custom import Force


def checkpoint_of(
    run: Run, recording: dict[str, Any] | None = None, recorder: Mapping[str, NDArray[Any]] | None = None
) -> Checkpoint:
    """All that a run needs to go on; and, if it is recorded, how far."""
    told, solver = {**method_of(run), **run.identities.told()}, run.solver
    recorded: dict[str, Any] = {} if recording is None else {"recording": recording, "recorder": recorder}
    return Checkpoint(run.scene, run.time, solver.card.name, told, solver.state(), **recorded)


def method_of(run: Run) -> dict[str, Any]:
    """How a run is solved, with nothing left open."""
    wish = run.wish
    told: dict[str, Any] = {
        "step": None, "integrator": None, "contacts": None, "neighbours": wish.neighbours,
        "forces": [each.name for each in wish.forces], "hooks": 0, "touched": run.touched,
    }  # fmt: skip
    if run.solver.card.has_forces:
        solver = steerable(run.solver, "save")
        method, hooks = solver.method, solver.hooks
        told["hooks"] = len(hooks.before) + len(hooks.prepared) + len(hooks.after)
        told |= {"step": method.step, "integrator": method.integrator.name, "contacts": method.contacts}
        told["given"] = [repr(each) for each in solver.extra]
    return told


def resumed_run(saved: Checkpoint, forces: Any) -> Run:
    """The run that a checkpoint holds, as it was; custom forces are given again."""
    own = tuple(forces) if isinstance(forces, Sequence) else (forces,)
    names = [each.name for each in own]
    if names != saved.wish["forces"]:
        was = ", ".join(saved.wish["forces"]) or "none"
        raise ArgumentError.of("resume.other-forces", where="forces", was=was, given=", ".join(names) or "none")
    told = {name: saved.wish[name] for name in ("step", "integrator", "contacts", "neighbours")}
    wish = choose.Wish(cast("choose.SolverChoice", saved.solver), **told, forces=own)
    if problems := wish.problems() or _other_parameters(own, saved):
        raise ArgumentError(problems)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)  # it was told when the run began
        solver = choose.start(saved.scene, cast("choose.Name", saved.solver), wish)
    solver.restore(saved.state)
    identities = Identities.stored(saved.wish, len(saved.scene.balls))
    touched = bool(saved.wish.get("touched", False))
    return Run(saved.scene, solver, wish, time=saved.time, identities=identities, touched=touched)


def rebuilt_run(recording: Recording, time: float) -> Run:
    """The run at an instant of a recording that has its history."""
    state, scene = recording.history.state(time), recording.history.scene(time)
    return resumed_run(Checkpoint(scene, float(time), EXACT.name, recording.wish, state), ())


def check_repeatable(recording: Recording, time: float) -> None:
    """Refuse to repeat a run up to a time from its start if its scene alone does not tell it.

    Mergers come again by themselves. An edit by a user leaves, besides, a row of edits after which as many are left.
    """
    remedy = "Resume it from a checkpoint: Simulation.resume(…)."
    if recording.span[0] != 0.0 or recording.wish["forces"]:
        what = "the run can only be had again from its start, and that is not in the file"
        raise StorageError(recording.path, what, remedy)
    edits = recording.column(EDITS)[:]
    left = np.concatenate([[len(recording.masses)], edits[:, 1]])
    by_user = bool(((np.diff(left) == 0) & (edits[:, 0] <= time)).any())
    if by_user or recording.wish.get("touched") or recording.wish.get("hooks"):
        what = "the run was edited, taken by the hand or had hooks, and so cannot be had again from its start"
        raise StorageError(recording.path, what, remedy)


def _other_parameters(own: Sequence[Force], saved: Checkpoint) -> list[Problem]:
    """Are parameters of custom forces others than when the run was saved?"""
    if not own:
        return []
    from carom.solvers.stepped.forces.custom_call import packed  # noqa: PLC0415  # Numba is not loaded before something runs

    now = packed([value for each in own for value in each.parameters.values()])
    if np.array_equal(now, saved.state.get("given", np.zeros(0))):
        return []
    were = list(saved.wish.get("given", ["others"]))
    return [Problem("resume.other-values", where="forces", saved=were, given=list(map(repr, own)))]


def warn_of_differences(path: Path, saved: Checkpoint) -> None:
    """Warn of hooks of a saved run, which are not in the file, and of other versions that it was saved with."""
    hooks = int(saved.wish.get("hooks", 0))
    if hooks:
        many, it = ("a hook, which is", "it") if hooks == 1 else (f"{hooks} hooks, which are", "them")
        message = f"{path}: the saved run had {many} code and not saved. Add {it} again before running on."
        warn_caller(message, StorageWarning)
    now = versions()
    others = [f"{name} {was} (now {now.get(name)})" for name, was in saved.versions.items() if now.get(name) != was]
    if others:
        message = f"{path}: saved with {', '.join(others)}. The run goes on, but perhaps not to the same bits."
        warn_caller(message, StorageWarning)
