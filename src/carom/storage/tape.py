"""The layout of a recording, and the tape that turns samples, collisions and history into rows of its columns."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from carom.errors import StorageError
from carom.observe.frame import Frame
from carom.observe.observable import Observable
from carom.observe.sampler import Sample
from carom.observe.series import Series
from carom.scene import Scene
from carom.scene.io.files import dumps
from carom.solvers.collision_record import collision_record
from carom.solvers.exact.state import LEAST_PAGE, PAGE
from carom.storage.formats import CHECKPOINT_SUFFIX, DIGEST, FORMAT, cannot_resume_error, digest_of_texts
from carom.storage.hdf5.open_file import storage_errors
from carom.storage.hdf5.writer import BALLS, EDITS, HISTORY, VERSION, Column, HDF5Writer, Layout, copy_rows, fixed, make
from carom.storage.lock import Lock
from carom.storage.recording import Recording

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[Any]]

UNITS = {"time": "s", "place": "m", "impulse": "N s"}
"""Units of the columns of collisions that have one."""


def versions() -> dict[str, str]:
    """Versions of the packages that determine the bits of a run."""
    from importlib.metadata import version  # noqa: PLC0415  # seldom needed

    ours: Any = import_module("carom")  # the whole, known by name alone
    return {
        "carom": ours.__version__,
        "python": platform.python_version(),
        **{n: version(n) for n in ("numpy", "numba")},
    }


@dataclass(frozen=True)
class Header:
    """The metadata of a recording, known before it starts."""

    scene: Scene
    solver: str
    wish: dict[str, Any]
    walls: list[str]
    events: bool
    triggers: list[dict[str, Any]]
    source: str = ""
    """Where the scene came from, if known."""
    origin: dict[str, Any] = field(default_factory=dict)
    """The entry of the library that made the scene, and its parameters, with the seed."""
    mark: str = field(default_factory=lambda: uuid4().hex)
    """A unique id of this recording."""
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def merging(self) -> bool:
        """True if masses and radii can change during the run."""
        return self.scene.attraction is not None and self.scene.attraction.touch == "merge"

    @property
    def periodic(self) -> bool:
        """True if an axis is periodic."""
        return any(getattr(self.scene.boundary, "periodic", ()))


@dataclass(frozen=True)
class ObservableLayout:
    """Name, units and shape of an observable, as the layout of a file needs them."""

    name: str
    symbol: str
    unit: str
    over_interval: bool
    shape: tuple[int, ...]
    """The shape of one value."""
    columns: Floats | None

    @classmethod
    def of_observable(cls, each: Observable, value: Floats) -> Self:
        """From an observable after its `begin`, and one of its values."""
        return cls(each.name, each.symbol, each.unit, each.over_interval, value.shape, each.columns())

    @classmethod
    def of_series(cls, series: Series) -> Self:
        """From a recorded series."""
        shape = series.values.shape[1:]
        return cls(series.name, series.symbol, series.unit, series.over_interval, shape, series.columns)


class Tape:
    """A recording in progress: turns what a sampler gives into rows of a file."""

    def __init__(
        self,
        path: Path,
        header: Header,
        observables: Sequence[ObservableLayout],
        fill: Callable[[Any], None],
        *,
        lock: Lock,
    ) -> None:
        self.path = path
        self.header = header
        self.shapes = {each.name: each.shape for each in observables}
        """The shapes of the values of observables."""
        box = header.scene.boundary.box
        self._edges = None if box is None else np.array(box.size)
        self.writer = HDF5Writer(path, fill, lock=lock)

    @classmethod
    def create(
        cls, path: Path, header: Header, observables: Sequence[Observable], sample: Sample, history: Columns, lock: Lock
    ) -> Self:
        """Start a new recording; `sample` and `history` show the types and shapes of its columns."""
        if path.suffix == CHECKPOINT_SUFFIX:
            remedy = "Choose another name, such as gas.h5."
            raise StorageError(path, f"files that end with {CHECKPOINT_SUFFIX} are checkpoints, not recordings", remedy)
        measured = [ObservableLayout.of_observable(each, sample[each.name]) for each in observables]
        layout = make_layout(header, measured, history)
        return cls(path, header, measured, lambda file: make(file, layout), lock=lock)

    @classmethod
    def resume(cls, path: Path, mark: str, rows: Mapping[str, int], lock: Lock) -> Self:
        """Continue the recording with this mark after the given numbers of rows; rows beyond these are dropped."""
        with Recording(path) as old:
            if old.mark != mark:
                remedy = "Give the recording that belongs to the checkpoint, or resume without: record=False."
                raise StorageError(path, "is another recording than that of the checkpoint", remedy)
            if old.format < FORMAT:
                raise cannot_resume_error(path, old.writer)
            if sorted(rows) != sorted(old.names):
                remedy = "Resume without recording (record=False), or begin anew."
                raise StorageError(path, "the checkpoint counts the rows of other columns", remedy)
            short = [name for name, count in rows.items() if len(old.dataset(name)) < count]  # they may be uncounted
            if short:
                remedy = "Resume without recording (record=False), or begin anew."
                raise StorageError(path, f"rows of {short[0]} are missing that the checkpoint vouches for", remedy)
            header = Header(
                old.scene, old.solver, old.wish, old.walls, old.collisions is not None, old.triggers, old.source,
                old.origin, mark, old.versions,
            )  # fmt: skip
            history = {name.removeprefix(HISTORY): old.dataset(name) for name in old.names if name.startswith(HISTORY)}
            measured = [ObservableLayout.of_series(each) for each in old.observables.values()]
            layout = make_layout(header, measured, history)

            def fill(file: Any) -> None:
                """Lay out a new file, and copy only rows from the old one."""
                make(file, layout)
                with storage_errors(path):
                    copy_rows(old.file, file, rows)

            return cls(path, header, measured, fill, lock=lock)

    def history(self) -> Any:
        """The history in the file, to be continued; None if it has none."""
        return self.writer.history(self.header.scene)

    @property
    def frames(self) -> int:
        """The number of frames written."""
        return self.writer.rows(f"{BALLS}/position/time")

    def frame(self, frame: Frame, step: int, sample: Sample, bulk: tuple[Floats, Floats]) -> None:
        """Write a frame and a sample."""
        rows: dict[str, NDArray[Any]] = {
            f"{BALLS}/position/value": frame.positions[None],
            f"{BALLS}/velocity/value": frame.velocities[None],
        }
        if frame.turns is not None:
            rows[f"{BALLS}/image/value"] = frame.turns.astype(np.int32)[None]
        if self._edges is not None:
            rows[f"{BALLS}/box/edges/value"] = self._edges[None]
        if self.header.merging:
            rows[f"{BALLS}/mass/value"], rows[f"{BALLS}/radius/value"] = (np.array(each)[None] for each in bulk)
        for name, value in sample.items():
            rows[f"observables/{name}/value"] = value[None]
        rows[f"{BALLS}/position/step"] = np.array([step], np.int64)
        rows[f"{BALLS}/position/time"] = np.array([frame.time])
        self.writer.put(rows)

    def collided(self, rows: NDArray[Any]) -> None:
        """Write collisions, in order of time."""
        d = self.header.scene.dimension
        self.writer.put({
            f"carom/collisions/{name}": rows[name] if rows[name].ndim == 1 else rows[name][:, :d]
            for name in collision_record.names or ()
        })  # fmt: skip

    def edited(self, time: float, rows: NDArray[np.intp]) -> None:
        """Write an edit: from now on the present balls have these rows."""
        self.writer.put({EDITS: np.array([(time, len(rows))]), f"{EDITS}_rows": rows.astype(np.int64)})

    def advance_to(self, time: float, history: Columns) -> None:
        """Write how far the run has come, and new rows of its history."""
        rows = {f"{HISTORY}{name}": column for name, column in history.items()}
        self.writer.put({**rows, "carom/until": np.array([time])})


def make_layout(header: Header, observables: Sequence[ObservableLayout], history: Mapping[str, Any]) -> Layout:
    """The layout of a recording of this run; `history` shows the types and shapes of the columns of history."""
    scene = header.scene
    n, d = len(scene.balls), scene.dimension
    real, whole = np.dtype(np.float64), np.dtype(np.int64)
    columns = [
        Column(f"{BALLS}/position/value", real, (n, d)),  # in m; MDAnalysis does not know that unit, and would refuse
        Column(f"{BALLS}/velocity/value", real, (n, d), "m s-1"),
    ]
    links = [f"{BALLS}/velocity"]
    plain: dict[str, NDArray[Any]] = {}
    if header.periodic:
        columns.append(Column(f"{BALLS}/image/value", np.dtype(np.int32), (n, d)))
        links.append(f"{BALLS}/image")
    box: dict[str, Any] = {"dimension": d, "boundary": ["none"] * d}
    if scene.boundary.box is not None:
        columns.append(Column(f"{BALLS}/box/edges/value", real, (d,)))
        links.append(f"{BALLS}/box/edges")
        box["boundary"] = ["periodic" if around else "none" for around in scene.boundary.box.periodic]
    for name, values, unit in (("mass", scene.balls.mass, "kg"), ("radius", scene.balls.radius, "m")):
        if header.merging:
            columns.append(Column(f"{BALLS}/{name}/value", real, (n,), unit))
            links.append(f"{BALLS}/{name}")
        else:
            plain[f"{BALLS}/{name}"] = np.array(values)
    plain[f"{BALLS}/species"] = scene.balls.material.codes.astype(np.int32)
    plain[f"{BALLS}/id"] = np.arange(n)
    attributes = _attributes(header, box, list(scene.balls.material.names))
    for each in observables:
        path = f"observables/{each.name}"
        columns.append(Column(f"{path}/value", real, each.shape, each.unit))
        links.append(path)
        if each.columns is not None:
            plain[f"{path}/columns"] = np.array(each.columns, np.float64)
        attributes[path] = {
            "symbol": fixed(each.symbol), "unit": fixed(each.unit), "over_interval": each.over_interval
        }  # fmt: skip
    columns += [Column(f"{BALLS}/position/step", whole), Column(f"{BALLS}/position/time", real, unit="s")]
    if header.events:
        for name in collision_record.names or ():
            kind, shape = collision_record[name].base, collision_record[name].shape
            columns.append(Column(f"carom/collisions/{name}", kind, shape and (d,), UNITS.get(name, "")))
    columns += [_history_column(name, rows, n) for name, rows in history.items()]
    columns += [
        Column(EDITS, real, (2,)),
        Column(f"{EDITS}_rows", whole),
        Column("carom/until", real, unit="s"),
    ]
    return Layout(
        columns=tuple(columns),
        fixed=plain,
        texts={"carom/scene": dumps(scene, "json"), "carom/walls": json.dumps(header.walls)},
        attributes=attributes,
        links={f"{path}/{name}": f"{BALLS}/position/{name}" for path in links for name in ("step", "time")},
    )


def _history_column(name: str, rows: Any, balls: int) -> Column:
    """A column of history; pages are read at random, so they are not packed, and each page has its own chunks."""
    page = {"anchor": balls, "event": max(PAGE * balls, LEAST_PAGE)}.get(name.split("_", maxsplit=1)[0], 0)
    return Column(f"{HISTORY}{name}", rows.dtype, rows.shape[1:], packed=not page, together=page)


def _attributes(header: Header, box: dict[str, Any], materials: list[str]) -> dict[str, dict[str, Any]]:
    texts = {
        "solver": fixed(header.solver),
        "wish": fixed(json.dumps(header.wish)),
        "versions": fixed(json.dumps(header.versions)),
        "triggers": fixed(json.dumps(header.triggers)),
        "source": fixed(header.source),
        "origin": fixed(json.dumps(header.origin)),
        "mark": fixed(header.mark),
    }
    return {
        "h5md": {"version": np.array(VERSION, np.int32)},
        "h5md/author": {"name": "carom"},
        "h5md/creator": {"name": "carom", "version": header.versions["carom"]},
        "h5md/modules/units": {"version": np.array((1, 0), np.int32), "system": "SI"},
        f"{BALLS}/box": box,
        f"{BALLS}/species": {"names": materials},
        "carom": {"format": FORMAT, "events": header.events, DIGEST: fixed(digest_of_texts(texts)), **texts},
    }
