"""What a user holds in the hand: a scene, and its run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from carom import editing
from carom.errors import Problem, SceneError, SolverError
from carom.scene import Ball, Balls, Restitution, Scene
from carom.scene.base import shown
from carom.views.svg import MOST_BALLS, draw
from carom.world import placement
from carom.world.anchors import World

if TYPE_CHECKING:
    from carom.solvers.exact.engine import Engine

Floats = NDArray[np.float64]

BALL_BALL, BALL_WALL = "ball-ball", "ball-wall"


@dataclass(frozen=True)
class Collision:
    """A collision: when, who, where, and how hard."""

    time: float
    """s"""
    kind: str
    """"ball-ball" or "ball-wall"."""
    partners: tuple[int, ...]
    """The balls, by their numbers in the scene: two, or one that met a wall."""
    wall: str | None
    """What the wall is called: "x-", "edge 3", "corner 0", "hole 1", "obstacle 0 edge 2" …; None between balls."""
    place: tuple[float, ...]
    """The point of contact, m."""
    normal: tuple[float, ...]
    """Unit vector of the impulse that the first partner receives."""
    impulse: float
    """Its size, N s."""


@dataclass(frozen=True)
class Report:
    """What a run has to say beyond its results."""

    resting: tuple[int, ...]
    """Balls that rest on a wall."""
    softened: int
    """Collisions that followed another so fast that they counted as one long contact and lost nothing."""
    contact_time: float
    """The time within which that is so, s."""

    def __str__(self) -> str:
        if not self.resting and not self.softened:
            return "no ball rests, and no collision fell within the contact time"
        balls = "1 ball rests on a wall" if len(self.resting) == 1 else f"{len(self.resting)} balls rest on walls"
        fell = "1 collision" if self.softened == 1 else f"{self.softened} collisions"
        return f"{balls}; {fell} within the contact time of {self.contact_time:.3g} s, as parts of one long contact"


class Simulation:
    """A scene that runs.

    `run` goes on to a time or for a number of collisions; everything else reads. Reading never changes the motion.
    """

    def __init__(self, scene: Scene, *, check: bool = True, neighbours: str = "auto") -> None:
        """Begin at the scene's start.

        `check` looks for overlapping and misplaced balls first. `neighbours` is how partners are found ("cells",
        "lists", or "auto" for the faster): it changes the speed, and no bit of the motion.
        """
        if neighbours not in ("auto", "cells", "lists"):
            raise SceneError([Problem("neighbours", f"{neighbours!r} is unknown", "Use 'auto', 'cells' or 'lists'.")])
        if check:
            problems = placement.problems(scene)
            if problems:
                raise SceneError(problems)
        self._scene = scene
        self._neighbours = neighbours
        self._start(World.of(scene))
        self._time = 0.0

    def _start(self, world: World) -> None:
        from carom.solvers.exact.engine import Engine  # noqa: PLC0415  # Numba is not loaded before something runs

        self._engine: Engine = Engine(world, self._neighbours)

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

    def step(self) -> Collision | None:
        """Go on to the next collision, and give it; None if there will be no more."""
        return next(self.events(collisions=1), None)

    def events(self, until: float | None = None, collisions: int | None = None) -> Iterator[Collision]:
        """Run collision by collision; while each is looked at, the simulation stands just after it."""
        end, quota = self._goal(until, collisions)
        logs = self._blank_log(1)
        done = 0
        while done < quota and self._advance(end, 1, logs):
            done += 1
            yield self._collision(logs[0])

    def collide(self, until: float | None = None, collisions: int | None = None) -> NDArray[Any]:
        """Run, and give all collisions as one structured array: the fast way to have many.

        Its fields are time (s), kind (1 between balls, 2 with a wall), a and b (the balls), wall (a number), place,
        normal, impulse, and softened (1 if the collision fell within the contact time).
        """
        end, quota = self._goal(until, collisions)
        parts = []
        room = 65536
        while quota > 0:
            logs = self._blank_log(min(room, quota))
            before = self._engine.collisions
            self._advance(end, logs.size, logs)
            done = self._engine.collisions - before
            parts.append(logs[:done])
            quota -= done
            if done < logs.size:
                break
        return np.concatenate(parts) if parts else self._blank_log(0)

    def _goal(self, until: float | None, collisions: int | None) -> tuple[float, int]:
        if until is None and collisions is None:
            raise SceneError([Problem("run", "no end is given", "Say until=… (s) or collisions=….")])
        end: Any = np.inf if until is None else until
        if isinstance(end, bool) or not isinstance(end, int | float | np.integer | np.floating) or np.isnan(end):
            raise SceneError([Problem("until", f"{shown(until)} is not a time", "Give a number of seconds.")])
        if end < self._time:
            raise SceneError([Problem("until", f"{until} s is before now, {self._time} s", "Time only goes forward.")])
        count: Any = 2**62 if collisions is None else collisions
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            what = f"{shown(collisions)} is not a number of collisions"
            raise SceneError([Problem("collisions", what, "Use a whole number, 0 or more.")])
        return float(end), min(int(count), 2**62)

    def _advance(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        """Run; True if the quota was reached, so that time stands at the last collision."""
        engine = self._engine
        before = engine.collisions
        try:
            if quota > 0:
                engine.advance(end, quota, self._blank_log(0) if logs is None else logs)
        except SolverError:
            self._time = max(self._time, engine.time)  # as far as it came; the state there can be read
            raise
        if engine.collisions - before == quota:
            self._time = max(self._time, engine.time) if quota else self._time
            return True
        self._time = end if np.isfinite(end) else max(self._time, engine.time)
        return False

    def _advance_in_parts(self, end: float, quota: int, progress: Callable[[float], object]) -> None:
        """Run in parts that take a fraction of a second each, telling how far it is."""
        start, done = self._time, 0
        part = 1000
        while True:
            size = min(part, quota - done)
            reached = self._advance(end, size)
            done += size
            by_time = (self._time - start) / (end - start) if np.isfinite(end) and end > start else 0.0
            by_count = done / quota if quota < 2**62 else 0.0
            finished = not reached or done >= quota
            progress(1.0 if finished else min(1.0, max(by_time, by_count)))
            if finished:
                return
            part = min(2 * part, 200_000)

    # Reading.

    @property
    def scene(self) -> Scene:
        """What exists; the balls as they were at the start (or when they were last edited)."""
        return self._scene

    @property
    def time(self) -> float:
        """Now, s."""
        return self._time

    @property
    def collisions(self) -> int:
        """How many collisions there have been."""
        return self._engine.collisions

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """The same by kind."""
        clock = self._engine.clock[0]
        return {BALL_BALL: int(clock["ball_ball"]), BALL_WALL: int(clock["ball_wall"])}

    @property
    def positions(self) -> Floats:
        """Where the balls are, m: an array of N rows."""
        return self._engine.places(self._time)[:, : self._scene.dimension]

    @property
    def velocities(self) -> Floats:
        """How fast they are, m/s: an array of N rows."""
        return self._engine.velocities(self._time)[:, : self._scene.dimension]

    @property
    def masses(self) -> Floats:
        """Of each ball, kg."""
        return self._scene.balls.mass

    @property
    def radii(self) -> Floats:
        """Of each ball, m."""
        return self._scene.balls.radius

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many times each ball has gone round each periodic axis; places unwrapped are positions + turns × size."""
        return self._engine.turns[:, : self._scene.dimension].copy()

    @property
    def kinetic_energy(self) -> float:
        """Of all balls, J."""
        return float(0.5 * (self.masses * (self.velocities**2).sum(axis=1)).sum())

    @property
    def potential_energy(self) -> float:
        """Of gravity, zero at the origin of coordinates, J (fixed balls left out)."""
        moving = ~self._scene.balls.fixed
        return float(-(self.masses[moving] * (self.positions[moving] @ np.array(self._scene.gravity))).sum())

    @property
    def energy(self) -> float:
        """Kinetic and potential, J."""
        return self.kinetic_energy + self.potential_energy

    @property
    def momentum(self) -> Floats:
        """Of all balls, kg m/s."""
        return np.asarray((self.masses[:, None] * self.velocities).sum(axis=0))

    @property
    def upcoming(self) -> list[Collision]:
        """The next collision, with all that fall together with it, as if each came first; empty if there is none."""
        return [self._collision(each) for each in self._engine.next_together()]

    @property
    def resting(self) -> tuple[int, ...]:
        """The balls that rest on a wall."""
        engine = self._engine
        return tuple(sorted(int(k) for k in engine.movers[engine.balls["rest"] == 1]))

    @property
    def report(self) -> Report:
        """Who rests, and what the contact time has done."""
        return Report(self.resting, int(self._engine.clock["softened"][0]), self._engine.world.contact_time)

    def wall_name(self, wall: int) -> str:
        """What a wall is called that `collide` gives by its number."""
        return self._engine.world.walls.name(wall)

    def snapshot(self) -> Scene:
        """The scene as it is now, as the start of another run; `copy` is the same run."""
        balls = self._scene.balls
        now = Balls(
            position=self.positions,
            velocity=self.velocities,
            mass=balls.mass,
            radius=balls.radius,
            fixed=balls.fixed,
            material=balls.material,
            name=balls.name,
        )
        return self._scene.replace(balls=now)

    def copy(self) -> Simulation:
        """A second simulation in the same state, which goes its own way."""
        return copy.deepcopy(self)

    def _repr_svg_(self) -> str | None:
        """How a notebook shows it: a picture to scale, unless there are too many balls for one."""
        return draw(self, scale="fit") if len(self._scene.balls) <= MOST_BALLS else None

    def _blank_log(self, room: int) -> NDArray[Any]:
        from carom.solvers.exact.touch import collision_record  # noqa: PLC0415  # as above

        return np.zeros(room, collision_record)

    def _collision(self, entry: Any) -> Collision:
        d = self._scene.dimension
        between_balls = entry["kind"] == 1
        return Collision(
            time=float(entry["time"]),
            kind=BALL_BALL if between_balls else BALL_WALL,
            partners=(int(entry["a"]), int(entry["b"])) if between_balls else (int(entry["a"]),),
            wall=None if between_balls else self._engine.world.walls.name(int(entry["wall"])),
            place=tuple(entry["place"][:d].tolist()),
            normal=tuple(entry["normal"][:d].tolist()),
            impulse=float(entry["impulse"]),
        )

    # Editing.

    def add(self, balls: Ball | Balls | Sequence[Ball | Balls]) -> range:
        """Add balls, which are there from now on; gives their numbers."""
        count = len(self._scene.balls)
        self._edit(editing.addition(self._scene, balls))
        return range(count, len(self._scene.balls))

    def remove(self, indices: int | Sequence[int]) -> None:
        """Take balls out; those after them move up."""
        self._edit(editing.removal(self._scene, indices))

    def change(self, index: int, **changes: Any) -> None:
        """Change a ball from now on: position, velocity, mass, radius, material, fixed or name."""
        self._edit(editing.ball_change(self._scene, index, self._moment(), changes))

    def change_scene(self, **changes: Any) -> None:
        """Change what is not a ball from now on: boundary, obstacles, gravity, restitution, contact_time."""
        self._edit(editing.scene_change(self._scene, changes))

    def change_walls(self, restitution: float | Restitution | None = None, material: Any = None) -> None:
        """Change what the walls do, or what they are made of, from now on."""
        self._edit(editing.wall_change(self._scene, restitution, material))

    def _moment(self) -> editing.Moment:
        engine, now = self._engine, self._time
        return editing.Moment(engine.store(), engine.relative(now), engine.places(now), engine.velocities(now))

    def _edit(self, edit: editing.Edit) -> None:
        """Go on with what becomes of an edit; nothing is changed if that cannot be."""
        scene, world = edit.outcome(self._moment())
        self._start(world)
        self._scene = scene
