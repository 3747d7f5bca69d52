"""What sweeps and the laboratory need of a simulation, and users do not."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from carom.simulation import record
from carom.simulation.advance import Advance, Progress, Runner
from carom.simulation.editor import Editor
from carom.simulation.run import Run
from carom.simulation.simulation import Simulation
from carom.solvers.protocol import remembering

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History

State = dict[str, NDArray[Any]]
"""The state of a solver."""


def run_evenly(sim: Simulation, until: float | None, collisions: int | None, progress: Progress | None) -> None:
    """Run, and tell progress in parts of equal size by the scene alone: no clock has a say in what happens."""
    run = _run_of(sim)
    Runner(run, Advance(run, Editor(run))).evenly(until, collisions, progress)


def state_of(sim: Simulation) -> State:
    """The state of the run's solver, from which `standing` makes a run that goes on to the same bits."""
    return _run_of(sim).solver.state()


def standing(sim: Simulation, state: State, time: float) -> Simulation:
    """A copy of a run as it stood at another instant; its solver must keep histories."""
    other = copy.copy(sim)
    run = _run_of(other)
    run.solver, run.time = remembering(run.solver, "standing").beside(state), time
    return other


def new_history(sim: Simulation) -> History:
    """A history of a run that nothing is written into yet."""
    return record.new_history(_run_of(sim))


def remember_in(sim: Simulation, history: History) -> None:
    """Write into a history, from now on, all that happens; it may be one of a copy of the same run."""
    record.remember(_run_of(sim), history)


def _run_of(sim: Simulation) -> Run:
    return sim._run  # noqa: SLF001  # this module is the way to it for the rest of carom
