"""The engine: rows and tables built from a scene, and the ways to run them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import BlowUpError, ForceError, StepWarning
from carom.kernels.interrupts import PendingInterrupts, allow_interrupts, defer_interrupts
from carom.scene import Scene
from carom.solvers.collision_record import NOBODY, collision_record
from carom.solvers.pacing import Pace
from carom.solvers.registry import STEPPED
from carom.solvers.stepped import edit, loop, row_order, two_threads
from carom.solvers.stepped import state as stored
from carom.solvers.stepped.build import (
    PileSetup,
    bodies_for,
    coefficients_of,
    forces_of,
    pairs_of,
    pile_setup_of,
    scheme_of,
    sheet_of,
    walls_of,
)
from carom.solvers.stepped.bundles import Bodies, Partners, Task
from carom.solvers.stepped.energy.account import Account
from carom.solvers.stepped.energy.cost import warn_of_work
from carom.solvers.stepped.energy.watch import Watch, close_approach, is_astray
from carom.solvers.stepped.forces.custom import Force
from carom.solvers.stepped.forces.custom_call import extra_of
from carom.solvers.stepped.forces.linked_bodies import linked_of
from carom.solvers.stepped.forces.sum import Forces
from carom.solvers.stepped.glimpse import glimpse
from carom.solvers.stepped.integrators.method import Method
from carom.solvers.stepped.interactive import Hand, Steered
from carom.solvers.stepped.pile.memory import NEEDED, larger
from carom.solvers.stepped.reading import Glimpse
from carom.solvers.stepped.records import BLOWN, CROWDED, DONE, FAILED, FULL, NO_LIMIT, clock_record
from carom.solvers.stepped.regions.obstacles import contact_record
from carom.solvers.stepped.rows import State
from carom.thread_warnings import warn_caller

Floats = NDArray[np.float64]
Hook = Callable[[], object]
T = TypeVar("T")

PATIENCE = 10_000_000
"""Steps without a collision, on a run without an end in time, after which no collision is expected."""
CROWD = 8192
"""From this number of bodies that attract each other, a step may take so long that Ctrl-C must break it off."""


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
        self.start = self.mechanical_energy(0.0)
        self.pace = Pace(1.0)
        self.announced = False
        """Was it said that a run takes steps beyond reason?"""
        self.watch = Watch() if self.forces.attraction and not self.extra else None

    def __getstate__(self) -> dict[str, Any]:
        """All that a copy has: everything but the hooks, which act on the run that they were given to."""
        return {**self.__dict__, "hooks": Hooks()}

    def _build(self, state: State) -> None:
        """Make everything that kernels are called with."""
        scene = self.scene
        self.rows = state
        self.dim = (0,) * scene.dimension
        self.scheme = scheme_of(self.method)
        self.bodies = bodies_for(state, self.method)
        linked = linked_of(scene, state.row)
        self.forces = forces_of(scene, state, self.extra, linked)
        self.walls, self.wall_names, materials = walls_of(scene, state)
        self.coefficients = coefficients_of(scene, state, materials)
        self.pairs = pairs_of(scene, linked)
        self.cloth = sheet_of(scene, state)
        piled = self.method.contacts == "pile"
        self.pile_setup: PileSetup | tuple[()] = (
            pile_setup_of(scene, state, self.walls, self.cloth, self.coefficients, self.method.step, linked)
            if piled
            else ()
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
        """Make all steps that end by a time, or until `quota` more collisions are done; True if it may go on.

        Without a time, it ends after `PATIENCE` steps: none without a collision is expected to have one later.
        """
        clock = self.clock[0]
        clock["logged"] = 0
        goal = self.collisions + quota
        ahead = (until - self.origin) / self.method.step
        last = math.floor(ahead + 1e-9) if ahead < NO_LIMIT else int(clock["steps"]) + PATIENCE
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
        """Make `steps` steps or fewer, and listen for Ctrl-C when nothing is half done."""
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
            while not wait([doing], two_threads.HEARING).done:
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
            if made:  # steps that went well
                self._steps(made, goal, logs)
            raise

    def _look_at_energy(self, account: Account | None) -> None:
        """Warn, once, if the energy is wrong: in steps that are too long, bodies that come very close fly apart."""
        if account and self.watch and is_astray(account, piled=bool(self.pile_setup)):
            self.watch = None
            warn_caller(close_approach(account, self.time, self.method.step), StepWarning)

    def _make_room(self) -> None:
        """Give the pile memory for more contacts."""
        if self.pile_setup:
            room = 2 * int(self.pile_setup.pile.tally[NEEDED]) + 64
            self.pile_setup = self.pile_setup._replace(pile=larger(self.pile_setup.pile, len(self.rows.number), room))

    def room(self, collisions: int) -> int:
        """The length of a log for these collisions and a step more. Those without room are counted, but not told."""
        return collisions + 4 * len(self.rows.number) + 64

    def part(self, now: float, size: float) -> tuple[float, int]:
        """The end of a part of a run, in time and in collisions, for reports of progress on the way."""
        return now + size * self.method.step, NO_LIMIT

    @property
    def patience(self) -> float:
        """The time without a collision after which none is expected, s."""
        return PATIENCE * self.method.step

    def _steps(self, steps: int, goal: int, logs: NDArray[Any]) -> int:
        """Make steps at once, or one step in parts if there are hooks; gives why it stopped."""
        if row_order.is_useful(self):
            steps = min(steps, row_order.keep(self))
        if two_threads.shares_search(self):
            return two_threads.search(self, steps, goal, logs)
        if two_threads.shares_attraction(self):
            return two_threads.attract(self, steps, goal, logs)
        if not self.hooks:
            return self.make_steps(steps, goal, logs, loop.WHOLE)
        _call_all(self.hooks.before)
        while self.make_steps(1, goal, logs, loop.PREPARE) == CROWDED:
            self._make_room()
        try:
            _call_all(self.hooks.prepared)
        finally:  # whatever a hook does, the step is made to its end
            reason = self.make_steps(1, goal, logs, loop.FINISH)
        _call_all(self.hooks.after)
        return reason

    def make_steps(self, steps: int, goal: int, logs: NDArray[Any], part: int) -> int:
        """Let the kernel go on with the run."""
        self.forget()
        task = Task(self.method.step, steps, goal, part)
        return self.call(task, logs, clock=self.clock, bodies=self.bodies, forces=self.forces, setup=self.pile_setup)

    def call(
        self, task: Task, logs: NDArray[Any] | None = None, *,
        clock: NDArray[Any], bodies: Bodies, forces: Forces, setup: PileSetup | tuple[()],
    ) -> int:  # fmt: skip
        """Let the kernel make steps on this state, which may be a copy."""
        log = self._no_logs if logs is None else logs
        if self.walls and self.walls.notes.size != log.size:  # contacts with walls are noted if anyone listens
            self.walls = self.walls._replace(notes=np.zeros(log.size, contact_record))
        if setup:  # which holds on flat walls by itself
            setup = setup._replace(guarded=self.walls if len(setup.walls.parts) else (), cloth=self.cloth)
            partners = Partners(self.coefficients, (), (), (), setup)
        else:
            partners = Partners(self.coefficients, self.walls, self.pairs, self.cloth, ())
        scheme = self.scheme._replace(varying=self.varying, by_velocity=self.by_velocity)
        reason = int(loop.advance(self.dim, clock, bodies, forces, scheme, partners, log, task))
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
        before = self.mechanical_energy(self.time)
        self.extra = (*self.extra[:number], changed, *self.extra[number + 1 :])
        self.forces = self.forces._replace(extra=extra_of(self.extra))
        self.clock["fresh"] = 0
        self.forget()
        self.clock["work"] += self.mechanical_energy(self.time) - before

    @property
    def meets(self) -> bool:
        """Is there anything that a body can meet?"""
        return bool(self.walls or self.pairs or self.cloth or self.pile_setup)

    @property
    def varying(self) -> bool:
        """Do forces vary, so that they are asked for in each step? Uniform gravity alone does not."""
        f = self.forces
        return any(map(len, (f.springs, f.hinges, f.hands.k, f.attraction, f.extra.address))) or any(f.drag)

    @property
    def by_velocity(self) -> bool:
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
            self.make_steps(1, 0, self._no_logs, loop.LOOK)

    def _glimpse(self, s: float) -> Glimpse:
        return glimpse(self, s)

    # Keeping.

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the run needs to go on to the same bits; hooks and custom forces are not part of it."""
        return stored.state_of(self)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state of a run of the same scene and method; a `SolverError` if it does not fit."""
        stored.take(self, state)

    # Editing.

    def surviving(self, scene: Scene) -> Scene:
        """A scene without the links that have broken."""
        return edit.surviving(self, scene)

    def edited(self, scene: Scene, origin: NDArray[np.intp], now: float, *, around: bool) -> Engine:  # noqa: ARG002  # all is built anew
        """A run that goes on with another scene; steps are counted anew from now."""
        return edit.edited(self, Engine(scene, self.method, self.extra), origin, now)


def _call_all(hooks: Sequence[Hook]) -> None:
    """Call functions of the user."""
    with allow_interrupts():
        for hook in hooks:
            hook()
