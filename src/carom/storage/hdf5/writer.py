"""Writes a recording as H5MD 1.1 in HDF5, in its own thread; the file is readable at any time.

The layout is that of de Buyl, Colberg, Höfling, Comput. Phys. Commun. 185, 1546 (2014), https://nongnu.org/h5md/;
carom's own data are under /carom. The file is created under another name, switched to single-writer-multiple-readers
mode (SWMR) and moved into place; from then on it can be read at any moment, also after a crash. Rows are appended; a
row of /carom/rows commits them: it says how many rows of each dataset belong together, and is written after them.
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

from carom.atomic_write import beside, settle, sync, write_error
from carom.errors import StorageError
from carom.storage.formats import DIGEST, digest
from carom.storage.hdf5.chunks import Chunks, StoredColumn
from carom.storage.hdf5.growing import GrowingDataset
from carom.storage.lock import Lock

if TYPE_CHECKING:
    import h5py

    from carom.scene import Scene
    from carom.solvers.exact.history.history import History

BALLS = "particles/balls"
HISTORY = "carom/history/"
EDITS = "carom/edits"
"""Edits: the time and the number of balls left; another dataset has their rows."""
VERSION = (1, 1)
"""The version of H5MD."""
CHUNK = 2**18
"""Approximate size of a chunk in bytes: large enough to compress well, small enough to read one frame quickly."""
MIN_CHUNK = 2**12
"""Smallest size of a chunk in bytes: each chunk needs an entry in an index."""
COMMIT_INTERVAL = 1.0
"""Rows become readable after about this time, s."""
COMMIT_SHARE = 0.02
"""In a long run they become readable after this part of the elapsed time: each commit writes partial chunks again to
new places, and the wasted space must stay small."""
QUEUE_BYTES = 2**28
"""Bytes in the queue of the writer; a faster run waits."""
STREAM: dict[str, Any] = {"compression": "gzip", "compression_opts": 1}
"""Options of each dataset that grows: a chunk is a stream with a checksum, compressed or not."""
METADATA = 2**18
"""Bytes reserved for the structure of a file before the first flush; a sixteenth of the file size is added."""
ARRAY_OVERHEAD = 256
"""Approximate size of an array object besides its data, bytes."""

Batch = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Column:
    """A dataset that grows by rows."""

    path: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...] = ()
    """The shape of a row."""
    unit: str = ""
    packed: bool = True
    """True: compressed. Noise and columns that are read at random are not."""
    together: int = 0
    """The number of rows that are read together, which sets the chunk within limits; 0 for any."""

    @property
    def chunk(self) -> int:
        """Rows per chunk."""
        row = max(1, self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64)))
        most = int(np.clip(CHUNK // row, 1, 2**14))
        return min(most, max(self.together, MIN_CHUNK // row)) if self.together else most

    @classmethod
    def like(cls, path: str, rows: NDArray[Any], unit: str = "") -> Column:
        """A column for rows like these."""
        return cls(path, rows.dtype, rows.shape[1:], unit)


@dataclass(frozen=True)
class Layout:
    """All objects of a file except rows: once the file is being read, only rows can be added."""

    columns: tuple[Column, ...]
    fixed: dict[str, NDArray[Any]] = field(default_factory=dict)
    """Datasets that never change."""
    texts: dict[str, str] = field(default_factory=dict)
    """Texts that never change, and are read again."""
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Attributes by object; missing groups are created."""
    links: dict[str, str] = field(default_factory=dict)
    """Hard links: other names of columns."""

    @property
    def nbytes(self) -> int:
        """Approximate size of all fixed datasets, bytes."""
        return sum(each.nbytes for each in self.fixed.values()) + sum(4 * len(each) for each in self.texts.values())


class HDF5Writer:
    """Appends rows to a recording in its own thread. An error in the thread is raised by the next call."""

    def __init__(self, path: Path, fill: Callable[[h5py.File], None], *, lock: Lock) -> None:
        """Create the file with `fill`, which lays it out, and start the thread."""
        self.path = path
        self.lock = lock
        self.error: BaseException | None = None
        self._queue: queue.Queue[Any] = queue.Queue()
        self._room = threading.Condition()
        self._waiting = 0
        """Bytes in the queue."""
        self._closed = False
        self._file = self._create_file(fill)
        self._rows = GrowingDataset(self._file["carom/rows"])
        names = [bytes(name).decode() for name in self._rows.dataset.attrs["datasets"].tolist()]
        self._sets = {name: GrowingDataset(self._file[name]) for name in names}
        self._committed: list[int] = []
        """The number of rows of each dataset at the last commit."""
        self._thread = threading.Thread(target=self._work, name=f"carom writes {path.name}", daemon=True)
        self._thread.start()

    # Called by the run.

    def put(self, rows: Batch) -> None:
        """Queue rows to be appended; the arrays must not be changed afterwards."""
        self._check()
        self._enqueue(dict(rows))

    def flush(self) -> dict[str, int]:
        """Wait until all queued rows are on the disk, and return the number of rows of each dataset."""
        self._check()
        done = threading.Event()
        self._enqueue(done)
        self._await(done)
        self._check()
        return {path: each.length for path, each in self._sets.items()}

    def close(self, *, complete: bool = True) -> None:
        """Write all queued rows, end the thread and close the file."""
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
        """The number of written rows of a dataset; after `flush` or `close` that is all of them."""
        return self._sets[name].length

    def history(self, scene: Scene) -> History | None:
        """The history in the file, before rows are put; None if it has none."""
        from carom.solvers.exact.history.history import History  # noqa: PLC0415  # Numba is not loaded before it is needed

        columns = {
            name.removeprefix(HISTORY): StoredColumn(self.path, each.dataset, each.length)
            for name, each in self._sets.items()
            if name.startswith(HISTORY)
        }
        return History.over(scene, columns) if columns else None

    def _enqueue(self, packet: Any) -> None:
        """Queue a packet; wait while the queue is full and the thread is alive."""
        if self._closed:
            raise StorageError(self.path, "the recording has ended", "Record into another file, or run on without.")
        size = _size(packet)
        with self._room:
            while self._waiting and self._waiting + size > QUEUE_BYTES:
                if not self._room.wait(0.5) and not self._thread.is_alive():
                    break
            self._waiting += size
        self._check()
        self._queue.put(packet)

    def _release(self, packet: Any) -> None:
        """Free the space of a processed packet in the queue."""
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
        except BaseException as error:  # raised again in the thread of the run
            self.error = error
            abandon(self._file)
            self._drop()

    def _serve(self) -> None:
        began = monotonic()
        due, waiting = began + COMMIT_INTERVAL, False
        while True:
            try:
                packet = self._queue.get(timeout=max(0.0, due - monotonic()) if waiting else None)
            except queue.Empty:
                packet = None
            if isinstance(packet, dict):
                for path, rows in packet.items():
                    self._sets[path].take(rows)
                self._release(packet)
                waiting = True
            if not isinstance(packet, dict) or monotonic() >= due:
                self._settle()
                now = monotonic()
                due, waiting = now + max(COMMIT_INTERVAL, COMMIT_SHARE * (now - began)), False
            if isinstance(packet, threading.Event):
                self._sync()
                packet.set()
            elif isinstance(packet, bool):
                if packet:
                    end = GrowingDataset(self._file["carom/complete"])
                    end.append(np.ones(1, np.uint8))
                    end.dataset.flush()
                self._sync()
                return

    def _drop(self) -> None:
        """Empty the queue and release all waiting callers after the thread has failed."""
        with contextlib.suppress(queue.Empty):
            while True:
                packet = self._queue.get_nowait()
                self._release(packet)
                if isinstance(packet, threading.Event):
                    packet.set()

    def _settle(self) -> None:
        """Write all rows, and then commit them."""
        for each in self._sets.values():
            each.settle()
        counts = [each.length for each in self._sets.values()]
        if counts == self._committed:
            return
        for each in self._sets.values():
            each.dataset.flush()
        self._rows.append(np.array([counts], np.int64))
        self._rows.dataset.flush()
        self._committed = counts

    def _sync(self) -> None:
        """Ask the system to write the file to the disk."""
        sync(self._file.id.get_vfd_handle())

    # Making the file.

    def _create_file(self, fill: Callable[[h5py.File], None]) -> h5py.File:
        part = beside(self.path, "part")
        try:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()
            try:
                file = new_file(part)
                with abandon_on_error(file):
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
            raise write_error(self.path, error) from error
        return file


def _size(packet: Any) -> int:
    """Approximate size of a packet in bytes."""
    return sum(each.nbytes + ARRAY_OVERHEAD for each in packet.values()) if isinstance(packet, dict) else 0


def new_file(path: Path, **options: Any) -> h5py.File:
    """Create an empty HDF5 file."""
    import h5py  # noqa: PLC0415  # heavy; only writers need it

    return h5py.File(path, "w", libver="latest", **options)


@contextlib.contextmanager
def abandon_on_error(file: h5py.File) -> Iterator[None]:
    """After an error, close the file without writing the rest of it."""
    try:
        yield
    except BaseException:
        abandon(file)
        with contextlib.suppress(Exception):
            file.close()
        raise


def reserve(file: h5py.File, nbytes: int = 0) -> None:
    """Raise an error if the disk has no space for `nbytes` and for the structure of the file.

    HDF5 writes both later. If it cannot, it prints long messages and may crash.
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
        if error.errno not in {errno.EINVAL, errno.EOPNOTSUPP}:  # some file systems cannot do this
            raise
    finally:
        os.close(handle)


def abandon(file: h5py.File) -> None:
    """Leave a file as it is: redirect what HDF5 still writes to the null device.

    A file that cannot be written cannot be closed either; HDF5 would try again at the end of the process, and crash.
    """
    with contextlib.suppress(Exception):
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, file.id.get_vfd_handle())
        os.close(nowhere)


def make(file: h5py.File, layout: Layout) -> None:
    """Create all objects of a layout in an empty file."""
    reserve(file, layout.nbytes)
    for path, values in (*layout.fixed.items(), *((path, fixed(text)) for path, text in layout.texts.items())):
        file.create_dataset(path, data=values).attrs[DIGEST] = fixed(digest(values))
    for column in layout.columns:
        shape = column.shape
        most = (None, *(length or None for length in shape))  # HDF5 has no chunks of length 0
        chunks = (column.chunk, *shape)  # whole rows: reading one row reads one chunk
        dataset = file.create_dataset(
            column.path, (0, *shape), column.dtype, maxshape=most, chunks=tuple(max(1, c) for c in chunks),
            shuffle=column.packed, **STREAM,
        )  # fmt: skip
        if column.unit:
            dataset.attrs["unit"] = column.unit
    names = [column.path for column in layout.columns]
    rows = file.create_dataset(  # one chunk per row, never written again
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
    """A text of fixed length. HDF5 stores other texts elsewhere, and trusts any length that a file claims."""
    return np.bytes_(text.encode())


def copy_rows(old: h5py.File, new: h5py.File, rows: Mapping[str, int]) -> None:
    """Copy the first rows of each column into a file with the same columns; `rows` are their numbers."""
    for name, count in rows.items():
        source, target = Chunks(old[name]), new[name]
        if target.shape[1:] != source.row or target.dtype != source.dtype:
            raise ValueError(f"{name} is laid out in another way")
        if target.chunks == old[name].chunks and target.shuffle == old[name].shuffle:
            _copy_chunks(source, target, count)
        else:  # pages of a different length had different chunks
            growing = GrowingDataset(target)
            for start in range(0, count, source.chunk):
                growing.take(source.read(start, min(start + source.chunk, count)))
            growing.settle()
    told = new["carom/rows"]
    told.resize(1, axis=0)
    told[0] = [rows[bytes(name).decode()] for name in told.attrs["datasets"].tolist()]


def _copy_chunks(source: Chunks, target: Any, count: int) -> None:
    """Copy the first `count` rows as packed chunks."""
    target.resize(count, axis=0)
    for start in range(0, count if source.nbytes else 0, source.chunk):
        place = (start, *(0 for _ in source.row))
        mask, data = source.read_packed(place)
        target.id.write_direct_chunk(place, data, mask)
