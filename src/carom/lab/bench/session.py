"""A bench without web: commands in, views out. What commands do is in `lab/commands/`.

Only one thread may use a session.
"""

from __future__ import annotations

import time as clocks
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from carom.errors import CaromError, InputError, NotExactError, Problem, SolverError
from carom.lab.bench import companions
from carom.lab.bench.companions import Beside
from carom.lab.bench.step_warnings import step_warnings
from carom.lab.bench.track import Track
from carom.lab.bench.undo import BenchState, UndoStack
from carom.lab.commands.arguments import refusal
from carom.lab.commands.table import COMMANDS
from carom.lab.seen.look import ViewMaker
from carom.lab.seen.samples import Samples
from carom.lab.seen.view import Message, View
from carom.messages.phrase import Phrase, Translatable
from carom.scene import Scene
from carom.scene.fields.base import nearest
from carom.simulation.simulation import Simulation
from carom.solvers import choose
from carom.solvers.registry import CARDS
from carom.views import region

SLICE_SECONDS = 0.018
"""Longest time of a slice of the run, s."""
AVERAGING = 0.5
"""Time over which the reached rate is averaged, s."""
HORIZON = 120.0
"""How far the next collision is searched for: wall-clock time at speed 1, s."""


Does = dict[str, Callable[..., Any]]
"""Functions by the commands that they do; each takes the session and the command's arguments."""
WITHOUT_RUN = ("open", "load", "next-scene", "previous-scene", "clear")
"""Commands that need no run: they work where the present scene cannot be run at all."""
ASIDE = (
    *("collision", "toggle", "speed", "faster", "slower", "hold", "unhold", "steering"),
    *("select", "select-next", "select-previous", "select-all", "select-none", "extend", "select-corner"),
)
"""Commands that do not end the search for the next collision; all others do."""


class Session:
    """One bench. `begin` makes the run, which may compile; other methods call it if needed."""

    def __init__(self, scene: Scene, entry: str = "", *, clock: Callable[[], float] = clocks.monotonic) -> None:
        self.first = scene
        self.entry = entry
        self.clock = clock
        self.run: Track | None = None
        self.samples = Samples()
        self.history = UndoStack()
        self.beside: list[Beside] = []
        self.running = self.held = False
        self.speed, self.rate = 1.0, 1.0
        self.pace, self.arrow_time = region.pace(scene), region.arrow_time(scene)
        self.selected: tuple[int, ...] = ()
        self.corner: tuple[str | int, int] | None = None
        """The corner that arrow keys move: "boundary" or the number of an obstacle, and the number of the corner."""
        self.count = len(scene.balls)
        """The last known number of balls; when it changes, indices may mean other balls."""
        self.steering = "place"
        self.hands: set[int] = set()
        """Balls that are being pulled or driven."""
        self.goal: float | None = None
        """A time to go to before anything else, while scrubbing."""
        self.hunting: float | None = None
        """The end of a search for the next collision, if there is one."""
        self.asked: Callable[[], bool] = lambda: False
        """Is a command waiting? Then slices end early."""
        self.stopping: Callable[[], bool] = lambda: False
        """Is the bench closing? Then nothing is finished."""
        self.cancelled: Callable[[], bool] = lambda: False
        """Was the present command cancelled?"""
        self.seq = self.said = 0
        self.message: Message | None = None
        self.look = ViewMaker(self)

    # Commands.

    def do(self, command: str, /, *, seq: int = 0, **arguments: Any) -> Message | None:
        """Do a command; if it fails, return a message and change nothing."""
        from carom.lab.commands.handlers import DOES  # noqa: PLC0415  # the rooms know the session

        before = self.said
        if seq:
            self.seq = seq
        try:
            _check(command, arguments)
            if command not in WITHOUT_RUN:
                self.begin()
            if command not in ASIDE:
                self.hunting = None
            with self._catch_warnings():
                DOES[command](self, **arguments)
                if self.said == before and COMMANDS[command].undoable:
                    self.message = None  # what was wrong is so no longer
        except InputError as error:
            self.complain(error)
        except NotExactError as error:
            self.say("error", error.problem, "solver")
        except SolverError as error:
            self.stop(error)
        except CaromError as error:
            self.say("error", str(error))
        return self.message if self.said > before and self.message and self.message.kind == "error" else None

    def say(self, kind: str, said: Translatable | str, where: str = "") -> None:
        """Set the message to the person."""
        self.said += 1
        self.message = Message(kind, said, where, self.said)

    @contextmanager
    def _catch_warnings(self) -> Iterator[None]:
        """A context in which warnings about steps become messages."""
        with step_warnings() as warned:
            yield
        for warning in warned:
            self.say("warning", warning)

    def complain(self, error: InputError) -> None:
        """Show an error as a message."""
        first, *others = error.problems
        said: Translatable = first
        if others:
            texts = {"what": first.phrase("what"), "remedy": first.phrase("remedy")}
            said = Phrase("problem.and-more", n=len(others), **texts)
        self.say("error", said, first.where)

    # The run.

    def begin(self) -> Track:
        """Return the run; make it if there is none."""
        if self.run is None:
            with self._catch_warnings():
                self.run = Track(start_run(self.first))
        return self.run

    def prepare(self) -> None:
        """Make the run; show the error if that fails."""
        try:
            self.begin()
        except InputError as error:
            self.complain(error)
        except CaromError as error:
            self.say("error", str(error))

    @property
    def track(self) -> Track:
        """The run."""
        return self.begin()

    def advance(self, seconds: float) -> None:
        """Advance by wall-clock time, s; returns within about 20 ms, perhaps before it is reached."""
        track = self.begin()
        try:
            with self._catch_warnings():
                if self.goal is not None:
                    self._seek(SLICE_SECONDS)
                elif self.hunting is not None:
                    self._hunt(SLICE_SECONDS)
                elif self.running and not self.held and seconds > 0.0:
                    self._go_on(track, seconds)
        except SolverError as error:
            self.stop(error)
        self.recount()

    def recount(self) -> None:
        """Update after the run has moved: if the number of balls changed, clear the selection and the hands."""
        track = self.track
        count = len(track.scene.balls)
        if count != self.count:
            self.count, self.selected, self.hands = count, (), set()
        if self.goal is None and track.at_end:
            track.release_balls(self.hands)

    def stop(self, error: SolverError) -> None:
        """Pause after an error of the solver, and show it; nothing is lost."""
        self.running, self.goal, self.hunting = False, None, None
        self.say("error", error.problem or str(error))

    def _go_on(self, track: Track, seconds: float) -> None:
        wanted = seconds * self.pace * self.speed
        before, target = track.time, track.time + wanted
        share = SLICE_SECONDS / (1 + len(self.beside))
        for each in self.beside:
            if not each.toward(target, share):
                target = max(before, min(target, each.since + each.track.time))
        track.toward(target, share, self.asked)
        part = min(seconds / AVERAGING, 1.0)
        reached = (track.time - before) / wanted if wanted > 0.0 else 1.0
        self.rate += part * (min(reached, 1.0) - self.rate)
        if reached > 1.0 - 1e-6 and self.rate > 0.97:  # keeps up, but for rounding
            self.rate = 1.0

    def scrub(self, time: float) -> None:
        """Go to an instant of the past, immediately if it is near."""
        track = self.track
        self.hands = set()
        if track.at_end:
            track.release_balls()
        self.goal, self.hunting = min(max(time, 0.0), track.end), None
        track.seek(self.goal)
        self._seek(SLICE_SECONDS)
        self.recount()

    def _seek(self, budget: float) -> None:
        goal = self.goal
        if goal is None or not self.track.toward(goal, budget):
            return
        arrived = [each.toward(goal, budget) for each in self.beside]
        if all(arrived):
            self.goal = None

    def hunt(self) -> None:
        """Go to the next collision, immediately if it is near."""
        self.running = False
        self.hunting = self.track.time + HORIZON * self.pace
        self._hunt(SLICE_SECONDS)
        self.recount()

    def _hunt(self, budget: float) -> None:
        track, until = self.track, self.hunting
        if until is None:
            return
        if track.next_collision(budget, until):
            self.hunting = None
            if CARDS[track.sim.solver].foresees and track.at_end and not track.sim.upcoming and not self._just_met():
                self.say("info", Problem("log.none-to-come"))
        elif track.time >= until:
            self.hunting = None
            self.say("info", Problem("log.none-in", time=until - track.segment.start))
        if self.hunting is None and self.beside:
            self.goal = track.time

    def _just_met(self) -> bool:
        last = self.track.log.before(np.inf)
        return last is not None and last >= self.track.time

    def settle(self) -> None:
        """Finish scrubbing and searching; the search ends early if a command waits."""
        while self.goal is not None or (self.hunting is not None and not self.asked()):
            if self.stopping():
                return
            self.check_cancel()
            self.advance(0.0)

    def check_cancel(self) -> None:
        """ArgumentError if the present command was cancelled."""
        if self.cancelled():
            raise refusal("lab.cancelled")

    def keep_within_share(self) -> None:
        """Reduce the past to its share of memory, because there are more runs."""
        if self.run is not None:
            for track in (self.run, *(each.track for each in self.beside)):
                track.keep_within_share()
            self.history.keep_within(self.run.most_frames)

    def free(self) -> None:
        """Free the past, which is large, even if the session is still referenced."""
        self.run, self.history, self.beside = None, UndoStack(), []
        self.samples, self.look = Samples(), ViewMaker(self)

    # Changing.

    def moment(self) -> BenchState:
        """The present state, for undo."""
        track = self.track
        return BenchState(
            track.marked(), track.time, self.samples, self.selected, self.entry, self.pace, self.arrow_time
        )

    def edit(
        self,
        name: str,
        sim: Simulation,
        about: Any = None,
        wish: dict[str, Any] | None = None,
        births: Any = None,
    ) -> None:
        """Continue from now with a changed simulation; undo restores the earlier state."""
        track = self.track
        self.prepare_edit()
        moment = self.moment()
        if births is None:
            births = track.segment.births
        if births is not None and len(births) != len(sim.scene.balls):  # some have merged
            births = None
        if not track.at_end:  # in the past there is nothing to release
            self.hands = set()
            for k in sim.held:
                sim.release(k)
        was = track.branch(sim, wish, births)
        self.history.remember(name, about, replace(moment, past=was), self.clock(), track.most_frames)
        self.samples = self.samples.until(track.time)
        self.after_change()

    def prepare_edit(self) -> None:
        """Prepare an edit: finish scrubbing, and end the search for a collision."""
        self.hunting = None
        self.settle()

    def after_change(self) -> None:
        """Update what depends on the scene: restart companions, restrict the selection to existing balls."""
        track = self.track
        self.count = len(track.scene.balls)
        self.selected = tuple(k for k in self.selected if k < self.count)
        self.hands &= track.sim.held
        track.release_balls(self.hands)
        if self.beside:
            names = [each.name for each in self.beside]
            try:
                self.compare(names)
            except CaromError:
                self.beside = []

    def compare(self, names: Any) -> None:
        """Start companions with the present state."""
        track = self.track
        step = track.sim.method.step if CARDS[track.sim.solver].has_steps else None
        self.beside = companions.start_companions(names, track.sim.snapshot(), track.time, step)

    def open(self, scene: Scene, entry: str, name: str) -> None:
        """Put another scene on the bench, paused at its start."""
        run = Track(start_run(scene))
        if self.run is not None:
            self.prepare_edit()
            self.history.remember(name, None, self.moment(), self.clock(), self.run.most_frames)
        self.goal = self.hunting = None
        self.run, self.entry, self.samples = run, entry, Samples((), self.samples.generation + 1)
        self.pace, self.arrow_time = region.pace(scene), region.arrow_time(scene)
        self.running = self.held = False
        self.rate = 1.0
        self.selected, self.beside, self.hands, self.count = (), [], set(), len(scene.balls)
        self.corner = None

    def undo(self) -> None:
        """Undo the last command."""
        if not self.history.undo:
            raise refusal("undo.nothing")
        self._swap(self.history.undo, self.history.redo)

    def redo(self) -> None:
        """Redo the last undone command."""
        if not self.history.redo:
            raise refusal("redo.nothing")
        self._swap(self.history.redo, self.history.undo)

    def _swap(self, source: list[Any], target: list[Any]) -> None:
        self.prepare_edit()
        step = source.pop()
        target.append(replace(step, moment=self.moment(), about=None))
        moment: BenchState = step.moment
        track = self.track
        track.restore(moment.past, moment.time)
        generation = self.samples.generation
        self.samples = replace(moment.samples, generation=max(generation, moment.samples.generation) + 1)
        self.entry, self.pace, self.arrow_time = moment.entry, moment.pace, moment.arrow_time
        self.running, self.beside = False, []
        self.scrub(moment.time)
        self.selected = tuple(k for k in moment.selected if k < self.count)

    # Looking.

    def view(self, *, forces: bool = False) -> View:
        """The present view of the bench."""
        return self.look.view(self.begin(), forces=forces)

    def preview(self) -> View:
        """The view before the run is made."""
        return self.look.preview()


def start_run(scene: Scene, **wish: Any) -> Simulation:
    """Start a run; warn first if one second of it needs excessively many steps."""
    sim = Simulation(scene, **{**wish, "solver": choose.Wish(**wish).settled})
    if CARDS[sim.solver].has_steps:
        from carom.solvers.stepped.energy.cost import warn_of_work  # noqa: PLC0415  # Numba is not loaded before something runs

        warn_of_work(scene, sim.method, 1.0)
    return sim


def _check(command: str, arguments: dict[str, Any]) -> None:
    """ArgumentError for an unknown command or wrong arguments."""
    if command not in COMMANDS:
        raise refusal("command.unknown", command=repr(command), hint=nearest(str(command)[:60], COMMANDS, "commands"))
    taken = COMMANDS[command].arguments
    known = [name.rstrip("?") for name in taken]
    for name in arguments:
        if name not in known:
            hint = nearest(name, known, "arguments") if known else Phrase("leave-out")
            raise refusal("command.argument-unknown", where=name, command=command, name=repr(name), hint=hint)
    for name in taken:
        if not name.endswith("?") and name not in arguments:
            raise refusal("command.argument-missing", where=name, command=command)
