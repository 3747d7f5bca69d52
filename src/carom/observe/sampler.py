"""The sampler: takes frames, collisions and observables of a run when they are due, and passes them on."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.frame import Frame
from carom.observe.observable import Observable, RunState, observable
from carom.observe.triggers import NEVER, UNREACHABLE_COUNT, Trigger
from carom.scene import Balls, Links, Scene
from carom.scene.fields.base import shown
from carom.solvers.collision_record import NOBODY

Floats = NDArray[np.float64]
Sample = dict[str, NDArray[np.float64]]
"""Values of observables by name."""


START_FIELDS = (
    "time", "collisions", "positions", "velocities", "turns", "masses", "radii",
    "kinetic_energy", "potential_energy", "energy", "momentum",
)  # fmt: skip
"""Attributes of a run that observables may read again when a run is resumed from a checkpoint."""


class Sink(Protocol):
    """The consumer of what a sampler takes."""

    def frame(self, frame: Frame, step: int, sample: Sample, bulk: tuple[Floats, Floats]) -> None:
        """Take a frame with the number of collisions so far, the sample, and the masses and radii."""

    def collided(self, rows: NDArray[Any]) -> None:
        """Take collisions, in order of time."""


class Sampler:
    """Takes samples of a run when its triggers are due. Balls keep the rows that they had at the start."""

    def __init__(
        self, triggers: Sequence[Trigger], observables: Sequence[Observable], *, events: bool, count: int
    ) -> None:
        self.triggers = tuple(triggers)
        self.observables = tuple(observables)
        self.events = events
        self.count = count
        """The number of rows of a frame."""
        self.rows: NDArray[np.intp] = np.arange(count)
        """The row of each present ball."""
        self.taken = [0 for _ in triggers]
        self.start, self.first = 0.0, 0
        self._scene: Scene | None = None
        """The scene at the start."""
        self._begun: StartState | None = None
        self.shapes: dict[str, tuple[int, ...]] = {}
        """The shape of the values of each observable, known after its first sample."""
        self._spread: tuple[Scene, Scene] | None = None
        """The scene of a run with removed balls, and the same scene padded to one row per ball."""

    # Times of samples.

    def begin(self, sim: RunState) -> None:
        """Start counting times and collisions now."""
        for trigger in self.triggers:
            trigger.check(sim.time)
        self.start, self.first, self._scene = sim.time, sim.collisions, sim.scene
        seen = self.seen(sim)
        self._begun = StartState.of(seen) if self.observables else None
        for each in self.observables:
            each.begin(seen)
        self._pass_over(sim)

    def _pass_over(self, sim: RunState) -> None:
        """Skip samples that were due before the start."""
        for k, trigger in enumerate(self.triggers):
            while trigger.due(self.start, self.first, self.taken[k])[0] < sim.time:
                self.taken[k] += 1

    def due(self) -> tuple[float, int]:
        """The time and the number of collisions at which the next sample is due, whichever comes first."""
        each = [t.due(self.start, self.first, k) for t, k in zip(self.triggers, self.taken, strict=True)]
        return min((time for time, _ in each), default=NEVER), min(
            (count for _, count in each), default=UNREACHABLE_COUNT
        )

    def is_due(self, sim: RunState) -> bool:
        """Is a sample due now?"""
        time, count = self.due()
        return sim.time >= time or sim.collisions >= count

    @property
    def wants_collisions(self) -> bool:
        """True if collisions are recorded or an observable needs them."""
        return self.events or any(each.wants_collisions for each in self.observables)

    # Samples.

    def take(self, sim: RunState, sink: Sink) -> None:
        """Take a sample, and count it for all triggers that were due."""
        self.tick_off(sim)
        seen = self.seen(sim)
        sink.frame(self.frame(sim), sim.collisions, self.sample(seen), (seen.masses, seen.radii))

    def tick_off(self, sim: RunState) -> None:
        """Count a sample taken now for all triggers that were due."""
        for k, trigger in enumerate(self.triggers):
            time, count = trigger.due(self.start, self.first, self.taken[k])
            while sim.time >= time or sim.collisions >= count:
                self.taken[k] += 1
                time, count = trigger.due(self.start, self.first, self.taken[k])

    def preview(self, sim: RunState) -> Sample:
        """The sample that would be taken now; the observables stay as they are."""
        seen = self.seen(sim)
        return {each.name: self._value(each.name, copy.deepcopy(each).sample(seen)) for each in self.observables}

    def sample(self, seen: RunState) -> Sample:
        """The present values of all observables."""
        return {each.name: self._value(each.name, each.sample(seen)) for each in self.observables}

    def _value(self, name: str, given: Any) -> NDArray[np.float64]:
        """A sample as numbers; its shape must be that of the first sample, as for a column of a file."""
        try:
            value = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise ArgumentError.of("sample.not-numbers", where="observables", name=name, value=shown(given)) from None
        shape = self.shapes.setdefault(name, value.shape)
        if value.shape != shape:
            shapes = {"shape": str(value.shape), "before": str(shape)}
            raise ArgumentError.of("sample.other-shape", where="observables", name=name, **shapes)
        return value

    def collided(self, rows: NDArray[Any], who: NDArray[np.intp], sink: Sink | None) -> None:
        """Take collisions that use the present indices of balls; `who` are the rows of these balls."""
        if not len(rows):
            return
        if len(who) < self.count:
            rows = rows.copy()  # the run counts present balls only
            for name in ("a", "b"):
                real = rows[name] != NOBODY
                rows[name][real] = who[rows[name][real]]
        for each in self.observables:
            if each.wants_collisions:
                each.collide(rows)
        if self.events and sink is not None:
            sink.collided(rows)

    def frame(self, sim: RunState) -> Frame:
        """A frame of the present state, by rows."""
        seen = self.seen(sim)
        around = any(getattr(seen.scene.boundary, "periodic", ()))
        look = getattr(sim, "look", None) if seen is sim else None
        x, v = look() if look else (seen.positions, seen.velocities)
        turns = seen.turns if around else None
        return Frame(sim.time, np.ascontiguousarray(x), np.ascontiguousarray(v), turns)

    def seen(self, sim: RunState) -> RunState:
        """The run with one row for each ball that existed at the start or since; NaN if it is absent now."""
        unborn = getattr(sim, "unborn", None)
        if len(self.rows) == self.count and (unborn is None or not unborn.any()):
            return sim
        return PaddedRun(sim, self._with_all(sim.scene), self.rows, self.count, unborn)

    def _with_all(self, scene: Scene) -> Scene:
        """The scene padded to one row per ball; removed balls appear as at the start, not fixed and without links."""
        if len(self.rows) == self.count or self._scene is None:
            return scene
        if self._spread is None or self._spread[0] is not scene:
            gone = np.setdiff1d(np.arange(self.count), self.rows)
            order = np.argsort(np.concatenate([self.rows, gone]))
            away = self._scene.balls[gone].replace(fixed=np.zeros(len(gone), bool))
            balls = Balls.concatenate([scene.balls, away])[order]
            links, bends = scene.links.renumbered(self.rows), scene.bends.renumbered(self.rows)
            changes: dict[str, Any] = {"balls": balls, "links": links, "bends": bends}
            if len(scene.triangles):
                changes["triangles"] = self.rows[scene.triangles]
            self._spread = (scene, scene.replace(**changes))
        return self._spread[1]

    # Edits.

    def check_row_count(self, count: int) -> None:
        """Raise an error if there are balls without a row."""
        if count > len(self.rows):
            raise ArgumentError.of("record.no-adding", where="record")

    def keep_only(self, stay: NDArray[np.intp]) -> None:
        """Drop the balls that were removed; `stay` are the previous indices of those that are left."""
        self.rows = self.rows[stay]

    # Checkpoints.

    def state(self) -> dict[str, NDArray[Any]]:
        """The state for a checkpoint."""
        own = {
            "taken": np.array(self.taken, np.int64),
            "rows": np.array(self.rows, np.int64),
            "count": np.array(self.count),
            "start": np.array(self.start),
            "first": np.array(self.first),
        }
        theirs = {f"{each.name}/{key}": value for each in self.observables for key, value in each.state().items()}
        begun = self._begun.state() if self._begun is not None else {}
        return {
            **own,
            **{f"begun/{key}": value for key, value in begun.items()},
            **{f"observable/{key}": value for key, value in theirs.items()},
        }

    def resume(self, sim: RunState, state: Mapping[str, NDArray[Any]], scene: Scene | None = None) -> None:
        """Restore a state from a checkpoint; `scene` is the scene at the start if it differs from the present one.

        Observables call `begin` again with what they read then: since, balls may have been removed or have grown.
        """
        self.count, self.rows = int(state["count"]), state["rows"].astype(np.intp)
        self.taken = [int(k) for k in state["taken"]]
        self.start, self.first = float(state["start"]), int(state["first"])
        self._scene = sim.scene if scene is None else scene
        if self.observables:
            self._begun = StartState(sim, self._scene, _within(state, "begun/"))
        for each in self.observables:
            each.begin(cast("RunState", self._begun))
            each.load(_within(state, f"observable/{each.name}/"))


def _within(state: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {key[len(prefix) :]: value for key, value in state.items() if key.startswith(prefix)}


@dataclass(frozen=True)
class StartState:
    """The run as observables read it at their start; what was not kept is read from the present run."""

    sim: Any
    scene: Scene
    kept: Mapping[str, NDArray[Any]]

    @classmethod
    def of(cls, seen: RunState) -> StartState:
        """Copy the attributes of a run that starts now."""
        kept = {name: np.array(getattr(seen, name)) for name in START_FIELDS}
        return cls(None, seen.scene, {**kept, "kinds": np.array(list(seen.collisions_by_kind.values()))})

    def state(self) -> dict[str, NDArray[Any]]:
        """The copied attributes, for a checkpoint."""
        return dict(self.kept)

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """The counts at the start."""
        return dict(zip(self.sim.collisions_by_kind, self.kept["kinds"].tolist(), strict=True))

    def __getattr__(self, name: str) -> Any:
        """An attribute as copied at the start, or else that of the run."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in START_FIELDS:
            value = self.kept[name]
            return value.item() if value.ndim == 0 else value
        return getattr(self.sim, name)


@dataclass(frozen=True)
class PaddedRun:
    """A run with removed balls, padded to one row per ball: the rows of absent balls hold NaN."""

    sim: Any
    scene: Scene
    """The present scene, padded to one row per ball."""
    rows: NDArray[np.intp]
    count: int
    unborn: NDArray[np.bool_] | None

    def _spread(self, values: NDArray[Any], nothing: float, *, bulk: bool = False) -> NDArray[Any]:
        out = np.full((self.count, *values.shape[1:]), nothing, values.dtype)
        out[self.rows] = values
        if self.unborn is not None and not bulk:
            out[self.rows[self.unborn]] = nothing
        return out

    @property
    def positions(self) -> Floats:
        """Positions by row, m."""
        return self._spread(self.sim.positions, np.nan)

    @property
    def velocities(self) -> Floats:
        """Velocities by row, m/s."""
        return self._spread(self.sim.velocities, np.nan)

    @property
    def turns(self) -> NDArray[np.int64]:
        """Image counts by row; 0 for absent balls."""
        return self._spread(self.sim.turns, 0)

    @property
    def masses(self) -> Floats:
        """Masses by row, kg; 0 for removed balls."""
        return self._spread(self.sim.masses, 0.0, bulk=True)

    @property
    def radii(self) -> Floats:
        """Radii by row, m; 0 for removed balls."""
        return self._spread(self.sim.radii, 0.0, bulk=True)

    @property
    def links(self) -> Links:
        """The unbroken links, between rows."""
        return self.sim.links.renumbered(self.rows)  # type: ignore[no-any-return]  # of a run

    def __getattr__(self, name: str) -> Any:
        """Attributes without rows, from the run."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.sim, name)


def observables_for(given: Any) -> list[Observable]:
    """The observables given as names, as instances, or as a list of both."""
    if isinstance(given, str | Observable):
        given = (given,)
    if not isinstance(given, Iterable):
        raise ArgumentError.of("observables.not-a-list", where="observables", value=shown(given))
    found = []
    for each in given:
        if isinstance(each, str):
            found.append(observable(each))
        elif isinstance(each, Observable):
            found.append(each)
        else:
            raise ArgumentError.of("observables.not-one", where="observables", value=shown(each))
    _check_names([each.name for each in found])
    return found


def _check_names(names: Sequence[Any]) -> None:
    """Refuse duplicates and names that are no identifiers: "a/b" would name a nested group of a file."""
    for name in names:
        if not name:
            raise ArgumentError.of("observables.nameless", where="observables")
        if not isinstance(name, str) or not name.isidentifier():
            raise ArgumentError.of("observable.bad-name", where="observables", name=shown(name))
        if names.count(name) > 1:
            raise ArgumentError.of("observables.twice", where="observables", name=repr(name))
