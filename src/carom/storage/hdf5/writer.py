"""Writing a recording: H5MD 1.1 in HDF5, by a thread of its own, whole at every moment.

The layout is that of de Buyl, Colberg, Höfling, Comput. Phys. Commun. 185, 1546 (2014), https://nongnu.org/h5md/, with
what is ours under /carom. The file is made under another name, switched to single-writer-multiple-readers mode and
moved into place; from then on it can be read at any moment, and after a crash too. Rows are appended; a row of
/carom/rows tells how many rows of each dataset belong together, and is written after them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.atomic_write import beside, settle, sync, unwritten
from carom.errors import StorageError
from carom.storage.formats import DIGEST, digest
from carom.storage.hdf5.chunks import Chunks, Rows
from carom.storage.hdf5.growing import Growing
from carom.storage.lock import Lock

if TYPE_CHECKING:
    import h5py

    from carom.scene import Scene
    from carom.solvers.exact.history.history import History

BALLS = "particles/balls"
PAST = "carom/history/"
EDITS = "carom/edits"
"""Where it is told who was left after edits: the time and how many, and in another dataset their rows."""
VERSION = (1, 1)
"""Of H5MD."""
CHUNK = 2**18
"""Bytes of a chunk, about: enough to compress well, little enough to read one frame quickly."""
SMALL = 2**12
"""Bytes of a chunk at least: each has its place in an index."""
PAUSE = 1.0
"""Rows wait about so long before they can be read, s."""
SHARE = 0.02
"""In a long run they wait for this part of the time that it has taken: chunks that are not full are written again, each
time in another place, and what that wastes must not add up."""
ROOM = 2**28
"""Bytes that may wait for the writer; a run that is faster waits for it."""
STREAM: dict[str, Any] = {"compression": "gzip", "compression_opts": 1}
"""Of each dataset that grows: a chunk is a stream that ends with a checksum, whether or not anything is compressed."""
METADATA = 2**18
"""Bytes that the structure of a file may take before it is first flushed, and a sixteenth of its rows."""
EACH = 256
"""Bytes that an array takes beside its numbers, about."""

Batch = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Column:
    """A dataset that grows by rows."""

    path: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...] = ()
    """Of a row."""
    unit: str = ""
    packed: bool = True
    """Is it compressed? What is noise is not worth the time, and what is read here and there is wanted soon."""
    together: int = 0
    """Rows that are read together: a chunk has as many, if they are neither very few nor very many. 0 if any may be."""

    @property
    def chunk(self) -> int:
        """Rows of a chunk."""
        row = max(1, self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64)))
        most = int(np.clip(CHUNK // row, 1, 2**14))
        return min(most, max(self.together, SMALL // row)) if self.together else most

    @classmethod
    def like(cls, path: str, rows: NDArray[Any], unit: str = "") -> Column:
        """One that takes rows such as these."""
        return cls(path, rows.dtype, rows.shape[1:], unit)


@dataclass(frozen=True)
class Layout:
    """All that a file holds, before the first row: once it is being read, nothing but rows can be added."""

    columns: tuple[Column, ...]
    fixed: dict[str, NDArray[Any]] = field(default_factory=dict)
    """Datasets that do not change."""
    texts: dict[str, str] = field(default_factory=dict)
    """Texts that do not change; they are read again."""
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By object; groups are made where there are none."""
    links: dict[str, str] = field(default_factory=dict)
    """Other names of columns."""

    @property
    def nbytes(self) -> int:
        """Of what does not change, about."""
        return sum(each.nbytes for each in self.fixed.values()) + sum(4 * len(each) for each in self.texts.values())


class Writer:
    """Appends rows to a recording, in a thread of its own. What goes wrong there is raised at the next call."""

    def __init__(self, path: Path, fill: Callable[[h5py.File], None], *, lock: Lock) -> None:
        """Make the file with `fill`, which lays it out, and begin."""
        self.path = path
        self.lock = lock
        self.error: BaseException | None = None
        self._queue: queue.Queue[Any] = queue.Queue()
        self._room = threading.Condition()
        self._waiting = 0
        """Bytes in the queue."""
        self._closed = False
        self._file = self._made(fill)
        self._rows = Growing(self._file["carom/rows"])
        names = [bytes(name).decode() for name in self._rows.dataset.attrs["datasets"].tolist()]
        self._sets = {name: Growing(self._file[name]) for name in names}
        self._told: list[int] = []
        """How many rows of each were last said to belong together."""
        self._thread = threading.Thread(target=self._work, name=f"carom writes {path.name}", daemon=True)
        self._thread.start()

    # For who runs.

    def put(self, rows: Batch) -> None:
        """Append rows, some time; the arrays must not be changed any more."""
        self._check()
        self._hand(dict(rows))

    def flush(self) -> dict[str, int]:
        """Wait until everything is on the disk; gives how many rows each dataset has."""
        self._check()
        done = threading.Event()
        self._hand(done)
        self._await(done)
        self._check()
        return {path: each.length for path, each in self._sets.items()}

    def close(self, *, complete: bool = True) -> None:
        """Write what is left, and end."""
        if self._closed:
            return
        self._closed = True
        try:
            if self.error is None:
                self._queue.put(complete)
            self._thread.join()
        finally:
            with contextlib.suppress(Exception):
                self._file.close()
            self.lock.release()
        self._check()

    def rows(self, name: str) -> int:
        """How many rows of a dataset are written; all that were put, once it is closed or flushed."""
        return self._sets[name].length

    def history(self, scene: Scene) -> History | None:
        """The history in the columns of the file, before rows are put; None if there are none."""
        from carom.solvers.exact.history.history import History  # noqa: PLC0415  # Numba is not loaded before it is needed

        columns = {
            name.removeprefix(PAST): Rows(self.path, each.dataset, each.length)
            for name, each in self._sets.items()
            if name.startswith(PAST)
        }
        return History.over(scene, columns) if columns else None

    def _hand(self, packet: Any) -> None:
        """Queue a packet, and wait for room as long as the thread lives."""
        if self._closed:
            raise StorageError(self.path, "the recording has ended", "Record into another file, or run on without.")
        size = _size(packet)
        with self._room:
            while self._waiting and self._waiting + size > ROOM:
                if not self._room.wait(0.5) and not self._thread.is_alive():
                    break
            self._waiting += size
        self._check()
        self._queue.put(packet)

    def _taken(self, packet: Any) -> None:
        """A packet has been dealt with: there is room for others."""
        with self._room:
            self._waiting -= _size(packet)
            self._room.notify_all()

    def _await(self, done: threading.Event) -> None:
        while not done.wait(0.5):
            if not self._thread.is_alive():
                return

    def _check(self) -> None:
        if self.error is not None:
            error = self.error
            if isinstance(error, StorageError):
                raise error
            raise StorageError.of(self.path, error) from error

    # The thread.

    def _work(self) -> None:
        try:
            self._serve()
        except BaseException as error:  # it is raised again where the run is
            self.error = error
            let_go(self._file)
            self._drop()

    def _serve(self) -> None:
        began = monotonic()
        due, waiting = began + PAUSE, False
        while True:
            try:
                packet = self._queue.get(timeout=max(0.0, due - monotonic()) if waiting else None)
            except queue.Empty:
                packet = None
            if isinstance(packet, dict):
                for path, rows in packet.items():
                    self._sets[path].take(rows)
                self._taken(packet)
                waiting = True
            if not isinstance(packet, dict) or monotonic() >= due:
                self._settle()
                now = monotonic()
                due, waiting = now + max(PAUSE, SHARE * (now - began)), False
            if isinstance(packet, threading.Event):
                self._sync()
                packet.set()
            elif isinstance(packet, bool):
                if packet:
                    end = Growing(self._file["carom/complete"])
                    end.append(np.ones(1, np.uint8))
                    end.dataset.flush()
                self._sync()
                return

    def _drop(self) -> None:
        """Let nobody wait for a thread that is gone."""
        with contextlib.suppress(queue.Empty):
            while True:
                packet = self._queue.get_nowait()
                self._taken(packet)
                if isinstance(packet, threading.Event):
                    packet.set()

    def _settle(self) -> None:
        """Write all rows, and then say that they belong together."""
        for each in self._sets.values():
            each.settle()
        counts = [each.length for each in self._sets.values()]
        if counts == self._told:
            return
        for each in self._sets.values():
            each.dataset.flush()
        self._rows.append(np.array([counts], np.int64))
        self._rows.dataset.flush()
        self._told = counts

    def _sync(self) -> None:
        """Have the system put it on the disk."""
        sync(self._file.id.get_vfd_handle())

    # Making the file.

    def _made(self, fill: Callable[[h5py.File], None]) -> h5py.File:
        part = beside(self.path, "part")
        try:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()
            try:
                file = new_file(part)
                with whole_or_let_go(file):
                    fill(file)
                    reserve(file)
                    file.flush()
                    file.swmr_mode = True
                    sync(file.id.get_vfd_handle())
                    part.replace(self.path)
                    settle(self.path.parent)
            except BaseException:
                with contextlib.suppress(OSError):
                    part.unlink()
                raise
        except (OSError, RuntimeError) as error:
            raise unwritten(self.path, error) from error
        return file


def _size(packet: Any) -> int:
    """Bytes that a packet holds, about."""
    return sum(each.nbytes + EACH for each in packet.values()) if isinstance(packet, dict) else 0


def new_file(path: Path, **options: Any) -> h5py.File:
    """An empty file of HDF5, to write."""
    import h5py  # noqa: PLC0415  # heavy; only who writes needs it

    return h5py.File(path, "w", libver="latest", **options)


@contextlib.contextmanager
def whole_or_let_go(file: h5py.File) -> Iterator[None]:
    """After an error, close a file without writing the rest of it."""
    try:
        yield
    except BaseException:
        let_go(file)
        with contextlib.suppress(Exception):
            file.close()
        raise


def reserve(file: h5py.File, nbytes: int = 0) -> None:
    """Refuse to go on where there is no room for so many bytes and for the structure of the file.

    HDF5 keeps both for later. Where it cannot write them, it complains at length, and may crash.
    """
    if not hasattr(os, "posix_fallocate"):
        return
    handle = os.open(file.filename, os.O_RDWR)
    try:
        size = os.fstat(handle).st_size
        try:
            os.posix_fallocate(handle, size, nbytes + METADATA + size // 16)
        finally:
            os.ftruncate(handle, size)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.EOPNOTSUPP}:  # not every file system can
            raise
    finally:
        os.close(handle)


def let_go(file: h5py.File) -> None:
    """Leave a file as it is: what HDF5 still has to write goes nowhere.

    A file that cannot be written cannot be closed either; HDF5 would try again when the process ends, and crash.
    """
    with contextlib.suppress(Exception):
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, file.id.get_vfd_handle())
        os.close(nowhere)


def make(file: h5py.File, layout: Layout) -> None:
    """Lay out an empty file."""
    reserve(file, layout.nbytes)
    for path, values in (*layout.fixed.items(), *((path, fixed(text)) for path, text in layout.texts.items())):
        file.create_dataset(path, data=values).attrs[DIGEST] = fixed(digest(values))
    for column in layout.columns:
        shape = column.shape
        most = (None, *(length or None for length in shape))  # chunks of no length there cannot be
        chunks = (column.chunk, *shape)  # whole rows: who reads one, reads one chunk
        dataset = file.create_dataset(
            column.path, (0, *shape), column.dtype, maxshape=most, chunks=tuple(max(1, c) for c in chunks),
            shuffle=column.packed, **STREAM,
        )  # fmt: skip
        if column.unit:
            dataset.attrs["unit"] = column.unit
    names = [column.path for column in layout.columns]
    rows = file.create_dataset(  # a chunk is a row, which is never written again
        "carom/rows", (0, len(names)), "i8", maxshape=(None, len(names)), chunks=(1, len(names)), **STREAM
    )
    rows.attrs["datasets"] = np.array([fixed(name) for name in names])
    file.create_dataset("carom/complete", (0,), "u1", maxshape=(None,), chunks=(1,))
    for path, target in layout.links.items():
        file[path] = file[target]
    for path, attributes in layout.attributes.items():
        target = file.require_group(path) if path not in file else file[path]
        target.attrs.update(attributes)


def fixed(text: str) -> np.bytes_:
    """A text whose length is told where it stands. HDF5 keeps others elsewhere, and believes any length they tell."""
    return np.bytes_(text.encode())


def copy_rows(old: h5py.File, new: h5py.File, rows: Mapping[str, int]) -> None:
    """Copy so many rows of each column into a file that has the same ones."""
    for name, count in rows.items():
        source, target = Chunks(old[name]), new[name]
        if target.shape[1:] != source.row or target.dtype != source.dtype:
            raise ValueError(f"{name} is laid out in another way")
        if target.chunks == old[name].chunks and target.shuffle == old[name].shuffle:
            _copy_chunks(source, target, count)
        else:  # pages of another length had other chunks
            growing = Growing(target)
            for start in range(0, count, source.chunk):
                growing.take(source.read(start, min(start + source.chunk, count)))
            growing.settle()
    told = new["carom/rows"]
    told.resize(1, axis=0)
    told[0] = [rows[bytes(name).decode()] for name in told.attrs["datasets"].tolist()]


def _copy_chunks(source: Chunks, target: Any, count: int) -> None:
    """Copy so many rows, chunk by chunk as they stand in the file."""
    target.resize(count, axis=0)
    for start in range(0, count if source.nbytes else 0, source.chunk):
        place = (start, *(0 for _ in source.row))
        mask, data = source.stored(place)
        target.id.write_direct_chunk(place, data, mask)
