"""Start a run: from a scene, a checkpoint, or an instant of a recording."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from carom.errors import ArgumentError, Problem, SceneError, SolverWarning, StepWarning, StorageError, StorageWarning
from carom.kernels.progress import announce
from carom.scene import Scene
from carom.scene.placement import check as placement
from carom.simulation.advance import Advance, RunLoop
from carom.simulation.editor import Editor
from carom.simulation.live_balls import Identities
from carom.simulation.run import ActiveRun
from carom.solvers import choose
from carom.solvers.registry import EXACT
from carom.storage.checkpoint import Checkpoint
from carom.storage.hdf5.writer import EDITS
from carom.storage.recording import Recording
from carom.storage.tape import versions
from carom.thread_warnings import warn_caller

if TYPE_CHECKING:
    from carom.solvers.stepped.forces.custom import Force


def as_tuple(forces: Any) -> tuple[Force, ...]:
    """Custom forces as a tuple; also a single force that is not in a list."""
    return tuple(forces) if isinstance(forces, Iterable) else (forces,)


def new_run(scene: Scene, wish: choose.Wish, *, check: bool) -> ActiveRun:
    """A run of a scene from its start; with `check`, a `SceneError` if balls overlap or are misplaced."""
    announce()
    chosen = choose.solver_for(scene, wish)
    if switch := choose.switched(scene, wish):
        message = (
            f"the run goes in steps because of {' and '.join(switch)}; the exact solver could do this scene. "
            "Leave that out for exact collisions, or say solver='stepped' (--solver stepped)."
        )
        warn_caller(message, SolverWarning)
    if check and (problems := placement.problems(scene)):
        raise SceneError(problems)
    return ActiveRun(scene, choose.start(scene, chosen, wish), wish)


def _saved_wish(solver: str, saved: Mapping[str, Any], forces: tuple[Force, ...] = ()) -> choose.Wish:
    """The choices in the metadata of a file."""
    choices = {name: saved[name] for name in ("step", "integrator", "contacts", "neighbours")}
    return choose.Wish(cast("choose.SolverChoice", solver), **choices, forces=forces)


def resumed_run(saved: Checkpoint, forces: Any) -> ActiveRun:
    """The run of a checkpoint. Its custom forces must be given, as a file does not hold their code."""
    own = as_tuple(forces)
    names = [each.name for each in own]
    if names != saved.wish["forces"]:
        was = ", ".join(saved.wish["forces"]) or "none"
        raise ArgumentError.of("resume.other-forces", where="forces", was=was, given=", ".join(names) or "none")
    wish = _saved_wish(saved.solver, saved.wish, own)
    if problems := wish.problems() or _other_parameters(own, saved):
        raise ArgumentError(problems)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)  # the user was warned when the run began
        solver = choose.start(saved.scene, cast("choose.Name", saved.solver), wish)
    solver.restore(saved.state)
    identities = Identities.from_metadata(saved.wish, len(saved.scene.balls))
    touched = bool(saved.wish.get("touched", False))
    return ActiveRun(saved.scene, solver, wish, time=saved.time, identities=identities, touched=touched)


def replayed_run(recording: Recording, time: float) -> ActiveRun:
    """The run at an instant of a recording: rebuilt from its history, or else repeated from its start."""
    if recording.exact:
        state, scene = recording.history.state(time), recording.history.scene(time)
        return resumed_run(Checkpoint(scene, float(time), EXACT.name, recording.wish, state), ())
    _check_repeatable(recording, time)
    run = new_run(recording.scene, _saved_wish(recording.solver, recording.wish), check=False)
    RunLoop(run, Advance(run, Editor(run))).run(time, None, None)
    return run


def _check_repeatable(recording: Recording, time: float) -> None:
    """Refuse to repeat a run from its start up to a time if more than its scene determines it.

    Repetition reproduces mergers, but no edits by the user. Such an edit is a row of edits after which the number of
    balls is the same as before.
    """
    remedy = "Resume it from a checkpoint: Simulation.resume(…)."
    if recording.span[0] != 0.0 or recording.wish["forces"]:
        what = "the run can only be repeated from its start, which is not in the file"
        raise StorageError(recording.path, what, remedy)
    edits = recording.column(EDITS)[:]
    left = np.concatenate([[len(recording.masses)], edits[:, 1]])
    by_user = bool(((np.diff(left) == 0) & (edits[:, 0] <= time)).any())
    if by_user or recording.wish.get("touched") or recording.wish.get("hooks"):
        what = "the run was edited, steered or had hooks, so it cannot be repeated from its start"
        raise StorageError(recording.path, what, remedy)


def _other_parameters(own: Sequence[Force], saved: Checkpoint) -> list[Problem]:
    """The problem of custom forces whose parameters differ from those of the saved run."""
    if not own:
        return []
    from carom.solvers.stepped.forces.custom_call import packed  # noqa: PLC0415  # Numba is not loaded before something runs

    now = packed([value for each in own for value in each.parameters.values()])
    if np.array_equal(now, saved.state.get("given", np.zeros(0))):
        return []
    were = list(saved.wish.get("given", ["others"]))
    return [Problem("resume.other-values", where="forces", saved=were, given=list(map(repr, own)))]


def warn_of_differences(path: Path, saved: Checkpoint) -> None:
    """Warn if a saved run had hooks, which the file does not hold, or was saved with other versions of packages."""
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
