"""`carom run`: run a scene, show how far it is, sum up."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from carom.cli.commands.keep import UNWRITTEN, Keep, finish
from carom.cli.compilation import Announcement
from carom.cli.interrupt import Interrupt
from carom.cli.progress import Bar
from carom.cli.sources import named_in_errors, scene_from
from carom.cli.summary import Summary, summarise
from carom.cli.terminal import complain, notice, output, show_table
from carom.errors import SolverError, StorageError
from carom.scene.io.files import dump
from carom.solvers.choose import Wish

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation

INTERRUPTED = 130  # the exit code of a program that Ctrl-C stopped: 128 + SIGINT


@dataclass(frozen=True)
class Goal:
    """How long a run lasts: whichever comes first."""

    until: float | None
    collisions: int | None

    def met_by(self, simulation: "Simulation") -> str:
        """Which of the two ended the run."""
        if self.collisions is not None and simulation.collisions >= self.collisions:
            return "after the collisions asked for"
        if self.until is not None and simulation.time >= self.until:
            return "at the time asked for"
        return "nothing collides any more"


@dataclass(frozen=True)
class Ending:
    """How a run ended: a word for the user, the exit code, and the error if there was one."""

    stopped: str
    code: int = 0
    error: str | None = None
    unsaved: bool = False
    """Could the scene that --save asks for not be written?"""


def run(
    source: str, goal: Goal, wish: Wish, save: Path | None, *, as_json: bool, quiet: bool, keep: Keep | None = None
) -> int:
    """Run a scene, record it if so wished, and print its summary."""
    scene = scene_from(source)
    from carom.simulation.simulation import Simulation

    if keep is not None:
        keep.check()

    with Announcement(notice(), quiet=quiet) as compilation, named_in_errors(source):
        began = time.perf_counter()
        simulation = Simulation(
            scene, solver=wish.solver, step=wish.step, integrator=wish.integrator, contacts=wish.contacts
        )
        energy = float(simulation.energy)
        if keep is not None and not quiet and (word := keep.hint(simulation.solver)):
            complain(word)
        prepared, compiled = time.perf_counter(), compilation.seconds
        recorder = keep.begin(simulation, source, goal) if keep is not None else None
        ending = advance(simulation, goal, quiet=quiet)
        ended = time.perf_counter()
    if recorder is not None:
        ending = finish(recorder, ending, quiet=quiet)
    if save is not None:
        ending = saved_as(save, simulation, ending)
    summary = summarise(
        simulation,
        energy,
        scene=source,
        stopped=ending.stopped,
        error=ending.error,
        saved=str(save) if save and not ending.unsaved else None,
        running_time=(ended - prepared) - (compilation.seconds - compiled),
        wall_time=ended - began,
        compile_time=compilation.seconds,
    )
    show(summary, as_json=as_json, quiet=quiet)
    return ending.code


def saved_as(target: Path, simulation: "Simulation", ending: Ending) -> Ending:
    """Save the scene as it is at the end; if it cannot be written, the run is summed up all the same."""
    try:
        dump(simulation.snapshot(), target)
    except StorageError as error:
        complain(str(error))
        return replace(ending, code=ending.code or 1, unsaved=True)
    return ending


def advance(simulation: "Simulation", goal: Goal, *, quiet: bool) -> Ending:
    """Run towards the goal; Ctrl-C or an error of the solver ends it early, with everything done so far in order."""
    with Interrupt() as interrupt, Bar(notice(), simulation, interrupt, quiet=quiet) as bar:
        try:
            simulation.run(until=goal.until, collisions=goal.collisions, progress=bar)
        except KeyboardInterrupt:
            return Ending("by Ctrl-C", INTERRUPTED)
        except SolverError as error:
            return Ending("by an error", 1, str(error))
        except StorageError as error:
            return Ending(UNWRITTEN, 1, str(error))
    return Ending(goal.met_by(simulation))


def show(summary: Summary, *, as_json: bool, quiet: bool) -> None:
    """Print the summary; an error goes to standard error as well."""
    if as_json:
        output().print(summary.as_json())
    elif not quiet:
        show_table(summary.as_table())
    if summary.error:
        complain(f"{summary.scene}: {summary.error}")
