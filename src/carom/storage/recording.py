"""`Recording`: read a recorded run, also while it is being written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.observe.frame import Frame
from carom.observe.series import Series
from carom.observe.triggers import is_number
from carom.scene import Scene
from carom.scene.fields.base import shown
from carom.storage.collision_reader import CollisionReader
from carom.storage.formats import FORMAT, cannot_resume_error, check_format, frames_only_error
from carom.storage.hdf5.chunks import StoredColumn
from carom.storage.hdf5.open_file import broken_error, closed_error, one_line, open_recording_file, storage_errors
from carom.storage.hdf5.writer import BALLS, EDITS, HISTORY
from carom.storage.inventory import (
    attribute,
    check_columns,
    check_counts,
    check_objects,
    fixed_value,
    read_metadata,
    word,
    words,
)
from carom.storage.metadata import stored_scene, written_by

if TYPE_CHECKING:
    import h5py

Floats = NDArray[np.float64]

MAX_COORDINATE = 1e150
"""Largest plausible coordinate in m or m/s: its square is still a finite number."""
PAGES, PAGE = 2**18, 1024
"""The largest number of pages of history, or one per this many bytes of the file: a page holds about 1000 events."""


class Recording:
    """A recorded run: `Recording("gas.h5")`. It has frames by index or time, collisions, observables and the scene.

    It can be read while it is being written; call `refresh` to see new rows. Close it, or use it in a `with` statement.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._handle = open_recording_file(self.path)
        with contextlib.ExitStack() as stack, storage_errors(self.path, "is no recording of carom"):
            stack.callback(self._handle.close)
            datasets = check_objects(self.file)
            self.format = int(attribute(self.file["carom"], "format"))
            """The format of the file: see `formats`. Recordings of carom 0.1 have format 2."""
            check_format(self.path, self.format)
            self._names = words(attribute(self.file["carom/rows"], "datasets"))
            self.scene: Scene = stored_scene(bytes(self.fixed("carom/scene")))
            head = read_metadata(self.file, self.format)
            self.wish: dict[str, Any] = head.wish.model_dump()
            self.solver: str = head.solver
            self.mark = head.mark
            """A unique id of this recording."""
            self.source = one_line(head.source)
            """Where the scene came from, if known."""
            self.origin = head.origin
            """The entry of the library that made the scene, as `kind`, and its parameters, with the seed."""
            self.versions = {one_line(name): one_line(version) for name, version in head.versions.items()}
            self.dimension = self.scene.dimension
            self.masses: Floats = self.scene.balls.mass
            """Mass of each ball at the start of the recording, kg."""
            self.radii: Floats = self.scene.balls.radius
            """Radius of each ball at the start of the recording, m."""
            self.triggers = head.triggers
            """The triggers of frames, as in the file."""
            self.walls = head.walls
            """Names of walls, by their index in collisions."""
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

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._handle.close()

    def refresh(self) -> Self:
        """Read what has been written since the file was opened or last refreshed."""
        with storage_errors(self.path):
            self._look()
        return self

    def _look(self) -> None:
        rows = self.file["carom/rows"]
        _refresh(rows)
        last = StoredColumn(self.path, rows, len(rows))[-1] if len(rows) else np.zeros(len(self._names), np.int64)
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
        until, since = self.column("carom/until"), f"{HISTORY}frame_since"
        known = [float(self._times[0]), float(self._times[-1])] if len(self) else []
        known += [float(until[-1])] if len(until) else []
        if self._rows(since):
            known.append(float(self.column(since)[0]))
        elif not len(self):
            known = []
        self._span = (min(known), max(known)) if known else (0.0, 0.0)
        if not np.isfinite([*self._times, *known]).all() or (np.diff(self._times) < 0.0).any():
            raise broken_error(self.path, "its frames are at no times, or out of order")

    def _check_counts(self, count: Mapping[str, int]) -> None:
        """Check that columns that belong together have equally many rows."""
        for what, starts in (("frames", (f"{BALLS}/", "observables/")), ("collisions", ("carom/collisions/",))):
            if len({many for name, many in count.items() if name.startswith(starts)}) > 1:
                raise broken_error(self.path, f"some {what} are not whole")

    def _check_edits(self) -> None:
        """Check that edits refer to existing balls."""
        left, count = self._edits[:, 1], len(self.masses)
        whole = np.isfinite(self._edits).all() and ((left >= 0) & (left <= count) & (left % 1 == 0)).all()
        if not whole or left.sum() != self._rows(f"{EDITS}_rows"):
            raise broken_error(self.path, "its edits leave balls that are not there")

    @property
    def writer(self) -> str:
        """The version that recorded it, such as "carom 0.1.0"."""
        return written_by(self.versions)

    @property
    def complete(self) -> bool:
        """True if it was closed properly; otherwise it is still being written, or its writer crashed."""
        return len(self.file["carom/complete"]) > 0

    @property
    def sizes(self) -> Floats | None:
        """The sizes of the box, m; None if the boundary is no box."""
        box = self.scene.boundary.box
        return None if box is None else np.array(box.size)

    # Frames.

    @property
    def times(self) -> Floats:
        """The times of the frames, s."""
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
        """Frame k, counted from the end if negative; for a slice, a list of frames."""
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
        """The frames of a chunk, which are unpacked together and cached, and the index of the first."""
        size = self.file[f"{BALLS}/position/value"].chunks[0]
        start = k // size * size
        if self._frames is None or self._frames[0] != start:
            names = [f"{BALLS}/{name}/value" for name in ("position", "velocity", "image")]
            rows = slice(start, min(start + size, len(self)))
            self._frames = (start, [self.column(name)[rows] for name in names if name in self._count])
            if any((np.abs(each) > MAX_COORDINATE).any() for each in self._frames[1]):
                raise broken_error(self.path, f"balls are farther or faster than {MAX_COORDINATE:g}")
        return self._frames

    @property
    def steps(self) -> NDArray[np.int64]:
        """The number of collisions up to each frame."""
        steps: NDArray[np.int64] = self.column(f"{BALLS}/position/step")[:]
        if (steps < 0).any():
            raise broken_error(self.path, "frames are from before the first collision")
        return steps

    def bulk(self, k: int) -> tuple[Floats, Floats]:
        """Masses (kg) and radii (m) at frame k: they change if balls merge."""
        names = (f"{BALLS}/mass/value", f"{BALLS}/radius/value")
        if all(name in self._count for name in names):
            mass, radius = (self.column(name)[k] for name in names)
            return mass, radius
        return self.masses, self.radii

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    @property
    def collisions(self) -> CollisionReader | None:
        """All collisions; None if they were not recorded."""
        return CollisionReader(self) if "carom/collisions/time" in self._count else None

    @property
    def observables(self) -> Mapping[str, Series]:
        """The recorded observables by name."""
        names = [name.split("/")[1] for name in self._names if name.startswith("observables/")]
        self._check_open()
        with storage_errors(self.path):
            return {one_line(name): self._series(name) for name in names}

    def _series(self, name: str) -> Series:
        group, values = self.file[f"observables/{name}"], self.column(f"observables/{name}/value")[:]
        columns = self.fixed(f"{group.name[1:]}/columns") if "columns" in group else None
        if columns is not None and (columns.shape != values.shape[1:] or columns.dtype != np.float64):
            raise broken_error(self.path, f"the columns of {name} are others than its values")
        symbol, unit = (one_line(word(attribute(group, each))) for each in ("symbol", "unit"))
        return Series(
            one_line(name), symbol, unit, self._times[: len(values)], values, columns,
            bool(attribute(group, "over_interval")),
        )  # fmt: skip

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:  # noqa: ARG002  # as notebooks call it
        """The representation in a notebook: a live widget where one is possible, and always a picture."""
        notebook: Any = import_module("carom.notebook")  # a later stage, known by name alone
        return notebook.bundle(self)

    # Any time.

    @property
    def exact(self) -> bool:
        """True if the state at any time can be rebuilt; not in earlier formats, as collisions rounded differently."""
        return self.format == FORMAT and f"{HISTORY}marks" in self._count

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last time at which the run is known, s."""
        return self._span

    def at(self, t: float) -> Frame:
        """The state at a time: rebuilt from events bit for bit if they were recorded, else the frame at this time."""
        if not is_number(t):
            problem = Problem("time.not-a-time", where="at", value=shown(t))
            raise ArgumentError([problem], source=str(self.path))
        low, high = self.span
        if not low <= t <= high:
            raise ArgumentError.of("recording.outside", where="at", source=str(self.path), t=t, low=low, high=high)
        if not self.exact:
            k = int(np.searchsorted(self._times, t, side="right"))  # of several at one time, the last
            if k and self._times[k - 1] == t:
                return self[k - 1]
            raise self._no_frame(t, k)
        history = self.history
        with storage_errors(self.path):
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
        if f"{HISTORY}marks" in self._count:
            there = f"{len(self)} in all (.times); the nearest are at {near} s"
            return frames_only_error(self.path, self.writer, t, there)
        return ArgumentError.of(
            "recording.no-frame", where="at", source=str(self.path), t=t, count=len(self), near=near
        )

    def _who(self, t: float) -> NDArray[np.int64] | None:
        """The rows of the balls that existed at a time; None if all did."""
        edits = self._edits
        k = int(np.searchsorted(edits[:, 0], t, side="right"))
        if not k:
            return None
        last = int(edits[:k, 1].sum())
        who: NDArray[np.int64] = self.column(f"{EDITS}_rows")[last - int(edits[k - 1, 1]) : last]
        if ((who < 0) | (who >= len(self.masses))).any():
            raise broken_error(self.path, "its edits leave balls that are not there")
        return who

    @property
    def history(self) -> Any:
        """The history, which rebuilds the state at any time."""
        file = self.file
        if self.format < FORMAT:
            raise cannot_resume_error(self.path, self.writer)
        if self._history is None:
            from carom.solvers.exact.history.history import History  # noqa: PLC0415  # Numba is not loaded before it is needed

            with storage_errors(self.path):
                names = [name for name in self._names if name.startswith(HISTORY)]
                columns = {name.removeprefix(HISTORY): self.column(name) for name in names}
                if len(columns["frame_since"]) > max(PAGES, file.id.get_filesize() // PAGE):
                    raise broken_error(self.path, "its history has more pages than events")
                self._history = History.over(self.scene, columns)
        return self._history

    def simulation(self, t: float | None = None) -> Any:
        """A `Simulation` that continues the run from a time, or from the end, to the same bits; it is not recorded."""
        if self.format < FORMAT:
            raise cannot_resume_error(self.path, self.writer)
        joint: Any = import_module("carom.simulation.simulation")  # a later stage, known by name alone
        return joint.Simulation.replayed(self, t)

    # Datasets.

    @property
    def file(self) -> h5py.File:
        """The open HDF5 file."""
        self._check_open()
        return self._handle

    def _check_open(self) -> None:
        if not self._handle:
            raise closed_error(self.path)

    @property
    def names(self) -> tuple[str, ...]:
        """Paths of all columns: the datasets that grow."""
        return tuple(self._names)

    def column(self, path: str) -> StoredColumn:
        """A column up to its last committed row; slices are read from the file."""
        return StoredColumn(self.path, self.file[path], self._rows(path))

    def dataset(self, path: str) -> Any:
        """A dataset of the file, also with rows that are not committed yet."""
        return self.file[path]

    def fixed(self, path: str) -> Any:
        """The numbers or the text of a dataset that does not grow."""
        with storage_errors(self.path):
            return fixed_value(self.file, path, self.format)

    def _rows(self, path: str) -> int:
        return self._count.get(path, 0)


def _spread(rows: NDArray[Any], who: NDArray[np.int64] | None, count: int, nothing: float) -> NDArray[Any]:
    """Values of the present balls, padded to one row per ball."""
    if who is None:
        return np.array(rows)
    out = np.full((count, *rows.shape[1:]), nothing, rows.dtype)
    out[who] = rows
    return out


def _version() -> str:
    """The running version of carom."""
    ours: Any = import_module("carom")  # the whole, known by name alone
    return str(ours.__version__)


def _refresh(dataset: Any) -> None:
    if getattr(dataset.file, "swmr_mode", False):
        dataset.id.refresh()
