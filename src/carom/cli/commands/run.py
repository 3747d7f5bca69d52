"""`carom run`: run a scene, show its progress, print a summary."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from carom.cli import INTERRUPTED
from carom.cli.commands.record import STOPPED_BY_FILE, RecordingOptions, finish
from carom.cli.compilation import Announcement, RunTimer
from carom.cli.interrupt import Interrupt
from carom.cli.progress import RunBar
from carom.cli.sources import named_in_errors, scene_from
from carom.cli.summary import Summary, summarise
from carom.cli.terminal import complain, notice, print_json, show_facts
from carom.errors import SolverError, StorageError
from carom.scene.io.files import dump
from carom.solvers.choose import Wish

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation


@dataclass(frozen=True)
class Goal:
    """Where a run ends: at a time or a number of collisions, whichever comes first."""

    until: float | None
    collisions: int | None

    def met_by(self, simulation: "Simulation") -> str:
        """Which goal ended the run, as a text."""
        if self.collisions is not None and simulation.collisions >= self.collisions:
            return "after the collisions asked for"
        if self.until is not None and simulation.time >= self.until:
            return "at the time asked for"
        return "nothing collides any more"


@dataclass(frozen=True)
class Ending:
    """How a run ended: a text for the user, the exit code, and the error if there was one."""

    stopped: str
    code: int = 0
    error: str | None = None
    unsaved: bool = False
    """Did writing the scene of --save fail?"""


def run(
    source: str,
    goal: Goal,
    wish: Wish,
    save: Path | None,
    *,
    as_json: bool,
    quiet: bool,
    recording: RecordingOptions | None = None,
) -> int:
    """Run a scene, record it on request, and print a summary."""
    scene = scene_from(source)
    from carom.simulation.simulation import Simulation

    if recording is not None:
        recording.check()

    with Announcement(notice(), quiet=quiet) as compilation, named_in_errors(source):
        timer = RunTimer(compilation)
        simulation = Simulation(
            scene, solver=wish.solver, step=wish.step, integrator=wish.integrator, contacts=wish.contacts
        )
        energy = float(simulation.energy)
        if recording is not None and not quiet and (hint := recording.hint(simulation.solver)):
            complain(hint)
        timer.start()
        recorder = recording.begin(simulation, source, goal) if recording is not None else None
        ending = advance(simulation, goal, quiet=quiet)
        timer.stop()
    if recorder is not None:
        ending = finish(recorder, ending, quiet=quiet)
    if save is not None:
        ending = save_scene(save, simulation, ending)
    summary = summarise(
        simulation,
        energy,
        scene=source,
        stopped=ending.stopped,
        error=ending.error,
        saved=str(save) if save and not ending.unsaved else None,
        **timer.times,
    )
    show(summary, as_json=as_json, quiet=quiet)
    return ending.code


def save_scene(target: Path, simulation: "Simulation", ending: Ending) -> Ending:
    """Save the final scene; if that fails, print the error and go on to the summary."""
    try:
        dump(simulation.snapshot(), target)
    except StorageError as error:
        complain(str(error))
        return replace(ending, code=ending.code or 1, unsaved=True)
    return ending


def advance(simulation: "Simulation", goal: Goal, *, quiet: bool) -> Ending:
    """Run to the goal; Ctrl-C or an error of the solver ends it early, in a consistent state."""
    with Interrupt() as interrupt, RunBar(notice(), simulation, interrupt, quiet=quiet) as bar:
        try:
            simulation.run(until=goal.until, collisions=goal.collisions, progress=bar)
        except KeyboardInterrupt:
            return Ending("by Ctrl-C", INTERRUPTED)
        except SolverError as error:
            return Ending("by an error", 1, str(error))
        except StorageError as error:
            return Ending(STOPPED_BY_FILE, 1, str(error))
    return Ending(goal.met_by(simulation))


def show(summary: Summary, *, as_json: bool, quiet: bool) -> None:
    """Print the summary; an error goes to standard error too."""
    if as_json:
        print_json(asdict(summary))
    elif not quiet:
        show_facts(summary.rows())
    if summary.error:
        complain(f"{summary.scene}: {summary.error}")
