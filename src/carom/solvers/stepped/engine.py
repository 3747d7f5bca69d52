"""The engine: rows and tables built from a scene, and the ways to run them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from carom.errors import BlowUpError, ForceError, StepWarning
from carom.kernels.interrupts import PendingInterrupts, allow_interrupts, defer_interrupts
from carom.scene import Scene
from carom.solvers.collision_record import NOBODY, collision_record
from carom.solvers.pacing import Pace
from carom.solvers.registry import STEPPED
from carom.solvers.stepped import build, loop
from carom.solvers.stepped import state as stored
from carom.solvers.stepped.attraction import tree
from carom.solvers.stepped.attraction.direct import Direct
from carom.solvers.stepped.build import (
    Heap,
    bodies_for,
    forces_of,
    heap_of,
    method_tables,
    pairs_of,
    setting_of,
    sheet_of,
    walls_of,
)
from carom.solvers.stepped.contacts import partners
from carom.solvers.stepped.contacts.partners import Pairs
from carom.solvers.stepped.energy.account import Account
from carom.solvers.stepped.energy.cost import warn_of_work
from carom.solvers.stepped.energy.watch import Watch, close_approach, is_astray
from carom.solvers.stepped.forces.custom import Force
from carom.solvers.stepped.forces.custom_call import extra_of
from carom.solvers.stepped.forces.linked_bodies import linked_of
from carom.solvers.stepped.forces.sum import Forces
from carom.solvers.stepped.glimpse import glimpse
from carom.solvers.stepped.integrators.method import Method, warn_if_unstable
from carom.solvers.stepped.integrators.moves import Bodies
from carom.solvers.stepped.integrators.stability import largest_stable_step
from carom.solvers.stepped.interactive import Hand, Steered
from carom.solvers.stepped.pile.memory import LOST, NEEDED, larger
from carom.solvers.stepped.reading import LOSSES, Glimpse
from carom.solvers.stepped.records import BLOWN, CROWDED, DONE, FAILED, FULL, clock_record
from carom.solvers.stepped.regions.obstacles import contact_record
from carom.solvers.stepped.rows import State
from carom.thread_warnings import warn_caller

Floats = NDArray[np.float64]
Hook = Callable[[], object]
T = TypeVar("T")

MANY = 2**62
LARGE = 4096
"""Bodies from which memory sets the pace, so that it pays to keep them in order."""
SORTING = 64
"""Steps between two sorts."""
PATIENCE = 10_000_000
"""Steps without a collision, on a run without an end in time, after which no collision is expected."""
CROWD = 8192
"""Bodies that attract each other from which on a step may take so long that Ctrl-C must break it off."""
HEARING = 0.1
"""Seconds after which who waits for other threads listens whether somebody pressed Ctrl-C."""


@dataclass
class Hooks:
    """What is called around a step: before it, when the move is prepared, and after it."""

    before: list[Hook] = field(default_factory=list)
    prepared: list[Hook] = field(default_factory=list)
    after: list[Hook] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.before or self.prepared or self.after)


class Engine(Steered):
    """A run of the stepped solver."""

    card = STEPPED
    whole = False
    """What breaks off a run may break off a step."""

    def __init__(self, scene: Scene, method: Method, forces: Sequence[Force] = ()) -> None:
        self.scene = scene
        self.method = method
        self.extra = tuple(forces)
        self.hooks = Hooks()
        self.clock = np.zeros(1, clock_record)
        self._no_logs = np.zeros(0, collision_record)
        self._build(State.of(scene))
        self.hands: dict[int, Hand] = {}
        self.driven: set[int] = set()
        self.start = self._mechanical(0.0)
        self.pace = Pace(1.0)
        self.announced = False
        """Was it said that a run takes steps beyond reason?"""
        self.watch = Watch() if self.forces.attraction and not self.extra else None

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: all but the hooks, which act on the run that they were given to."""
        return {**self.__dict__, "hooks": Hooks()}

    def _build(self, state: State) -> None:
        """Make everything that kernels are called with."""
        scene = self.scene
        self.rows = state
        self.dim = (0,) * scene.dimension
        self.tables = method_tables(self.method)
        self.bodies = bodies_for(state, self.method)
        linked = linked_of(scene, state.row)
        self.forces = forces_of(scene, state, self.extra, linked)
        self.walls, self.wall_names, materials = walls_of(scene, state)
        self.setting = setting_of(scene, state, materials)
        self.pairs = pairs_of(scene, linked)
        self.cloth = sheet_of(scene, state)
        piled = self.method.contacts == "pile"
        self.heap: Heap | tuple[()] = (
            heap_of(scene, state, self.walls, self.cloth, self.setting, self.method.step, linked) if piled else ()
        )
        self.clock["fresh"] = 0
        self.clock["bodies"] = np.searchsorted(state.born, self.time, side="right")

    # Running.

    def advance(
        self,
        until: float,
        quota: int,
        logs: NDArray[Any],
        reach: Callable[[], object] | None = None,  # noqa: ARG002  # a hook may run amid any step
    ) -> bool:
        """Make all steps that end by a time, or until so many more collisions are done; True if it may go on.

        Without a time, it ends after so many steps in which nobody met anything that nobody will.
        """
        clock = self.clock[0]
        clock["logged"] = 0
        goal = self.collisions + quota
        ahead = (until - self.origin) / self.method.step
        last = math.floor(ahead + 1e-9) if ahead < MANY else int(clock["steps"]) + PATIENCE
        reason = DONE
        try:
            while clock["steps"] < last and self.collisions < goal and reason != FULL:
                reason = self._slice(last - int(clock["steps"]), goal, logs)
        finally:
            self._translate(logs[: int(clock["logged"])])
        return reason == FULL or self.collisions >= goal

    def announce_work(self, until: float) -> None:
        """Warn, once, if a run to a time takes steps beyond reason."""
        if not self.announced:
            self.announced = warn_of_work(self.scene, self.method, until - self.time)

    def _slice(self, steps: int, goal: int, logs: NDArray[Any]) -> int:
        """Make some of so many steps, and listen for Ctrl-C when nothing is half done."""
        clock, watch = self.clock[0], self.watch
        first, known, began = int(clock["steps"]), int(clock["logged"]), perf_counter()
        size = min(steps, self.pace.whole, watch.left if watch else steps)
        make = partial(self._guarded if self.extra else self._steps, size, goal, logs)
        with defer_interrupts(stop_compiler=True) as pending:
            try:
                reason = self._breakable(pending, make, DONE) if self.lengthy else make()
            finally:
                self._name(logs[known : int(clock["logged"])])
            if reason == CROWDED:
                self._make_room()
            if reason == BLOWN:
                raise BlowUpError(int(self.rows.number[clock["culprit"]]), self.time, self.method.step)
            made = int(clock["steps"]) - first
            self.pace.learn(perf_counter() - began, full=made == self.pace.whole)
            if watch and watch.is_due(made):
                seen = partial(self.account, self.time)
                self._look_at_energy(self._breakable(pending, seen, None) if self.lengthy else seen())
        return reason

    @property
    def lengthy(self) -> bool:
        """Are there so many bodies that attract each other that a single step may take long?"""
        return bool(self.forces.attraction) and len(self.rows.number) > CROWD and not self.hooks

    def _breakable(self, pending: PendingInterrupts, work: Callable[[], T], broken: T) -> T:
        """Do work in another thread, while this one listens.

        Ctrl-C breaks off the sums over bodies; the state is that from before then, and the answer `broken`.
        """
        state, halted = stored.state_of(self), self.forces.attraction.halted
        with ThreadPoolExecutor(1) as thread:
            doing = thread.submit(work)
            while not wait([doing], HEARING).done:
                if pending.received:
                    halted[0] = 1
        if not halted[0]:
            return doing.result()
        halted[0] = 0
        stored.take(self, state)
        return broken

    def _guarded(self, steps: int, goal: int, logs: NDArray[Any]) -> int:
        """Make steps with custom forces; if one raises an error, the run stands at the end of the step before."""
        state = stored.state_of(self)
        first = int(self.clock["steps"][0])
        try:
            return self._steps(steps, goal, logs)
        except ForceError:
            made = int(self.clock["steps"][0]) - first
            stored.take(self, state)
            if made:  # and so many went well
                self._steps(made, goal, logs)
            raise

    def _look_at_energy(self, account: Account | None) -> None:
        """Say so, once, if the energy has gone astray: steps that are too long throw apart who comes very close."""
        if account and self.watch and is_astray(account, piled=bool(self.heap)):
            self.watch = None
            warn_caller(close_approach(account, self.time, self.method.step), StepWarning)

    def _make_room(self) -> None:
        """Give the pile memory for more contacts."""
        if self.heap:
            room = 2 * int(self.heap.pile.tally[NEEDED]) + 64
            self.heap = self.heap._replace(pile=larger(self.heap.pile, len(self.rows.number), room))

    def room(self, collisions: int) -> int:
        """How long a log must be for so many collisions: a step more. What finds no room is counted, but not told."""
        return collisions + 4 * len(self.rows.number) + 64

    def part(self, now: float, size: float) -> tuple[float, int]:
        """The end of a part of a run, in time and in collisions, for reports of progress on the way."""
        return now + size * self.method.step, MANY

    @property
    def patience(self) -> float:
        """The time without a collision after which none is expected, s."""
        return PATIENCE * self.method.step

    def _steps(self, steps: int, goal: int, logs: NDArray[Any]) -> int:
        """Make so many steps at once, or one step by parts where someone wants to be called between."""
        if self.sortable:
            done = int(self.clock["steps"][0])
            if done % SORTING == 0:
                self._sort()
            steps = min(steps, SORTING - done % SORTING)
        if self.pairs and self.pairs.other.size and not self.heap and not self.hooks:
            return self._in_two_threads(partial(self._search_together, goal=goal, logs=logs), steps, goal)
        if self.shares_attraction:
            return self._in_two_threads(partial(self._attract_together, goal=goal, logs=logs), steps, goal)
        if not self.hooks:
            return self._call(steps, goal, logs, loop.WHOLE)
        _call_all(self.hooks.before)
        while self._call(1, goal, logs, loop.PREPARE) == CROWDED:
            self._make_room()
        try:
            _call_all(self.hooks.prepared)
        finally:  # whatever a hook does, the step is made to its end
            reason = self._call(1, goal, logs, loop.FINISH)
        _call_all(self.hooks.after)
        return reason

    def _in_two_threads(self, step: Callable[[ThreadPoolExecutor], int], steps: int, goal: int) -> int:
        """Make steps of several calls, of which two threads do a part together; the bits are those of one.

        Another thread leads, and the first one listens: Ctrl-C stops the run after a whole step.
        """

        def lead() -> int:
            reason = DONE
            for _ in range(steps):
                reason = step(threads)
                if reason != DONE or self.collisions >= goal or pending.received:
                    break
            return reason

        with defer_interrupts() as pending, ThreadPoolExecutor(2) as threads:
            run = threads.submit(lead)
            while not wait([run], HEARING).done:
                pass
            return run.result()

    def _search_together(self, threads: ThreadPoolExecutor, goal: int, logs: NDArray[Any]) -> int:
        """A step in which two threads look for partners."""
        pairs, periods = cast("Pairs", self.pairs), self.forces.periods
        self._call(1, goal, logs, loop.PREPARE)
        n = int(self.clock["bodies"][0])
        half, ready = n // 2, pairs.ready
        if n > 1:
            partners.look_round(self.dim, self.method.step, self.clock[0], self.bodies, pairs)
            task = threads.submit(partners.search, self.dim, half, n, periods, pairs, pairs.other)
            ready[[partners.FOUND, partners.UP_TO]] = partners.search(self.dim, 0, half, periods, pairs, pairs.close)
            ready[[partners.FOUND_TOO, partners.UP_TO_TOO]] = task.result()
            ready[partners.HALF], ready[partners.SEARCHED] = half, 1
        return self._call(1, goal, logs, loop.FINISH)

    @property
    def shares_attraction(self) -> bool:
        """Is the sum over all pairs long enough for two threads, asked for once a step, and is there a second core?"""
        pull = self.forces.attraction
        once = self.method.integrator.kind in ("verlet", "stormer") and not self.heap and not self.hooks
        return bool(pull) and isinstance(pull, Direct) and pull.rest.size > 0 and once and build.CORES > 1

    def _attract_together(self, threads: ThreadPoolExecutor, goal: int, logs: NDArray[Any]) -> int:
        """A step in which two threads sum up the attraction; one alone sums in two parts too."""
        pull = self.forces.attraction
        self._call(1, goal, logs, loop.MEET)
        n = int(self.clock["bodies"][0])
        full = tree.line_up(self.dim, pull, self.bodies.place, self.bodies.accel, n)
        task = threads.submit(tree.sum_part, self.dim, pull, full, True)
        tree.sum_part(self.dim, pull, full, False)
        task.result()
        pull.ready[0] = 1
        return self._call(1, goal, logs, loop.PULL)

    @property
    def sortable(self) -> bool:
        """Is it worth while, and allowed, to put the bodies in order? Links and hands know them by their rows."""
        f = self.forces
        tied = bool(len(f.springs) or len(f.hinges) or len(f.hands.k) or len(self.cloth))
        return (
            not tied
            and not self.heap
            and len(self.pairs) > 0
            and len(self.rows.number) > LARGE
            and not self.rows.born.any()
        )

    def _sort(self) -> None:
        """Put the rows in the order of cells, so that neighbours are neighbours in memory.

        When, is told by the number of steps alone: the order in which pairs are met decides about bits.
        """
        state = self.rows
        x = state.place[:, : self.scene.dimension]
        edge = 4.0 * float(state.place[:, 3].max())
        spread = np.floor((x - x.min(axis=0)) / edge).astype(np.int64)
        order = np.lexsort(spread.T)
        for rows in (state.place, state.velocity, state.accel, state.turns, state.material, state.number):
            rows[:] = rows[order]
        for rows in (self.bodies.last, self.bodies.start):
            if len(rows):
                rows[:] = rows[order]

    def _call(self, steps: int, goal: int, logs: NDArray[Any], part: int) -> int:
        """Let the kernel go on with the run."""
        self.forget()
        state = self.rows
        return self.call(
            steps, goal, logs, part, clock=self.clock, bodies=self.bodies, born=state.born, turns=state.turns,
            forces=self.forces, heap=self.heap, step=self.method.step,
        )  # fmt: skip

    def call(
        self, steps: int, goal: int = MANY, logs: NDArray[Any] | None = None, part: int = loop.WHOLE, *,
        clock: NDArray[Any], bodies: Bodies, born: Floats, turns: NDArray[np.int64], forces: Forces,
        heap: Heap | tuple[()], step: float,
    ) -> int:  # fmt: skip
        """Let the kernel make steps on this state, which may be a copy."""
        told, tables, varying = self._no_logs if logs is None else logs, self.tables, self.varying
        if self.walls and self.walls.notes.size != told.size:  # contacts with walls are noted if anyone listens
            self.walls = self.walls._replace(notes=np.zeros(told.size, contact_record))
        flat = heap and not len(heap.walls.parts)
        walls: Any = () if flat else self.walls  # a pile holds on flat walls by itself
        reason = int(
            loop.advance(
                self.dim, clock, bodies, born, turns, forces, self.setting,
                varying, tables.stormer, tables.splitting, tables.tableau, self.rubbing,
                walls, self.pairs, self.cloth, heap, told, step, steps, goal, part,
            )
        )  # fmt: skip
        if reason == FAILED:
            self._tell_of_failure(bodies, int(clock["bodies"][0]), forces)
        return reason

    def _tell_of_failure(self, bodies: Bodies, n: int, forces: Forces) -> None:
        """A custom force raised an error."""
        number, t = int(forces.extra.failed[0]), float(forces.extra.failed[1])
        forces.extra.failed[:] = 0.0
        force = self.extra[number - 1]
        raise ForceError(force.name, t, force.reason(t, bodies.place[:n], bodies.velocity[:n], bodies.accel[:n]))

    def change_force(self, number: int, values: Mapping[str, Any]) -> None:
        """Give a custom force other values of its parameters; what that changes of the energy counts as work."""
        changed = self.extra[number](**values)
        before = self._mechanical(self.time)
        self.extra = (*self.extra[:number], changed, *self.extra[number + 1 :])
        self.forces = self.forces._replace(extra=extra_of(self.extra))
        self.clock["fresh"] = 0
        self.forget()
        self.clock["work"] += self._mechanical(self.time) - before

    @property
    def meets(self) -> bool:
        """Is there anything that a body can meet?"""
        return bool(self.walls or self.pairs or self.cloth or self.heap)

    @property
    def varying(self) -> bool:
        """Do forces vary, so that they are asked for in each step? Uniform gravity alone does not."""
        f = self.forces
        return any(map(len, (f.springs, f.hinges, f.hands.k, f.attraction, f.extra.address))) or any(f.drag)

    @property
    def rubbing(self) -> bool:
        """Do forces depend on velocity, or may they? For integrators that ask."""
        f = self.forces
        damped = bool(f.springs) and f.springs.c.size > 0
        return damped or any(f.drag) or len(f.hands.k) > 0 or len(f.extra.address) > 0

    def _name(self, logs: NDArray[Any]) -> None:
        """Rows into numbers of the scene: before the rows are put in order again."""
        for name in ("a", "b"):
            rows = logs[name]
            real = rows != NOBODY
            rows[real] = self.rows.number[rows[real]]

    def _translate(self, logs: NDArray[Any]) -> None:
        """Times since the origin into absolute ones, and the lower number first; in the order of time."""
        logs["time"] += self.origin
        swap = (logs["kind"] == 1) & (logs["b"] < logs["a"])
        logs["a"][swap], logs["b"][swap] = logs["b"][swap], logs["a"][swap].copy()
        logs["normal"][swap] *= -1.0
        logs[:] = logs[np.argsort(logs["time"], kind="stable")]

    def look_ahead(self) -> None:
        """Set the accelerations, if they are not those of the present places, to look along the path to come."""
        if not self.clock["fresh"][0]:
            self._call(0, 0, self._no_logs, loop.LOOK)

    def _glimpse(self, s: float) -> Glimpse:
        return glimpse(self, s)

    # Keeping.

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the run needs to go on to the same bits; hooks and forces of one's own are not part of it."""
        return stored.state_of(self)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state of a run of the same scene and method; a `SolverError` if it does not fit."""
        stored.take(self, state)

    # Editing.

    def surviving(self, scene: Scene) -> Scene:
        """A scene without the links that have broken."""
        springs = self.forces.springs
        if not springs or not np.isnan(springs.limit).any():
            return scene
        whole = np.ones(len(scene.links), bool)
        whole[springs.number[np.isnan(springs.limit)]] = False
        return scene.replace(links=scene.links[whole])

    def edited(self, scene: Scene, origin: NDArray[np.intp], now: float, *, around: bool) -> Engine:  # noqa: ARG002  # all is built anew
        """A run that goes on with another scene; steps are counted anew from now."""
        numbers = {int(k): new for new, k in enumerate(origin.tolist()) if k >= 0}
        grips = {numbers[k]: grip for k, grip in self.grips.items() if k in numbers}
        if largest_stable_step(scene, grips) < largest_stable_step(self.scene, self.grips):
            warn_if_unstable(scene, self.method, hands=grips)
        other = Engine(scene, self.method, self.extra)
        before, seen = self._mechanical(now), self.at(now)
        stay = origin >= 0
        here, there = self.rows.row[origin[stay]], other.rows.row[stay]
        other.rows.place[there, :3] = seen.place[here]
        other.rows.velocity[there, :3] = seen.velocity[here]
        other.rows.turns[there] = seen.turns[here]
        for name in ("ball_ball", "ball_wall", "ball_cloth", "broken", "work", *LOSSES):
            other.clock[name] = seen.clock[name]
        if other.heap:
            other.heap.pile.account[LOST] = seen.clock["contacts"][0]
        other.clock["begin"] = now
        other.clock["bodies"] = np.searchsorted(other.rows.born, now, side="right")
        other.hooks, other.start = self.hooks, self.start
        other.watch, other.announced = self.watch, self.announced
        other.driven = {numbers[k] for k in self.driven if k in numbers}
        other.rows.velocity[other.rows.row[list(other.driven)], 3] = 0.0
        other.steer({numbers[k]: hand for k, hand in self.hands.items() if k in numbers})
        other.clock["work"] += other._mechanical(now) - before
        return other


def _call_all(hooks: Sequence[Hook]) -> None:
    """Call functions of the user."""
    with allow_interrupts():
        for hook in hooks:
            hook()
