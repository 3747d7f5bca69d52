"""Functions on simulations for sweeps and the laboratory, not for users."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from carom.simulation import record
from carom.simulation.advance import Advance, Progress, RunLoop
from carom.simulation.editor import Editor
from carom.simulation.run import ActiveRun
from carom.simulation.simulation import Simulation
from carom.solvers.protocol import remembering

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History

State = dict[str, NDArray[Any]]
"""The state of a solver."""


def run_evenly(sim: Simulation, until: float | None, collisions: int | None, progress: Progress | None) -> None:
    """Run in parts whose size depends on the scene alone, not on the wall clock, and report progress."""
    run = _run_of(sim)
    RunLoop(run, Advance(run, Editor(run))).run_evenly(until, collisions, progress)


def state_of(sim: Simulation) -> State:
    """The state of the run's solver, from which `copy_in_state` makes a simulation that continues to the same bits."""
    return _run_of(sim).solver.state()


def copy_in_state(sim: Simulation, state: State, time: float) -> Simulation:
    """A copy of a simulation in the state of another time, s; its solver must keep histories."""
    other = copy.copy(sim)
    run = _run_of(other)
    run.solver, run.time = remembering(run.solver, "copy_in_state").beside(state), time
    return other


def new_history(sim: Simulation) -> History:
    """An empty history of a run."""
    return record.new_history(_run_of(sim))


def remember_in(sim: Simulation, history: History) -> None:
    """Write all events into a history from now on; it may be one of a copy of the same run."""
    record.remember(_run_of(sim), history)


def _run_of(sim: Simulation) -> ActiveRun:
    return sim._run  # noqa: SLF001  # the only access for the rest of carom
