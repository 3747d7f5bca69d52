"""Reading a recording, while it is written too."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.observe.frame import Frame
from carom.observe.series import Series
from carom.observe.triggers import is_number
from carom.scene import Scene
from carom.scene.fields.base import shown
from carom.storage.collisions import Collisions
from carom.storage.formats import FORMAT, check_format, frames_alone, no_way_on
from carom.storage.hdf5.chunks import Rows
from carom.storage.hdf5.opening import broken, closed, one_line, opened, reading
from carom.storage.hdf5.writer import BALLS, EDITS, PAST
from carom.storage.inventory import (
    attribute,
    check_columns,
    check_counts,
    fixed_value,
    head_of,
    look_through,
    word,
    words,
)
from carom.storage.told import stored_scene, written_by

if TYPE_CHECKING:
    import h5py

Floats = NDArray[np.float64]

FARTHEST = 1e150
"""Places in m and velocities in m/s that are no mistake: their squares are numbers still."""
PAGES, PAGE = 2**18, 1024
"""A history has at most so many pages, or one for so many bytes of the file: a page holds a thousand events or so."""


class Recording:
    """A recorded run: `Recording("gas.h5")`. Frames by number or time, collisions, observables, the scene.

    It can be read while it is being written; `refresh` shows what has come since. Close it, or use it in a `with`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._handle = opened(self.path)
        with contextlib.ExitStack() as stack, reading(self.path, "is no recording of carom"):
            stack.callback(self._handle.close)
            datasets = look_through(self.file)
            self.format = int(attribute(self.file["carom"], "format"))
            """How it is stored: see `formats`. Recordings of carom 0.1 have format 2."""
            check_format(self.path, self.format)
            self._names = words(attribute(self.file["carom/rows"], "datasets"))
            self.scene: Scene = stored_scene(bytes(self.fixed("carom/scene")))
            head = head_of(self.file, self.format)
            self.wish: dict[str, Any] = head.wish.model_dump()
            self.solver: str = head.solver
            self.mark = head.mark
            """Tells this recording from all others."""
            self.source = one_line(head.source)
            """Where the scene came from, if that is known."""
            self.origin = head.origin
            """The entry of the library that made the scene, as `kind`, and its parameters, the seed among them."""
            self.versions = {one_line(name): one_line(version) for name, version in head.versions.items()}
            self.dimension = self.scene.dimension
            self.masses: Floats = self.scene.balls.mass
            """Of each ball when recording began, kg."""
            self.radii: Floats = self.scene.balls.radius
            """Of each ball when recording began, m."""
            self.triggers = head.triggers
            """When frames were wished, as files tell it."""
            self.walls = head.walls
            """Names of walls, by the numbers that collisions give them."""
            self._count: dict[str, int] = {}
            self._times: Floats = np.zeros(0)
            self._history: Any = None
            self._frames: tuple[int, list[NDArray[Any]]] | None = None
            self._span = (0.0, 0.0)
            self._edits: Floats = np.zeros((0, 2))
            check_columns(self.file, datasets, self._names, (len(self.masses), self.dimension), self.path)
            self.refresh()
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._handle.close()

    def refresh(self) -> Self:
        """Look at what has been written since it was opened, or last refreshed."""
        with reading(self.path):
            self._look()
        return self

    def _look(self) -> None:
        rows = self.file["carom/rows"]
        _refresh(rows)
        last = Rows(self.path, rows, len(rows))[-1] if len(rows) else np.zeros(len(self._names), np.int64)
        for name in self._names:
            _refresh(self.file[name])
        _refresh(self.file["carom/complete"])
        count = {name: int(count) for name, count in zip(self._names, last, strict=True)}
        check_counts(self.file, count, self.path)
        self._check_counts(count)
        self._count = count
        self._times = self.column(f"{BALLS}/position/time")[:]
        self._times.flags.writeable = False
        self._history = self._frames = None
        self._edits = self.column(EDITS)[:]
        self._check_edits()
        until, since = self.column("carom/until"), f"{PAST}frame_since"
        known = [float(self._times[0]), float(self._times[-1])] if len(self) else []
        known += [float(until[-1])] if len(until) else []
        if self._rows(since):
            known.append(float(self.column(since)[0]))
        elif not len(self):
            known = []
        self._span = (min(known), max(known)) if known else (0.0, 0.0)
        if not np.isfinite([*self._times, *known]).all() or (np.diff(self._times) < 0.0).any():
            raise broken(self.path, "its frames are at no times, or out of order")

    def _check_counts(self, count: Mapping[str, int]) -> None:
        """Do columns that belong together have as many rows?"""
        for what, starts in (("frames", (f"{BALLS}/", "observables/")), ("collisions", ("carom/collisions/",))):
            if len({many for name, many in count.items() if name.startswith(starts)}) > 1:
                raise broken(self.path, f"some {what} are not whole")

    def _check_edits(self) -> None:
        """Do edits tell of balls that there are?"""
        left, count = self._edits[:, 1], len(self.masses)
        whole = np.isfinite(self._edits).all() and ((left >= 0) & (left <= count) & (left % 1 == 0)).all()
        if not whole or left.sum() != self._rows(f"{EDITS}_rows"):
            raise broken(self.path, "its edits leave balls that are not there")

    @property
    def writer(self) -> str:
        """The version that recorded it, such as "carom 0.1.0"."""
        return written_by(self.versions)

    @property
    def complete(self) -> bool:
        """Was it closed in order? Else it is being written, or its writer came to a sudden end."""
        return len(self.file["carom/complete"]) > 0

    @property
    def sizes(self) -> Floats | None:
        """Of the box, m; None if there is none."""
        box = self.scene.boundary.box
        return None if box is None else np.array(box.size)

    # Frames.

    @property
    def times(self) -> Floats:
        """Of the frames, s."""
        return self._times

    def __len__(self) -> int:
        return len(self._times)

    def __repr__(self) -> str:
        low, high = self.span
        state = "closed" if not self._handle else "whole" if self.complete else "not closed by its writer"
        by = "" if self.writer == f"carom {_version()}" else f", by {self.writer}"
        return f"<recording {self.path}: {len(self)} frames, {low:.6g} to {high:.6g} s, {state}{by}>"

    @overload
    def __getitem__(self, k: int) -> Frame: ...
    @overload
    def __getitem__(self, k: slice) -> list[Frame]: ...
    def __getitem__(self, k: int | slice) -> Frame | list[Frame]:
        """Frame number k, counted from the end if it is negative; of a slice, a list of frames."""
        if isinstance(k, slice):
            return [self[each] for each in range(*k.indices(len(self)))]
        if isinstance(k, bool) or not isinstance(k, int | np.integer):
            problem = Problem("recording.frame", where="recording", value=shown(k))
            raise ArgumentError([problem], source=str(self.path))
        if not -len(self) <= k < len(self):
            raise IndexError(f"there is no frame {k}: there are {len(self)}")
        k = int(k) % len(self)
        start, block = self._block(k)
        return Frame(float(self._times[k]), *(each[k - start].copy() for each in block))

    def _block(self, k: int) -> tuple[int, list[NDArray[Any]]]:
        """The frames of a chunk, and the number of the first: they are unpacked together, so they are kept together."""
        size = self.file[f"{BALLS}/position/value"].chunks[0]
        start = k // size * size
        if self._frames is None or self._frames[0] != start:
            names = [f"{BALLS}/{name}/value" for name in ("position", "velocity", "image")]
            rows = slice(start, min(start + size, len(self)))
            self._frames = (start, [self.column(name)[rows] for name in names if name in self._count])
            if any((np.abs(each) > FARTHEST).any() for each in self._frames[1]):
                raise broken(self.path, f"balls are farther or faster than {FARTHEST:g}")
        return self._frames

    @property
    def steps(self) -> NDArray[np.int64]:
        """Of each frame, how many collisions there had been."""
        steps: NDArray[np.int64] = self.column(f"{BALLS}/position/step")[:]
        if (steps < 0).any():
            raise broken(self.path, "frames are from before the first collision")
        return steps

    def bulk(self, k: int) -> tuple[Floats, Floats]:
        """Masses (kg) and radii (m) at frame k: they change where balls merge."""
        names = (f"{BALLS}/mass/value", f"{BALLS}/radius/value")
        if all(name in self._count for name in names):
            mass, radius = (self.column(name)[k] for name in names)
            return mass, radius
        return self.masses, self.radii

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    @property
    def collisions(self) -> Collisions | None:
        """All collisions; None if they were not recorded."""
        return Collisions(self) if "carom/collisions/time" in self._count else None

    @property
    def observables(self) -> Mapping[str, Series]:
        """What was measured, by name."""
        names = [name.split("/")[1] for name in self._names if name.startswith("observables/")]
        self._check_open()
        with reading(self.path):
            return {one_line(name): self._series(name) for name in names}

    def _series(self, name: str) -> Series:
        group, values = self.file[f"observables/{name}"], self.column(f"observables/{name}/value")[:]
        columns = self.fixed(f"{group.name[1:]}/columns") if "columns" in group else None
        if columns is not None and (columns.shape != values.shape[1:] or columns.dtype != np.float64):
            raise broken(self.path, f"the columns of {name} are others than its values")
        symbol, unit = (one_line(word(attribute(group, each))) for each in ("symbol", "unit"))
        return Series(
            one_line(name), symbol, unit, self._times[: len(values)], values, columns,
            bool(attribute(group, "over_interval")),
        )  # fmt: skip

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:  # noqa: ARG002  # as notebooks call it
        """How a notebook shows it: a live widget where one can be, and always a picture."""
        notebook: Any = import_module("carom.notebook")  # a later stage, known by name alone
        return notebook.bundle(self)

    # Any instant.

    @property
    def exact(self) -> bool:
        """Can any instant be rebuilt? Not of recordings of earlier formats: collisions rounded differently."""
        return self.format == FORMAT and f"{PAST}marks" in self._count

    @property
    def span(self) -> tuple[float, float]:
        """From when to when the run is known, s."""
        return self._span

    def at(self, t: float) -> Frame:
        """The run at any time: rebuilt from the events bit for bit if they are there, else the frame of that time."""
        if not is_number(t):
            problem = Problem("time.not-a-time", where="at", value=shown(t))
            raise ArgumentError([problem], source=str(self.path))
        low, high = self.span
        if not low <= t <= high:
            raise ArgumentError.of("recording.outside", where="at", source=str(self.path), t=t, low=low, high=high)
        if not self.exact:
            k = int(np.searchsorted(self._times, t, side="right"))  # of several at a time, what came last
            if k and self._times[k - 1] == t:
                return self[k - 1]
            raise self._no_frame(t, k)
        history = self.history
        with reading(self.path):
            instant = history.at(t)
            d, who = self.dimension, self._who(t)
            around = any(getattr(self.scene.boundary, "periodic", ()))
            turns = _spread(instant.turns[:, :d], who, len(self.masses), 0) if around else None
            places, velocities = (
                _spread(each[:, :d], who, len(self.masses), np.nan) for each in (instant.places, instant.velocities)
            )
        return Frame(float(t), places, velocities, turns)

    def _no_frame(self, t: float, k: int) -> ArgumentError:
        """The error for a time that cannot be rebuilt, before frame `k`."""
        near = ", ".join(f"{time:.9g}" for time in self._times[max(0, k - 1) : k + 1])
        if f"{PAST}marks" in self._count:
            there = f"{len(self)} in all (.times); the nearest are at {near} s"
            return frames_alone(self.path, self.writer, t, there)
        return ArgumentError.of(
            "recording.no-frame", where="at", source=str(self.path), t=t, count=len(self), near=near
        )

    def _who(self, t: float) -> NDArray[np.int64] | None:
        """The rows of the balls that there were at a time; None if all were."""
        edits = self._edits
        k = int(np.searchsorted(edits[:, 0], t, side="right"))
        if not k:
            return None
        last = int(edits[:k, 1].sum())
        who: NDArray[np.int64] = self.column(f"{EDITS}_rows")[last - int(edits[k - 1, 1]) : last]
        if ((who < 0) | (who >= len(self.masses))).any():
            raise broken(self.path, "its edits leave balls that are not there")
        return who

    @property
    def history(self) -> Any:
        """The history that rebuilds any instant."""
        file = self.file
        if self.format < FORMAT:
            raise no_way_on(self.path, self.writer)
        if self._history is None:
            from carom.solvers.exact.history.history import History  # noqa: PLC0415  # Numba is not loaded before it is needed

            with reading(self.path):
                names = [name for name in self._names if name.startswith(PAST)]
                columns = {name.removeprefix(PAST): self.column(name) for name in names}
                if len(columns["frame_since"]) > max(PAGES, file.id.get_filesize() // PAGE):
                    raise broken(self.path, "its history has more pages than events")
                self._history = History.over(self.scene, columns)
        return self._history

    def simulation(self, t: float | None = None) -> Any:
        """The run as a `Simulation` that goes on from a time, or from the end, to the same bits; unrecorded."""
        if self.format < FORMAT:
            raise no_way_on(self.path, self.writer)
        joint: Any = import_module("carom.simulation.simulation")  # a later stage, known by name alone
        return joint.Simulation.replayed(self, t)

    # Datasets.

    @property
    def file(self) -> h5py.File:
        """The file itself, as long as it is open."""
        self._check_open()
        return self._handle

    def _check_open(self) -> None:
        if not self._handle:
            raise closed(self.path)

    @property
    def names(self) -> tuple[str, ...]:
        """Paths of all datasets that grow."""
        return tuple(self._names)

    def column(self, path: str) -> Rows:
        """One of them as far as it is whole, read as it is sliced."""
        return Rows(self.path, self.file[path], self._rows(path))

    def dataset(self, path: str) -> Any:
        """A dataset of the file, with rows too that are not whole yet."""
        return self.file[path]

    def fixed(self, path: str) -> Any:
        """The numbers or the text of a dataset that does not grow."""
        with reading(self.path):
            return fixed_value(self.file, path, self.format)

    def _rows(self, path: str) -> int:
        return self._count.get(path, 0)


def _spread(rows: NDArray[Any], who: NDArray[np.int64] | None, count: int, nothing: float) -> NDArray[Any]:
    """Values of the balls that there are, by the rows that they have."""
    if who is None:
        return np.array(rows)
    out = np.full((count, *rows.shape[1:]), nothing, rows.dtype)
    out[who] = rows
    return out


def _version() -> str:
    """Version of the carom that runs now."""
    ours: Any = import_module("carom")  # the whole, known by name alone
    return str(ours.__version__)


def _refresh(dataset: Any) -> None:
    if getattr(dataset.file, "swmr_mode", False):
        dataset.id.refresh()
