"""What a user holds in the hand: a scene, and its run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, SceneError, SolverWarning
from carom.kernels.progress import announce
from carom.observe.collisions import KINDS, Collision, CollisionArray, Report
from carom.scene import Ball, Balls, Restitution, Scene
from carom.scene.fields.base import shown
from carom.scene.fields.changes import BallChanges, BallsChanges, SurroundingsChanges
from carom.scene.io.find import scene_of
from carom.scene.placement import check as placement
from carom.simulation import edit as editing
from carom.simulation.keep import Keeping, walls_of
from carom.simulation.live_balls import BallIndex, Identities, LiveBalls, number_of, numbers_of
from carom.simulation.readonly import check_settable, shown_only
from carom.solvers import choose
from carom.solvers.collision_record import collision_record
from carom.thread_warnings import warn_caller
from carom.views.svg import MOST_BALLS, draw

if TYPE_CHECKING:
    from carom.solvers.protocol import Solver
    from carom.solvers.stepped.forces.custom import Force

Floats = NDArray[np.float64]

PART = 0.1
"""A part of a run between two reports of progress takes about so long, s."""
EVEN_COLLISIONS = 16
"""Thousands of collisions of an even part: some hundredths of a second."""
EVEN_STEPS = 100_000
"""Steps of an even part, times balls: about as long."""
MANY = 2**62
"""More collisions than any run will have."""


class Simulation(Keeping):
    """A scene that runs.

    `run` goes on to a time or for a number of collisions; everything else reads. Reading never changes the motion.
    """

    _walls_of: tuple[Solver | None, Sequence[str]] = (None, ())
    """A solver, and the names of its walls: there may be thousands."""

    def __init__(  # each is one choice, and has a default
        self,
        scene: Scene | str | Path,
        *,
        solver: choose.SolverChoice = "auto",
        step: float | None = None,
        integrator: str | None = None,
        contacts: choose.Contacts | None = None,
        forces: Sequence[Force] = (),
        check: bool = True,
        neighbours: choose.Neighbours = "auto",
    ) -> None:
        """Begin at the scene's start.

        scene       what exists; or the name of a scene of the library, or the path of a scene file.
        solver      "exact", "stepped", or "auto": the exact one wherever it applies, but the stepped one for balls
                    that fall, lose energy, and so come to rest on each other.
        step        of the stepped solver, s; a sensible one if left out. A `SolverWarning` says so where a step, an
                    integrator or contacts make it do a scene that the exact one could; not where solver is said.
        integrator  of the stepped solver: "verlet" if left out; `carom solvers` lists them.
        contacts    how balls meet in steps: "impacts" (each at its instant; energy is exact at e = 1), "pile" (for
                    balls that come to rest on each other), or "auto".
        forces      of one's own, made with `carom.force`.
        check       looks for overlapping and misplaced balls first.
        neighbours  how the exact solver finds partners ("cells", "lists", or "auto" for the faster): it changes the
                    speed, and no bit of the motion.
        """
        announce()
        scene = scene_of(scene)
        given: Any = forces
        own = tuple(given) if isinstance(given, Iterable) else (given,)
        wish = choose.Wish(solver, step, integrator, contacts, own, neighbours)
        chosen = choose.solver_for(scene, wish)
        if switch := choose.switched(scene, wish):
            message = (
                f"the run goes in steps because of {' and '.join(switch)}; the exact solver could do this scene. "
                "Leave that out for exact collisions, or say solver='stepped' (--solver stepped)."
            )
            warn_caller(message, SolverWarning)
        if check:
            problems = placement.problems(scene)
            if problems:
                raise SceneError(problems)
        self._scene = scene
        self._identities = Identities.of(len(scene.balls))
        self._wish = wish
        self._solver: Solver = choose.start(scene, chosen, wish)
        self._time = 0.0

    # Running.

    def run(
        self,
        until: float | None = None,
        collisions: int | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> Self:
        """Go on to the time `until` (s), or for so many more `collisions`, whichever comes first.

        `progress` is called now and then with the part that is done, from 0 to 1.
        """
        end, quota = self._goal(until, collisions)
        if progress is None:
            self._advance(end, quota)
        else:
            self._advance_in_parts(end, quota, progress)
        return self

    def advance(self, dt: float) -> Self:
        """Go on by dt seconds, as a picture at any rate of frames asks for: steps keep their own size."""
        return self.run(until=self._time + _time("dt", dt))

    def step(self) -> Collision | None:
        """Go on to the next collision, and give it; None if there will be no more."""
        return next(self.events(collisions=1), None)

    def events(self, until: float | None = None, collisions: int | None = None) -> Iterator[Collision]:
        """Run collision by collision; while each is looked at, the simulation stands just after it.

        The stepped solver stands at the end of the step, which may have several, and ends with a whole step.
        """
        end, quota = self._goal(until, collisions)
        logs = self._blank_log(self._solver.room(1))
        while quota > 0:
            before = self._solver.collisions
            on = self._advance(end, 1, logs)
            done = self._solver.collisions - before
            for entry in logs[:done].copy():
                yield self._collision(entry)
            if not on:
                return
            quota -= done

    def collide(self, until: float | None = None, collisions: int | None = None) -> CollisionArray:
        """Run, and give all collisions as one structured array: the fast way to have many.

        Its fields are time (s), kind (1 between balls, 2 with a wall, 3 with a cloth), a and b (the balls), wall (a
        number), place, normal, impulse, and softened (1 if the collision fell within the contact time). `to_pandas`
        makes a table with words and names of them.
        """
        end, quota = self._goal(until, collisions)
        parts = []
        on = True
        while on and quota > 0:
            logs = self._blank_log(self._solver.room(min(65536, quota)))
            before = self._solver.collisions
            on = self._advance(end, min(quota, logs.size), logs)
            done = self._solver.collisions - before
            parts.append(logs[:done])
            quota -= done
        rows = np.concatenate(parts) if parts else self._blank_log(0)
        return CollisionArray.of(rows, self._scene.dimension, self._wall_names)

    def _goal(self, until: float | None, collisions: int | None) -> tuple[float, int]:
        if until is None and collisions is None:
            raise ArgumentError.of("run.no-end", where="run")
        self._between_steps("run")
        end = np.inf if until is None else _time("until", until)
        if end < self._time:
            raise ArgumentError.of("run.before-now", where="until", until=until, now=self._time)
        count: Any = MANY if collisions is None else collisions
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ArgumentError.of("run.collisions", where="collisions", value=shown(collisions))
        if self._solver.name == "stepped":
            self._stepped("run").announce_work(end)
        return end, min(int(count), MANY)

    def _advance(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        """Run; True if it stopped before the end, so that time stands at the last collision (or step)."""
        if quota == 0:
            return True
        if self._recording is not None:
            return self._advance_recorded(end, quota, logs, self._recording)
        if self._recorder is not None:
            self._recorder.warn()
        return self._advance_freely(end, quota, logs)

    def _advance_freely(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        """The same, with nobody who records."""
        solver = self._solver
        before = solver.collisions
        if self._scene.attraction is not None and self._scene.attraction.touch == "merge":
            return self._advance_merging(end, quota, logs)
        early = self._go_on(end, quota, self._blank_log(0) if logs is None else logs)
        if early or solver.collisions - before >= quota:
            self._time = max(self._time, solver.time)
            return True
        self._time = end if np.isfinite(end) else max(self._time, solver.time)
        return False

    def _go_on(self, end: float, quota: int, logs: NDArray[Any]) -> bool:
        """Let the solver run; if it cannot or may not go on, time is as far as it came, and its state can be read."""
        try:
            if self._solver.name == "exact":
                return self._exact.advance(end, quota, logs, self._reach)
            return self._solver.advance(end, quota, logs)
        except BaseException:
            self._time = max(self._time, self._solver.time)
            raise

    def _reach(self) -> None:
        """Nothing is half done: tell progress."""
        self._time = max(self._time, self._solver.time)
        if self._beat is not None:
            self._beat()

    def _advance_merging(self, end: float, quota: int, logs: NDArray[Any] | None) -> bool:
        """Run step by step of collisions, each of which makes one ball of two."""
        before = self._solver.collisions
        while self._solver.collisions - before < quota:
            log, count = self._blank_log(self._solver.room(1)), self._solver.collisions
            self._go_on(end, 1, log)
            log = log[: self._solver.collisions - count]
            if not len(log):
                self._time = end if np.isfinite(end) else max(self._time, self._solver.time)
                return False
            if logs is not None:
                logs[count - before : count - before + len(log)] = log
            self._time = max(self._time, self._solver.time)
            pairs = np.stack([log["a"], log["b"]], axis=1)[log["kind"] == 1].astype(np.intp)
            if len(pairs):
                work = self.account.work
                self._edit(*editing.merger(self._surviving(), pairs, self._moment()))
                self._stepped("merge").count_as_merging(work)
        return True

    def run_evenly(
        self, until: float | None, collisions: int | None, progress: Callable[[float], object] | None
    ) -> None:
        """Run, and tell progress in parts of equal size by the scene alone: no clock has a say in what happens.

        Where the run is followed, progress is told with each sample too.
        """
        end, quota = self._goal(until, collisions)
        if progress is None:
            self._advance(end, quota)
            return
        size = EVEN_COLLISIONS if self.solver == "exact" else max(1, EVEN_STEPS // max(1, len(self._scene.balls)))
        start, before = self._time, self._solver.collisions
        self._heartbeat = lambda: progress(self._reached(start, end, before, quota))
        try:
            self._advance_in_parts(end, quota, progress, even=float(size))
        finally:
            del self._heartbeat

    def _reached(self, start: float, end: float, before: int, quota: int) -> float:
        """The part that is done, from 0 to 1."""
        by_time = (self._time - start) / (end - start) if np.isfinite(end) and end > start else 0.0
        by_count = (self._solver.collisions - before) / quota if 0 < quota < MANY else 0.0
        return min(1.0, max(by_time, by_count))

    def _advance_in_parts(
        self, end: float, quota: int, progress: Callable[[float], object], even: float | None = None
    ) -> None:
        """Run in parts that take a fraction of a second each (or are even), telling how far it is.

        Within a part that takes longer, it is told too.
        """
        start, before = self._time, self._solver.collisions
        self._beat = lambda: progress(self._reached(start, end, before, quota))
        try:
            self._advance_part_by_part(end, quota, progress, even)
        finally:
            del self._beat

    def _advance_part_by_part(
        self, end: float, quota: int, progress: Callable[[float], object], even: float | None
    ) -> None:
        start, goal = self._time, self._solver.collisions + quota
        part, last, met = even or 1.0, self._time, self._solver.collisions
        while True:
            began = perf_counter()
            stop, count = self._solver.part(self._time, part)
            on = self._advance(min(end, stop), min(count, goal - self._solver.collisions))
            done = quota - (goal - self._solver.collisions)
            if self._solver.collisions > met:
                last, met = self._time, self._solver.collisions
            given_up = not np.isfinite(end) and self._time - last >= self._solver.patience
            finished = done >= quota or (not on and stop >= end) or given_up
            progress(1.0 if finished else self._reached(start, end, goal - quota, quota))
            if finished:
                return
            if even is None:
                part *= 2.0 if perf_counter() - began < PART else 0.5

    # Reading.

    @property
    def scene(self) -> Scene:
        """What exists; the balls as they were at the start (or when they were last edited)."""
        return self._scene

    @property
    def solver(self) -> str:
        """Which solver runs it: "exact" or "stepped"."""
        return self._solver.name

    @property
    def time(self) -> float:
        """Now, s."""
        return self._time

    @property
    def collisions(self) -> int:
        """How many collisions there have been."""
        return self._solver.collisions

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """The same by kind."""
        return self._solver.collisions_by_kind

    @property
    def balls(self) -> LiveBalls:
        """The balls as they are now: `balls[3]`, `balls["cue"]`, or one by one. What it gives stays with its ball."""
        return LiveBalls(self)

    def __len__(self) -> int:
        """How many balls there are."""
        return len(self._scene.balls)

    def __bool__(self) -> bool:
        """True, also without balls."""
        return True

    @property
    def positions(self) -> Floats:
        """Where the balls are, m: an array of N rows, to be read only; `change` moves a ball."""
        return shown_only(self._solver.places(self._time)[:, : self._scene.dimension], "positions")

    @property
    def velocities(self) -> Floats:
        """How fast they are, m/s: an array of N rows, to be read only; `change` gives a ball another velocity."""
        return shown_only(self._solver.velocities(self._time)[:, : self._scene.dimension], "velocities")

    @property
    def forces(self) -> Floats:
        """On the balls, N: an array of N rows. What they bear at contacts is not in it."""
        accelerations = self._solver.accelerations(self._time)[:, : self._scene.dimension]
        return shown_only(self._scene.balls.mass[:, None] * accelerations, "forces")

    @property
    def masses(self) -> Floats:
        """Of each ball, kg."""
        return shown_only(self._scene.balls.mass, "masses")

    @property
    def radii(self) -> Floats:
        """Of each ball, m."""
        return shown_only(self._scene.balls.radius, "radii")

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many times each ball has gone round each periodic axis; places unwrapped are positions + turns × size."""
        return shown_only(self._solver.turns[:, : self._scene.dimension].copy(), "turns")

    @property
    def kinetic_energy(self) -> float:
        """Of all balls that are born, J."""
        return float(0.5 * (self._masses_there * (self.velocities**2).sum(axis=1)).sum())

    @property
    def potential_energy(self) -> float:
        """Of all forces, J; that of gravity is zero at the origin of coordinates (fixed balls left out)."""
        return float(sum(self._solver.potential(self._time).values()))

    @property
    def energy(self) -> float:
        """Kinetic and potential, J."""
        return self.kinetic_energy + self.potential_energy

    @property
    def momentum(self) -> Floats:
        """Of all balls that are born, kg m/s."""
        return shown_only((self._masses_there[:, None] * self.velocities).sum(axis=0), "momentum")

    @property
    def _masses_there(self) -> Floats:
        """Masses, kg; 0 of those that are not born yet."""
        masses = self._scene.balls.mass
        return np.where(self._stepped("births").born, masses, 0.0) if self._scene.balls.born.any() else masses

    @property
    def upcoming(self) -> list[Collision]:
        """The next collision, with all that fall together with it, as if each came first; empty if there is none."""
        return [self._collision(each) for each in self._solver.next_together()]

    @property
    def resting(self) -> tuple[int, ...]:
        """The balls that rest: on a wall, or in steps, all that do not move at all."""
        return self._solver.resting

    @property
    def report(self) -> Report:
        """Who rests, and what the contact time has done."""
        return Report(self.resting, self._solver.softened, self._solver.contact_time)

    def wall_name(self, wall: int) -> str:
        """What a wall is called that `collide` gives by its number."""
        return self._solver.wall_name(wall)

    @property
    def _wall_names(self) -> Sequence[str]:
        """What all walls are called, by their numbers."""
        if self._walls_of[0] is not self._solver:
            self._walls_of = (self._solver, walls_of(self._solver))
        return self._walls_of[1]

    def snapshot(self) -> Scene:
        """The scene as it is now, as the start of another run; `copy` is the same run.

        Births to come are counted from now. Hands, motors, hooks and forces of one's own are not part of a scene.
        """
        velocities = np.where(self._scene.balls.fixed[:, None], 0.0, self.velocities)  # a fixed one may be driven
        born = np.maximum(self._scene.balls.born - self._time, 0.0)
        now = self._scene.balls.replace(position=self.positions, velocity=velocities, born=born)
        return self._surviving().replace(balls=now)

    def copy(self) -> Simulation:
        """A second simulation in the same state, which goes its own way; hooks stay with the first."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        name = f" of {self._scene.name}" if self._scene.name else ""
        balls = f"{len(self)} ball{'' if len(self) == 1 else 's'} in {self._scene.dimension}D"
        met = f"{self.collisions} collision{'' if self.collisions == 1 else 's'}"
        return f"<Simulation{name}: {balls}, {self.solver}, t = {self._time:.6g} s, {met}>"

    def __setattr__(self, name: str, value: Any) -> None:
        check_settable(type(self), name)
        super().__setattr__(name, value)

    def _repr_svg_(self) -> str | None:
        """How a notebook shows it: a picture to scale, unless there are too many balls for one."""
        return draw(self, scale="fit") if len(self._scene.balls) <= MOST_BALLS else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:  # noqa: ARG002  # as notebooks call it
        """How a notebook shows it: a live widget where one can be, and always a picture."""
        notebook: Any = import_module("carom.notebook")  # a later stage, known by name alone
        return notebook.bundle(self)

    def _blank_log(self, room: int) -> NDArray[Any]:
        return np.zeros(room, collision_record)

    def _collision(self, entry: Any) -> Collision:
        d = self._scene.dimension
        kind = KINDS[int(entry["kind"])]
        a, b = int(entry["a"]), int(entry["b"])
        return Collision(
            time=float(entry["time"]),
            kind=kind,
            partners=(a, b) if kind == "ball-ball" else (a,),
            wall=self._solver.wall_name(int(entry["wall"])) if kind == "ball-wall" else None,
            place=tuple(entry["place"][:d].tolist()),
            normal=tuple(entry["normal"][:d].tolist()),
            impulse=float(entry["impulse"]),
        )

    # Editing.

    def add(self, balls: Ball | Balls | Sequence[Ball | Balls]) -> range:
        """Add balls, which are there from now on; gives their numbers."""
        count = len(self._scene.balls)
        self._edit(editing.addition(self._surviving(), balls))
        return range(count, len(self._scene.balls))

    def remove(self, indices: BallIndex | Sequence[BallIndex]) -> None:
        """Take balls out; those after them move up. Handles from `balls` stay with their balls."""
        self._edit(editing.removal(self._surviving(), numbers_of(self, indices)))

    def change(self, index: BallIndex, **changes: Unpack[BallChanges]) -> None:
        """Change a ball from now on: position, velocity, mass, radius, material, fixed or name.

        The ball is named by its number, its name, or a handle from `balls`.
        """
        self._edit(editing.ball_change(self._surviving(), self._number(index), self._moment(), dict(changes)))

    def change_balls(self, indices: Sequence[BallIndex], **columns: Unpack[BallsChanges]) -> None:
        """Change many balls at once, so that they do not stand in each other's way.

        The columns are those of `Balls`; each is one value for all, or one for each in the order of the indices.
        """
        numbers = numbers_of(self, indices)
        self._edit(editing.balls_change(self._surviving(), numbers, self._moment(), dict(columns)))

    def change_scene(self, **changes: Unpack[SurroundingsChanges]) -> None:
        """Change what is not a ball from now on: boundary, obstacles, gravity, friction, links and so on."""
        self._edit(editing.scene_change(self._surviving(), dict(changes)))

    def change_walls(self, restitution: float | Restitution | None = None, material: Any = None) -> None:
        """Change what the walls do, or what they are made of, from now on."""
        self._edit(editing.wall_change(self._surviving(), restitution, material))

    @property
    def identities(self) -> Identities:
        """Which ball is which: for `balls`."""
        return self._identities

    def _number(self, index: BallIndex) -> int:
        return number_of(self, index)

    def _moment(self) -> editing.Moment:
        return editing.Moment(self._solver.places(self._time), self._solver.velocities(self._time))

    def _edit(self, edit: editing.Edit, stay: NDArray[np.intp] | None = None) -> None:
        """Go on with what becomes of an edit; nothing is changed if that cannot be. `stay` tells who is left."""
        self._between_steps("an edit")
        self._check_edit(edit, stay)
        scene = edit.present(self._moment(), self._surviving() if self.solver == "stepped" else None)
        recorder, left = self._recording, self._left(edit) if stay is None else stay
        solver = self._solver.edited(edit.scene, edit.origin, self._time, around=edit.around)
        try:
            self._solver, self._scene, self._identities = solver, scene, self._identities.after(left)
            if recorder is not None:
                recorder.keep_only(left)
                if stay is None and solver.name == "stepped":
                    recorder.note_edit()  # by hand, and not by a law that brings it again
        except BaseException:
            if recorder is not None:
                recorder.invalidate()
            raise


def _time(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or np.isnan(value):
        raise ArgumentError.of("time.not-a-time", where=where, value=shown(value))
    return float(value)
