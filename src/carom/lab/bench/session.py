"""A bench without a web: commands in, views out. What commands do is in the rooms beside it.

The session is touched by one thread alone.
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
from carom.messages.phrase import Phrase, Told
from carom.scene import Scene
from carom.scene.fields.base import nearest
from carom.simulation.simulation import Simulation
from carom.solvers import choose
from carom.solvers.registry import CARDS
from carom.views import region

BUDGET = 0.018
"""A part of the run takes about so long at most, s of the clock."""
AVERAGING = 0.5
"""Time over which the reached rate is averaged, s."""
HORIZON = 120.0
"""The next collision is looked for over so many seconds of the clock at speed 1."""


Does = dict[str, Callable[..., Any]]
"""Functions by the commands that they do; each takes the session and the command's arguments."""
ANEW = ("open", "load", "next-scene", "previous-scene", "clear")
"""Commands that need no run: they work where the present scene cannot be run at all."""
ASIDE = (
    *("collision", "toggle", "speed", "faster", "slower", "hold", "unhold", "steering"),
    *("select", "select-next", "select-previous", "select-all", "select-none", "extend", "select-corner"),
)
"""Commands that do not end the search for the next collision by being given; all others do."""


class Session:
    """One bench. `begin` makes the run, which may compile; everything else calls it if need be."""

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
        """The corner of a wall that arrow keys move: of the "boundary" or of an obstacle, and which."""
        self.count = len(scene.balls)
        """Balls that there were when they were counted last: with another number of them, theirs mean others."""
        self.steering = "place"
        self.hands: set[int] = set()
        """Balls that are pulled or driven."""
        self.goal: float | None = None
        """A time to be reached before anything else: scrubbing."""
        self.hunting: float | None = None
        """Is the next collision looked for? Until this time."""
        self.asked: Callable[[], bool] = lambda: False
        """Does a command wait? Then a part of the run ends early."""
        self.stopping: Callable[[], bool] = lambda: False
        """Is the bench being ended? Then nothing is finished any more."""
        self.cancelled: Callable[[], bool] = lambda: False
        """Shall what takes long be let go?"""
        self.seq = self.said = 0
        self.message: Message | None = None
        self.look = ViewMaker(self)

    # Commands.

    def do(self, command: str, /, *, seq: int = 0, **arguments: Any) -> Message | None:
        """Do a command; a message if it cannot be done, and then nothing has changed."""
        from carom.lab.commands.handlers import DOES  # noqa: PLC0415  # the rooms know the session

        before = self.said
        if seq:
            self.seq = seq
        try:
            _check(command, arguments)
            if command not in ANEW:
                self.begin()
            if command not in ASIDE:
                self.hunting = None
            with self._telling():
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

    def say(self, kind: str, said: Told | str, where: str = "") -> None:
        """Say a word to the person."""
        self.said += 1
        self.message = Message(kind, said, where, self.said)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Meanwhile, warnings about steps are told to the person."""
        with step_warnings() as warned:
            yield
        for warning in warned:
            self.say("warning", warning)

    def complain(self, error: InputError) -> None:
        """Say what cannot be, and how to mend it."""
        first, *others = error.problems
        said: Told = first
        if others:
            texts = {"what": first.phrase("what"), "remedy": first.phrase("remedy")}
            said = Phrase("problem.and-more", n=len(others), **texts)
        self.say("error", said, first.where)

    # The run.

    def begin(self) -> Track:
        """The run; made now, if there is none yet."""
        if self.run is None:
            with self._telling():
                self.run = Track(started(self.first))
        return self.run

    def prepare(self) -> None:
        """Make the run; if it cannot be, say why."""
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
        """Let so much time of the clock pass; comes back within about 20 ms, however little was done in them."""
        track = self.begin()
        try:
            with self._telling():
                if self.goal is not None:
                    self._seek(BUDGET)
                elif self.hunting is not None:
                    self._hunt(BUDGET)
                elif self.running and not self.held and seconds > 0.0:
                    self._go_on(track, seconds)
        except SolverError as error:
            self.stop(error)
        self.recount()

    def recount(self) -> None:
        """After the run has moved: if balls came, went or merged, none is selected; nothing is held by nobody."""
        track = self.track
        count = len(track.scene.balls)
        if count != self.count:
            self.count, self.selected, self.hands = count, (), set()
        if self.goal is None and track.at_end:
            track.let_go(self.hands)

    def stop(self, error: SolverError) -> None:
        """The run cannot go on: pause where it came to, and say why; nothing is lost."""
        self.running, self.goal, self.hunting = False, None, None
        self.say("error", error.problem or str(error))

    def _go_on(self, track: Track, seconds: float) -> None:
        wanted = seconds * self.pace * self.speed
        before, target = track.time, track.time + wanted
        share = BUDGET / (1 + len(self.beside))
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
        """Go to an instant of the past, at once if that is near."""
        track = self.track
        self.hands = set()
        if track.at_end:
            track.let_go()
        self.goal, self.hunting = min(max(time, 0.0), track.end), None
        track.seek(self.goal)
        self._seek(BUDGET)
        self.recount()

    def _seek(self, budget: float) -> None:
        goal = self.goal
        if goal is None or not self.track.toward(goal, budget):
            return
        arrived = [each.toward(goal, budget) for each in self.beside]
        if all(arrived):
            self.goal = None

    def hunt(self) -> None:
        """Go on to the next collision, at once if that is near."""
        self.running = False
        self.hunting = self.track.time + HORIZON * self.pace
        self._hunt(BUDGET)
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
        """Finish what is under way; the search for a collision only until a command waits."""
        while self.goal is not None or (self.hunting is not None and not self.asked()):
            if self.stopping():
                return
            self.heed_cancel()
            self.advance(0.0)

    def heed_cancel(self) -> None:
        """A refusal, if what is being done was cancelled."""
        if self.cancelled():
            raise refusal("lab.cancelled")

    def keep_within_share(self) -> None:
        """Others have come: hold no more of the past than there is memory for."""
        if self.run is not None:
            for track in (self.run, *(each.track for each in self.beside)):
                track.keep_within_share()
            self.history.keep_within(self.run.most_frames)

    def let_go(self) -> None:
        """The bench has ended: its past, which is large, goes at once, whoever still knows the session."""
        self.run, self.history, self.beside = None, UndoStack(), []
        self.samples, self.look = Samples(), ViewMaker(self)

    # Changing.

    def moment(self) -> BenchState:
        """What undo would bring back."""
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
        """Go on from now with a changed simulation; undo brings back what was."""
        track = self.track
        self.stand()
        moment = self.moment()
        if births is None:
            births = track.segment.births
        if births is not None and len(births) != len(sim.scene.balls):  # some have merged
            births = None
        if not track.at_end:  # a hand of the past is not there to let go
            self.hands = set()
            for k in sim.held:
                sim.release(k)
        was = track.branch(sim, wish, births)
        self.history.remember(name, about, replace(moment, past=was), self.clock(), track.most_frames)
        self.samples = self.samples.until(track.time)
        self.after_change()

    def stand(self) -> None:
        """Before an edit, be where one was going, and look for no collision."""
        self.hunting = None
        self.settle()

    def after_change(self) -> None:
        """What depends on what exists: companions begin anew, the selection names balls that are there."""
        track = self.track
        self.count = len(track.scene.balls)
        self.selected = tuple(k for k in self.selected if k < self.count)
        self.hands &= track.sim.held
        track.let_go(self.hands)
        if self.beside:
            names = [each.name for each in self.beside]
            try:
                self.compare(names)
            except CaromError:
                self.beside = []

    def compare(self, names: Any) -> None:
        """Let companions begin with the present state."""
        track = self.track
        step = track.sim.method.step if CARDS[track.sim.solver].has_steps else None
        self.beside = companions.begun(names, track.sim.snapshot(), track.time, step)

    def open(self, scene: Scene, entry: str, name: str) -> None:
        """Put another scene on the bench, paused at its start."""
        run = Track(started(scene))
        if self.run is not None:
            self.stand()
            self.history.remember(name, None, self.moment(), self.clock(), self.run.most_frames)
        self.goal = self.hunting = None
        self.run, self.entry, self.samples = run, entry, Samples((), self.samples.generation + 1)
        self.pace, self.arrow_time = region.pace(scene), region.arrow_time(scene)
        self.running = self.held = False
        self.rate = 1.0
        self.selected, self.beside, self.hands, self.count = (), [], set(), len(scene.balls)
        self.corner = None

    def undo(self) -> None:
        """Take the last command back."""
        if not self.history.undo:
            raise refusal("undo.nothing")
        self._swap(self.history.undo, self.history.redo)

    def redo(self) -> None:
        """Do again what was taken back."""
        if not self.history.redo:
            raise refusal("redo.nothing")
        self._swap(self.history.redo, self.history.undo)

    def _swap(self, source: list[Any], target: list[Any]) -> None:
        self.stand()
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
        """The bench as it stands."""
        return self.look.view(self.begin(), forces=forces)

    def preview(self) -> View:
        """What can be seen before the run is made."""
        return self.look.preview()


def started(scene: Scene, **wish: Any) -> Simulation:
    """A run of a scene; said beforehand if a second of it takes steps beyond reason."""
    sim = Simulation(scene, **{**wish, "solver": choose.Wish(**wish).settled})
    if CARDS[sim.solver].has_steps:
        from carom.solvers.stepped.energy.cost import warn_of_work  # noqa: PLC0415  # Numba is not loaded before something runs

        warn_of_work(scene, sim.method, 1.0)
    return sim


def _check(command: str, arguments: dict[str, Any]) -> None:
    """Is there such a command, and does it take these arguments?"""
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
