"""Reading a recording, while it is written too."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from carom.errors import Problem, SceneError, StorageError
from carom.observe.frame import Frame
from carom.observe.series import Series
from carom.scene import Box, Scene
from carom.scene.files import loads
from carom.storage.h5md import BALLS, EDITS, FORMAT, PAST
from carom.storage.opening import broken, check_columns, opened, reading, text_of
from carom.world.collisions import collision_record

if TYPE_CHECKING:
    import h5py

Floats = NDArray[np.float64]

BLOCK = 2**14
"""Rows that are read at once by who goes through all."""


class Collisions:
    """All collisions of a recording, read as they are asked for."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def __len__(self) -> int:
        return self._recording._rows("carom/collisions/time")  # noqa: SLF001  # its own recording

    @property
    def count(self) -> int:
        """How many."""
        return len(self)

    def __getitem__(self, which: int | slice) -> Any:
        """A slice gives a structured array with the fields of `Simulation.collide`; a number, one row of it."""
        if not isinstance(which, slice):
            k = int(which)
            if not -len(self) <= k < len(self):
                raise IndexError(f"there is no collision {which}: there are {len(self)}")
            return self[k % len(self) : k % len(self) + 1][0]
        start, stop, step = which.indices(len(self))
        low, high = (start, stop) if step > 0 else (stop + 1, start + 1)
        out = np.zeros(max(0, high - low), collision_record)
        if len(out):
            with reading(self._recording.path):
                for name in collision_record.names or ():
                    column = self._recording.dataset(f"carom/collisions/{name}")[low:high]
                    if column.ndim > 1:  # a file holds as many numbers of a vector as there are dimensions
                        out[name][:, : column.shape[1]] = column
                    else:
                        out[name] = column
        return out[::step] if step > 0 else out[::-1][::-step]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), BLOCK):
            yield from self[start : start + BLOCK]

    def between(self, t0: float, t1: float) -> NDArray[Any]:
        """The collisions from t0 on, up to but not at t1, s."""
        times = self._recording.dataset("carom/collisions/time")
        with reading(self._recording.path):
            low, high = (_first(times, len(self), t) for t in (t0, t1))
        return self[low : max(low, high)]  # type: ignore[no-any-return]  # a slice gives an array


def _first(times: Any, count: int, t: float) -> int:
    """The number of the first time that is not before t, by halving: the times may be too many to read."""
    low, high = 0, count
    while high - low > 4096:
        middle = (low + high) // 2
        if times[middle] < t:
            low = middle + 1
        else:
            high = middle
    return low + int(np.searchsorted(times[low:high], t))


class Recording:
    """A recorded run: `Recording("gas.h5")`. Frames by number or time, collisions, observables, the scene.

    It can be read while it is being written; `refresh` shows what has come since. Close it, or use it in a `with`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = opened(self.path)
        with contextlib.ExitStack() as stack, reading(self.path, "is no recording of carom"):
            stack.callback(self._file.close)
            self._own = self._file["carom"]
            if int(self._own.attrs["format"]) > FORMAT:
                raise StorageError(self.path, "a later carom has written it", "Update carom: pip install -U carom.")
            self._names = [str(name) for name in self._own["rows"].attrs["datasets"]]
            self.scene: Scene = loads(text_of(self._own["scene"]), "json", name=str(self.path))
            self.wish: dict[str, Any] = json.loads(self._own.attrs["wish"])
            self.solver = str(self._own.attrs["solver"])
            self.mark = str(self._own.attrs["mark"])
            """Tells this recording from all others."""
            self.source = str(self._own.attrs["source"])
            """Where the scene came from, if that is known."""
            self.versions: dict[str, str] = json.loads(self._own.attrs["versions"])
            self.dimension = self.scene.dimension
            self.masses: Floats = self.scene.balls.mass
            """Of each ball when recording began, kg."""
            self.radii: Floats = self.scene.balls.radius
            """Of each ball when recording began, m."""
            self.walls: list[str] = json.loads(text_of(self._own["walls"]))
            """Names of walls, by the numbers that collisions give them."""
            self._count: dict[str, int] = {}
            self._times: Floats = np.zeros(0)
            self._history: Any = None
            self._frames: tuple[int, list[NDArray[Any]]] | None = None
            self._span = (0.0, 0.0)
            self._edits: Floats = np.zeros((0, 2))
            self._check()
            self.refresh()
            stack.pop_all()

    def _check(self) -> None:
        """Is what stands in the head of the file what it should be? It may come from anyone."""
        told: tuple[Any, ...] = (self.wish, self.versions, self.walls)
        fits = all(isinstance(each, kind) for each, kind in zip(told, (dict, dict, list), strict=True))
        if not fits or self.solver not in ("exact", "stepped"):
            raise broken(self.path, "its attributes do not tell how it was made")
        row = (len(self.masses), self.dimension)
        for name in ("position", "velocity", "image"):
            path = f"{BALLS}/{name}/value"
            if (name != "image" or path in self._names) and self._file[path].shape[1:] != row:
                raise broken(self.path, f"{path} has not the balls of the scene")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def refresh(self) -> Self:
        """Look at what has been written since it was opened, or last refreshed."""
        with reading(self.path):
            self._look()
        return self

    def _look(self) -> None:
        rows = self._own["rows"]
        _refresh(rows)
        last = rows[-1] if len(rows) else np.zeros(len(self._names), np.int64)
        for name in self._names:
            _refresh(self._file[name])
        _refresh(self._own["complete"])
        count = {name: int(count) for name, count in zip(self._names, last, strict=True)}
        check_columns(self._file, count, self.path)
        frames = count[f"{BALLS}/position/time"]
        if any(many != frames for name, many in count.items() if name.startswith((f"{BALLS}/", "observables/"))):
            raise broken(self.path, "some frames are not whole")
        self._count = count
        self._times = self._file[f"{BALLS}/position/time"][: self._rows(f"{BALLS}/position/time")]
        self._times.flags.writeable = False
        self._history = self._frames = None
        self._edits = self.column(EDITS)[:]
        until, since = self.column("carom/until"), f"{PAST}frame_since"
        known = [float(self._times[0]), float(self._times[-1])] if len(self) else []
        known += [float(until[-1])] if len(until) else []
        if self._rows(since):
            known.append(float(self.column(since)[0]))
        elif not len(self):
            known = []
        self._span = (min(known), max(known)) if known else (0.0, 0.0)

    @property
    def complete(self) -> bool:
        """Was it closed in order? Else it is being written, or its writer came to a sudden end."""
        return len(self._own["complete"]) > 0

    @property
    def sizes(self) -> Floats | None:
        """Of the box, m; None if there is none."""
        boundary = self.scene.boundary
        return np.array(boundary.size) if isinstance(boundary, Box) else None

    # Frames.

    @property
    def times(self) -> Floats:
        """Of the frames, s."""
        return self._times

    def __len__(self) -> int:
        return len(self._times)

    def __getitem__(self, k: int) -> Frame:
        """Frame number k, counted from the end if it is negative."""
        if not -len(self) <= k < len(self):
            raise IndexError(f"there is no frame {k}: there are {len(self)}")
        k %= len(self)
        start, block = self._block(k)
        return Frame(float(self._times[k]), *(each[k - start].copy() for each in block))

    def _block(self, k: int) -> tuple[int, list[NDArray[Any]]]:
        """The frames of a chunk, and the number of the first: they are unpacked together, so they are kept together."""
        size = self._file[f"{BALLS}/position/value"].chunks[0]
        start = k // size * size
        if self._frames is None or self._frames[0] != start:
            names = [name for name in ("position", "velocity", "image") if name in self._file[BALLS]]
            rows = slice(start, min(start + size, len(self)))
            with reading(self.path):
                self._frames = (start, [self._file[f"{BALLS}/{name}/value"][rows] for name in names])
        return self._frames

    @property
    def steps(self) -> NDArray[np.int64]:
        """Of each frame, how many collisions there had been."""
        with reading(self.path):
            return self._file[f"{BALLS}/position/step"][: len(self)]  # type: ignore[no-any-return]  # an array of them

    def bulk(self, k: int) -> tuple[Floats, Floats]:
        """Masses (kg) and radii (m) at frame k: they change where balls merge."""
        balls = self._file[BALLS]
        if f"{BALLS}/mass/value" in self._count:
            with reading(self.path):
                return balls["mass/value"][k], balls["radius/value"][k]
        return self.masses, self.radii

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    @property
    def collisions(self) -> Collisions | None:
        """All collisions; None if they were not recorded."""
        return Collisions(self) if "collisions" in self._own else None

    @property
    def observables(self) -> Mapping[str, Series]:
        """What was measured, by name."""
        if "observables" not in self._file:
            return {}
        with reading(self.path):
            return {name: self._series(name) for name in self._file["observables"]}

    def _series(self, name: str) -> Series:
        group = self._file[f"observables/{name}"]
        count = self._rows(f"observables/{name}/value")
        columns = group["columns"][:] if "columns" in group else None
        attributes = group.attrs
        return Series(
            name, str(attributes["symbol"]), str(attributes["unit"]), self._times[:count], group["value"][:count],
            columns, bool(attributes.get("over_interval", False)),
        )  # fmt: skip

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:  # noqa: ARG002  # as notebooks call it
        """How a notebook shows it: a live widget where one can be, and always a picture."""
        notebook: Any = import_module("carom.notebook")  # a later stage, known by name alone
        return notebook.bundle(self)

    # Any instant.

    @property
    def exact(self) -> bool:
        """Can any instant be rebuilt?"""
        return "history" in self._own

    @property
    def span(self) -> tuple[float, float]:
        """From when to when the run is known, s."""
        return self._span

    def at(self, t: float) -> Frame:
        """The run at any time: rebuilt from the events bit for bit if they are there, else the frame of that time."""
        low, high = self.span
        if not low <= t <= high:
            what = f"{t} s is outside of what was recorded, {low:.9g} to {high:.9g} s"
            raise SceneError([Problem("at", what, "Choose a time within.")], source=str(self.path))
        if not self.exact:
            k = int(np.searchsorted(self._times, t, side="right"))  # of several at a time, what came last
            if k and self._times[k - 1] == t:
                return self[k - 1]
            near = ", ".join(f"{time:.9g}" for time in self._times[max(0, k - 1) : k + 1])
            what = f"no frame was kept at {t} s, and this run cannot be rebuilt from its events"
            remedy = f"There are {len(self)} frames (.times); the nearest are at {near} s."
            raise SceneError([Problem("at", what, remedy)], source=str(self.path))
        instant = self.history.at(t)
        d, who = self.dimension, self._who(t)
        around = any(getattr(self.scene.boundary, "periodic", ()))
        turns = _spread(instant.turns[:, :d], who, len(self.masses), 0) if around else None
        places, velocities = (
            _spread(each[:, :d], who, len(self.masses), np.nan) for each in (instant.places, instant.velocities)
        )
        return Frame(float(t), places, velocities, turns)

    def _who(self, t: float) -> NDArray[np.int64] | None:
        """The rows of the balls that there were at a time; None if all were."""
        edits = self._edits
        k = int(np.searchsorted(edits[:, 0], t, side="right"))
        if not k:
            return None
        last = int(edits[:k, 1].sum())
        return self.column(f"{EDITS}_rows")[last - int(edits[k - 1, 1]) : last]  # type: ignore[no-any-return]  # numbers

    @property
    def history(self) -> Any:
        """The history that rebuilds any instant."""
        if self._history is None:
            from carom.solvers.exact.history import History  # noqa: PLC0415  # Numba is not loaded before it is needed

            with reading(self.path):
                columns = {name: self.column(f"{PAST}{name}") for name in self._own["history"]}
                self._history = History.over(self.scene, columns)
        return self._history

    def simulation(self, t: float | None = None) -> Any:
        """The run as a `Simulation` that goes on from a time, or from the end, to the same bits; unrecorded."""
        joint: Any = import_module("carom.simulation")  # a later stage, known by name alone
        return joint.Simulation.replayed(self, t)

    # Datasets.

    @property
    def file(self) -> h5py.File:
        """The file itself."""
        return self._file

    @property
    def names(self) -> tuple[str, ...]:
        """Paths of all datasets that grow."""
        return tuple(self._names)

    def column(self, path: str) -> Rows:
        """One of them as far as it is whole, read as it is sliced."""
        return Rows(self, path)

    def dataset(self, path: str) -> Any:
        """A dataset of the file, with rows too that are not whole yet."""
        return self._file[path]

    def _rows(self, path: str) -> int:
        return self._count.get(path, 0)


class Rows:
    """A column of a recording as far as it is whole, read as it is sliced."""

    def __init__(self, recording: Recording, path: str) -> None:
        self._path = recording.path
        self._dataset = recording.dataset(path)
        self.shape = (recording._rows(path), *self._dataset.shape[1:])  # noqa: SLF001  # its own recording
        self.dtype = self._dataset.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            return self._slice(range(*which.indices(len(self))))
        if isinstance(which, int | np.integer):
            if not -len(self) <= which < len(self):
                raise IndexError(f"there is no row {which}: there are {len(self)}")
            with reading(self._path):
                return self._dataset[int(which) % len(self)]
        return self[:][which]

    def _slice(self, rows: range) -> Any:
        if not rows:
            return np.empty((0, *self.shape[1:]), self.dtype)
        with reading(self._path):
            if rows.step < 0:  # HDF5 reads forwards
                return self._dataset[rows[-1] : rows[0] + 1 : -rows.step][::-1]
            return self._dataset[rows.start : rows.stop : rows.step]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), BLOCK):
            yield from self[start : start + BLOCK]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[:], dtype)


def _spread(rows: NDArray[Any], who: NDArray[np.int64] | None, count: int, nothing: float) -> NDArray[Any]:
    """Values of the balls that there are, by the rows that they have."""
    if who is None:
        return np.array(rows)
    out = np.full((count, *rows.shape[1:]), nothing, rows.dtype)
    out[who] = rows
    return out


def _refresh(dataset: Any) -> None:
    if getattr(dataset.file, "swmr_mode", False):
        dataset.id.refresh()
