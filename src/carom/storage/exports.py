"""Export recordings to the formats of other tools: GSD, extended XYZ, and H5MD in three dimensions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.atomic_write import replacing, write_error
from carom.errors import StorageError
from carom.extras import require
from carom.observe.frame import Frame
from carom.storage.hdf5.growing import GrowingDataset
from carom.storage.hdf5.open_file import one_line
from carom.storage.hdf5.writer import BALLS, VERSION, Column, Layout, abandon_on_error, make, new_file, reserve
from carom.storage.recording import Recording

Floats = NDArray[np.float64]
Progress = Callable[[float], object] | None

THICKNESS_2D = 1.0
"""Thickness of the box of a 2D scene, m, in formats that have only 3D."""


def export(source: str | Path | Recording, target: str | Path, progress: Progress = None) -> None:
    """Export a recording in the format that the suffix names: .gsd, .xyz (or .extxyz), .h5md.

    The target is replaced atomically. GSD holds numbers of 4 bytes, the others all 8.
    """
    target = Path(target)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise StorageError(target, f"the ending {target.suffix!r} tells no format", f"Use {' or '.join(WRITERS)}.")
    with contextlib.ExitStack() as stack:
        recording = source if isinstance(source, Recording) else stack.enter_context(Recording(source))
        if target.exists() and target.samefile(recording.path):
            raise StorageError(target, "is the recording itself", "Choose another name.")
        with replacing(target) as part:
            try:
                writer(recording, Path(part.name), progress or (lambda _: None))
            except RuntimeError as error:  # what HDF5 and GSD raise if something cannot be written
                raise write_error(target, error) from error


@dataclass(frozen=True)
class BoundingBox:
    """The 3D box that a format needs: its lower corner, its size, and which axes are periodic."""

    low: Floats
    size: Floats
    periodic: tuple[bool, bool, bool]

    @classmethod
    def of(cls, recording: Recording) -> BoundingBox:
        """The box of the scene, or else one around all recorded positions."""
        box, d = recording.scene.boundary.box, recording.dimension
        low, size, around = np.zeros(3), np.full(3, THICKNESS_2D), [False] * 3
        if box is not None:
            size[:d] = box.size
            around[:d] = box.periodic
        else:
            reach = float(recording.radii.max(initial=0.0))
            lows, highs = np.full(d, np.inf), np.full(d, -np.inf)
            for frame in recording:
                lows = np.fmin(lows, np.nanmin(frame.positions, axis=0, initial=np.inf))
                highs = np.fmax(highs, np.nanmax(frame.positions, axis=0, initial=-np.inf))
            if np.isfinite(lows).all():
                low[:d], size[:d] = lows - reach, np.maximum(highs - lows + 2.0 * reach, 1e-300)
        if d == 2:
            low[2] = -0.5 * THICKNESS_2D
        return cls(low, size, (around[0], around[1], around[2]))


def _frames(recording: Recording, progress: Callable[[float], object]) -> Iterator[tuple[int, Frame]]:
    for k, frame in enumerate(recording):
        yield k, frame
        progress((k + 1) / len(recording))


def _pad_to_3d(rows: NDArray[Any]) -> NDArray[Any]:
    """Vectors padded with zeros to three components."""
    out = np.zeros((*rows.shape[:-1], 3), rows.dtype)
    out[..., : rows.shape[-1]] = rows
    return out


def write_gsd(recording: Recording, path: Path, progress: Callable[[float], object]) -> None:
    """Write GSD in the schema of HOOMD-blue, https://gsd.readthedocs.io; the origin is the centre of the box."""
    require("exports", "a file of GSD")
    import gsd.hoomd  # noqa: PLC0415  # an extra

    room, scene = BoundingBox.of(recording), recording.scene
    middle = room.low + 0.5 * room.size
    steps, measured = recording.steps, {name: series.values for name, series in recording.observables.items()}
    with _single_precision(recording.path), gsd.hoomd.open(str(path), "w") as file:
        for k, frame in _frames(recording, progress):
            there = frame.present
            mass, radius = recording.bulk(k)
            one = gsd.hoomd.Frame()
            one.configuration.step = int(steps[k])
            one.configuration.dimensions = recording.dimension
            one.configuration.box = [*room.size, 0.0, 0.0, 0.0]
            one.particles.N = int(there.sum())
            one.particles.types = list(scene.balls.material.names)
            one.particles.typeid = scene.balls.material.codes[there]
            one.particles.position = _pad_to_3d(frame.positions[there]) - np.where(
                np.arange(3) < recording.dimension, middle, 0.0
            )
            one.particles.velocity = _pad_to_3d(frame.velocities[there])
            one.particles.mass, one.particles.diameter = mass[there], 2.0 * radius[there]
            if frame.turns is not None:
                one.particles.image = _pad_to_3d(frame.turns[there])
            one.log = {"time": np.array([frame.time]), "particles/id": np.flatnonzero(there)}
            one.log |= {name: np.atleast_1d(values[k]) for name, values in measured.items()}
            file.append(one)


@contextlib.contextmanager
def _single_precision(path: Path) -> Iterator[None]:
    """Refuse numbers that four bytes cannot hold."""
    try:
        with np.errstate(over="raise"):
            yield
    except FloatingPointError:
        remedy = "Export it as .xyz or .h5md, which hold all."
        raise StorageError(path, "has numbers above 3.4e38, which GSD cannot hold", remedy) from None


def write_xyz(recording: Recording, path: Path, progress: Callable[[float], object]) -> None:
    """Write extended XYZ, https://github.com/libAtoms/extxyz: text with all digits."""
    room = BoundingBox.of(recording)
    names = np.array(_words(recording.scene.balls.material.names) or ["ball"])
    kinds = names[recording.scene.balls.material.codes]
    columns = "species:S:1:pos:R:3:velo:R:3:radius:R:1:mass:R:1:id:I:1"
    lattice = " ".join(f"{x:.17g}" for x in np.diag(room.size).ravel())
    origin = " ".join(f"{x:.17g}" for x in room.low)
    around = " ".join("T" if each else "F" for each in room.periodic)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for k, frame in _frames(recording, progress):
            there = np.flatnonzero(frame.present)
            mass, radius = recording.bulk(k)
            file.write(f"{len(there)}\n")
            file.write(
                f'Lattice="{lattice}" Origin="{origin}" pbc="{around}" Properties={columns} Time={frame.time:.17g}\n'
            )
            numbers = np.column_stack([_pad_to_3d(frame.positions), _pad_to_3d(frame.velocities), radius, mass])[there]
            for who, row in zip(there, numbers.tolist(), strict=True):
                file.write(f"{kinds[who]} {' '.join(map(repr, row))} {who}\n")


def _words(names: Sequence[str]) -> list[str]:
    """Each name as a unique word: columns are separated by spaces, and rows by line ends."""
    words: list[str] = []
    for k, name in enumerate(names):
        word = "_".join(one_line(name).split()) or "ball"
        words.append(f"{word}_{k}" if word in words else word)
    return words


def write_h5md(recording: Recording, path: Path, progress: Callable[[float], object]) -> None:
    """Write H5MD with frames only, always in 3D: for readers that know nothing else."""
    room, n = BoundingBox.of(recording), len(recording.masses)
    real = np.dtype(np.float64)
    values = {"position": (n, 3), "velocity": (n, 3), "box/edges": (3,)}
    columns = [Column(f"{BALLS}/{name}/value", real, shape) for name, shape in values.items()]
    columns += [Column(f"{BALLS}/position/step", np.dtype(np.int64)), Column(f"{BALLS}/position/time", real, unit="s")]
    layout = Layout(
        columns=tuple(columns),
        fixed={f"{BALLS}/{name}": recording.fixed(f"{BALLS}/{name}") for name in ("species", "id")}
        | {f"{BALLS}/mass": recording.masses, f"{BALLS}/radius": recording.radii},
        attributes={
            "h5md": {"version": np.array(VERSION, np.int32)},
            "h5md/author": {"name": "carom"},
            "h5md/creator": {"name": "carom", "version": recording.versions["carom"]},
            f"{BALLS}/box": {"dimension": 3, "boundary": ["periodic" if each else "none" for each in room.periodic]},
        },
        links={
            f"{BALLS}/{name}/{each}": f"{BALLS}/position/{each}"
            for name in ("velocity", "box/edges")
            for each in ("step", "time")
        },
    )  # fmt: skip
    file = new_file(path, locking=False)  # the caller has the lock
    with abandon_on_error(file):
        make(file, layout)
        reserve(file)
        file.flush()
        growing = {column.path: GrowingDataset(file[column.path]) for column in columns}
        growing[f"{BALLS}/position/step"].take(recording.steps)
        growing[f"{BALLS}/position/time"].take(recording.times)
        for _, frame in _frames(recording, progress):
            growing[f"{BALLS}/position/value"].take(_pad_to_3d(frame.positions)[None])
            growing[f"{BALLS}/velocity/value"].take(_pad_to_3d(frame.velocities)[None])
            growing[f"{BALLS}/box/edges/value"].take(room.size[None])
        for each in growing.values():
            each.settle()
        reserve(file)
        file.close()


WRITERS: dict[str, Callable[[Recording, Path, Callable[[float], object]], None]] = {
    ".gsd": write_gsd,
    ".xyz": write_xyz,
    ".extxyz": write_xyz,
    ".h5md": write_h5md,
}
