"""The sampler: takes frames, collisions and observables of a run as they fall due, and hands them on."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.observe.frame import Frame
from carom.observe.observable import Moment, Observable, observable
from carom.observe.triggers import MANY, NEVER, Trigger
from carom.scene import Balls, Links, Scene
from carom.scene.fields.base import shown
from carom.solvers.collision_record import NOBODY

Floats = NDArray[np.float64]
Sample = dict[str, NDArray[np.float64]]
"""Values of observables by name."""


KEPT = (
    "time", "collisions", "positions", "velocities", "turns", "masses", "radii",
    "kinetic_energy", "potential_energy", "energy", "momentum",
)  # fmt: skip
"""What is kept of the moment at which observables begin."""


class Sink(Protocol):
    """Who keeps what a sampler takes."""

    def frame(self, frame: Frame, step: int, sample: Sample, bulk: tuple[Floats, Floats]) -> None:
        """An instant, the collisions up to it, what was measured, and the masses and radii."""

    def collided(self, rows: NDArray[Any]) -> None:
        """Collisions, in order."""


class Sampler:
    """What is taken of a run, and when. Balls keep the rows that they had when it began."""

    def __init__(
        self, triggers: Sequence[Trigger], observables: Sequence[Observable], *, events: bool, count: int
    ) -> None:
        self.triggers = tuple(triggers)
        self.observables = tuple(observables)
        self.events = events
        self.count = count
        """Rows of a frame."""
        self.rows: NDArray[np.intp] = np.arange(count)
        """Of each ball that there is, its row."""
        self.taken = [0 for _ in triggers]
        self.start, self.first = 0.0, 0
        self._scene: Scene | None = None
        """When it began."""
        self._begun: Begun | None = None
        self.shapes: dict[str, tuple[int, ...]] = {}
        """Of the values of observables, as far as they are known: they stay the same."""
        self._spread: tuple[Scene, Scene] | None = None
        """The scene of a run in which balls are missing, and the same with a row for each."""

    # When.

    def begin(self, sim: Moment) -> None:
        """Let it count from here."""
        for trigger in self.triggers:
            trigger.check(sim.time)
        self.start, self.first, self._scene = sim.time, sim.collisions, sim.scene
        seen = self.seen(sim)
        self._begun = Begun.of(seen) if self.observables else None
        for each in self.observables:
            each.begin(seen)
        self._pass_over(sim)

    def _pass_over(self, sim: Moment) -> None:
        """Leave out what fell due before the start."""
        for k, trigger in enumerate(self.triggers):
            while trigger.due(self.start, self.first, self.taken[k])[0] < sim.time:
                self.taken[k] += 1

    def due(self) -> tuple[float, int]:
        """The time, and the number of collisions, of which whichever comes first calls for the next sample."""
        each = [t.due(self.start, self.first, k) for t, k in zip(self.triggers, self.taken, strict=True)]
        return min((time for time, _ in each), default=NEVER), min((count for _, count in each), default=MANY)

    def is_due(self, sim: Moment) -> bool:
        """Is a sample due now?"""
        time, count = self.due()
        return sim.time >= time or sim.collisions >= count

    @property
    def wants_collisions(self) -> bool:
        """Does anyone want to know of each collision?"""
        return self.events or any(each.wants_collisions for each in self.observables)

    # What.

    def take(self, sim: Moment, sink: Sink) -> None:
        """Take a sample, and count it for all triggers that called for it."""
        self.tick_off(sim)
        seen = self.seen(sim)
        sink.frame(self.frame(sim), sim.collisions, self.sample(seen), (seen.masses, seen.radii))

    def tick_off(self, sim: Moment) -> None:
        """Count a sample of now for all triggers that called for it."""
        for k, trigger in enumerate(self.triggers):
            time, count = trigger.due(self.start, self.first, self.taken[k])
            while sim.time >= time or sim.collisions >= count:
                self.taken[k] += 1
                time, count = trigger.due(self.start, self.first, self.taken[k])

    def trial(self, sim: Moment) -> Sample:
        """What a sample would be now; nobody remembers that it was taken."""
        seen = self.seen(sim)
        return {each.name: self._value(each.name, copy.deepcopy(each).sample(seen)) for each in self.observables}

    def sample(self, seen: Moment) -> Sample:
        """What the observables measure now."""
        return {each.name: self._value(each.name, each.sample(seen)) for each in self.observables}

    def _value(self, name: str, given: Any) -> NDArray[np.float64]:
        """A sample as numbers, in the shape that the first one had: a column of a file holds no others."""
        try:
            value = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            remedy = "Let sample() give a number, or an array of numbers."
            raise ArgumentError([Problem("observables", f"{name} gave {shown(given)}", remedy)]) from None
        shape = self.shapes.setdefault(name, value.shape)
        if value.shape != shape:
            what = f"{name} gave an array of shape {value.shape}, and before that one of shape {shape}"
            remedy = "Let sample() give the same shape each time, with NaN for what is not there."
            raise ArgumentError([Problem("observables", what, remedy)])
        return value

    def collided(self, rows: NDArray[Any], who: NDArray[np.intp], sink: Sink | None) -> None:
        """Take collisions, which name balls by the numbers that they had when their rows were `who`."""
        if not len(rows):
            return
        if len(who) < self.count:
            rows = rows.copy()  # who runs knows the balls by their numbers of now
            for name in ("a", "b"):
                real = rows[name] != NOBODY
                rows[name][real] = who[rows[name][real]]
        for each in self.observables:
            if each.wants_collisions:
                each.collide(rows)
        if self.events and sink is not None:
            sink.collided(rows)

    def frame(self, sim: Moment) -> Frame:
        """The instant, by rows."""
        seen = self.seen(sim)
        around = any(getattr(seen.scene.boundary, "periodic", ()))
        look = getattr(sim, "look", None) if seen is sim else None
        x, v = look() if look else (seen.positions, seen.velocities)
        turns = seen.turns if around else None
        return Frame(sim.time, np.ascontiguousarray(x), np.ascontiguousarray(v), turns)

    def seen(self, sim: Moment) -> Moment:
        """The run with a row for each ball that there ever was since the beginning, NaN if it is not there."""
        unborn = getattr(sim, "unborn", None)
        if len(self.rows) == self.count and (unborn is None or not unborn.any()):
            return sim
        return Spread(sim, self._with_all(sim.scene), self.rows, self.count, unborn)

    def _with_all(self, scene: Scene) -> Scene:
        """The scene with a row for each ball; those that are gone are as they were at first, and hold nobody."""
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

    def check_room(self, count: int) -> None:
        """Refuse balls that have no row."""
        if count > len(self.rows):
            remedy = "Close the recording first, or begin with them and give them a time of birth (born=…)."
            raise ArgumentError([Problem("record", "balls cannot be added while a run is being recorded", remedy)])

    def survive(self, stay: NDArray[np.intp]) -> None:
        """Only these balls are left, by their numbers before."""
        self.rows = self.rows[stay]

    # Checkpoints.

    def state(self) -> dict[str, NDArray[Any]]:
        """All that it needs to go on."""
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

    def resume(self, sim: Moment, state: Mapping[str, NDArray[Any]], scene: Scene | None = None) -> None:
        """Go on from there; `scene` is that of the beginning, if it was another one.

        Observables begin once more with what they saw when they began: by now, balls may be gone or have grown.
        """
        self.count, self.rows = int(state["count"]), state["rows"].astype(np.intp)
        self.taken = [int(k) for k in state["taken"]]
        self.start, self.first = float(state["start"]), int(state["first"])
        self._scene = sim.scene if scene is None else scene
        if self.observables:
            self._begun = Begun(sim, self._scene, _within(state, "begun/"))
        for each in self.observables:
            each.begin(cast("Moment", self._begun))
            each.load(_within(state, f"observable/{each.name}/"))


def _within(state: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {key[len(prefix) :]: value for key, value in state.items() if key.startswith(prefix)}


@dataclass(frozen=True)
class Begun:
    """The run as observables saw it when they began."""

    sim: Any
    scene: Scene
    kept: Mapping[str, NDArray[Any]]

    @classmethod
    def of(cls, seen: Moment) -> Begun:
        """Keep it."""
        kept = {name: np.array(getattr(seen, name)) for name in KEPT}
        return cls(None, seen.scene, {**kept, "kinds": np.array(list(seen.collisions_by_kind.values()))})

    def state(self) -> dict[str, NDArray[Any]]:
        """For a checkpoint."""
        return dict(self.kept)

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """As it was."""
        return dict(zip(self.sim.collisions_by_kind, self.kept["kinds"].tolist(), strict=True))

    def __getattr__(self, name: str) -> Any:
        """What was kept, else that of the run."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in KEPT:
            value = self.kept[name]
            return value.item() if value.ndim == 0 else value
        return getattr(self.sim, name)


@dataclass(frozen=True)
class Spread:
    """A run in which balls are missing, by the rows that they had: what is not there is NaN."""

    sim: Any
    scene: Scene
    """As it is now, with a row for each; those that are gone are as they were."""
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
        """By rows, m."""
        return self._spread(self.sim.positions, np.nan)

    @property
    def velocities(self) -> Floats:
        """By rows, m/s."""
        return self._spread(self.sim.velocities, np.nan)

    @property
    def turns(self) -> NDArray[np.int64]:
        """By rows; 0 for what is not there."""
        return self._spread(self.sim.turns, 0)

    @property
    def masses(self) -> Floats:
        """By rows, kg; 0 for what is gone."""
        return self._spread(self.sim.masses, 0.0, bulk=True)

    @property
    def radii(self) -> Floats:
        """By rows, m; 0 for what is gone."""
        return self._spread(self.sim.radii, 0.0, bulk=True)

    @property
    def links(self) -> Links:
        """Those that have not broken, between rows."""
        return self.sim.links.renumbered(self.rows)  # type: ignore[no-any-return]  # of a run

    def __getattr__(self, name: str) -> Any:
        """All that has no rows is as it is."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.sim, name)


def observables_for(given: Any) -> list[Observable]:
    """Observables by name, or those themselves."""
    if isinstance(given, str | Observable):
        given = (given,)
    if not isinstance(given, Iterable):
        remedy = "Give a list of names, or of instances of classes made from carom's Observable."
        raise ArgumentError([Problem("observables", f"{shown(given)} is not a list", remedy)])
    found = []
    for each in given:
        if isinstance(each, str):
            found.append(observable(each))
        elif isinstance(each, Observable):
            found.append(each)
        else:
            remedy = "Give names, or instances of classes made from carom's Observable."
            raise ArgumentError([Problem("observables", f"{shown(each)} is not an observable", remedy)])
    _check_names([each.name for each in found])
    return found


def _check_names(names: Sequence[Any]) -> None:
    """Refuse names that are no words, or there twice: they name groups of a file, where "a/b" would be two."""
    for name in names:
        if not name:
            raise ArgumentError([Problem("observables", "one has no name", "Give each a name of its own.")])
        if not isinstance(name, str) or not name.isidentifier():
            remedy = "Give the class a name of letters, digits and underscores."
            raise ArgumentError([Problem("observables", f"{shown(name)} is not a name", remedy)])
        if names.count(name) > 1:
            raise ArgumentError([Problem("observables", f"{name!r} is there twice", "Give each a name of its own.")])
