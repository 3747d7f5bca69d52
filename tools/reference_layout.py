"""The layout of recordings as Markdown, from the function that makes it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any

from carom.scene import Attraction, Ball, Box, Scene
from carom.solvers.exact.history.history import History
from carom.storage import formats
from carom.storage.hdf5 import writer
from carom.storage.tape import Header, ObservableLayout, make_layout
from reference_schema import table

HEAD = ["path", "type", "shape", "unit"]
FRAME_OF_BALLS = ("mass", "radius")
"""Frames with one number per ball instead of one per dimension."""


def recordings() -> list[str]:
    """The layout of recordings."""
    whole, merging = _layout(merging=False), _layout(merging=True)
    rows = _rows(whole)
    told = (inspect.getdoc(sys.modules[History.__module__]) or "").partition("(`over`):\n\n")[2]
    return [
        f"A recording is an HDF5 file in the H5MD layout, version {'.'.join(map(str, writer.VERSION))}; what is",
        f"carom's own is under `/carom`, format {formats.FORMAT}. How it is made and read is in",
        "[recording](../recording.md). N is the number of balls, d the dimension (2 or 3). Where the first length is",
        "*rows*, the dataset grows with the run.",
        "",
        *table(HEAD, rows.values()),
        "",
        "`step` and `time` of the other frames (velocity, image, edges of the box, observables) are those of",
        "`position`, under another name. Where balls merge, mass and radius are frames too:",
        "",
        *table(HEAD, [row for path, row in _rows(merging).items() if path not in rows]),
        "",
        "## The columns of the history",
        "",
        *(f"    {line}".rstrip() for line in told.splitlines()),
        "",
        "## Attributes",
        "",
        *table(["object", "attributes"], _attributes(whole)),
    ]


def _layout(*, merging: bool) -> writer.Layout:
    """The layout of a run with all features: periodic and exact, or with balls that merge."""
    balls = [Ball(position=(0.25, 0.25), radius=0.1), Ball(position=(0.75, 0.75), radius=0.1)]
    if merging:
        scene = Scene(balls=balls, attraction=Attraction(touch="merge"))
    else:
        scene = Scene(balls=balls, boundary=Box(size=(1.0, 1.0), periodic=True))
    header = Header(scene, "exact", {}, [], events=True, triggers=[])
    measured = ObservableLayout("NAME", "x", "its own", over_interval=False, shape=(), columns=None)
    return make_layout(header, [measured], {} if merging else History(scene).drain())


def _rows(layout: writer.Layout) -> dict[str, list[str]]:
    """One row per dataset, by its path."""
    rows = {
        column.path: [f"`/{column.path}`", str(column.dtype), " × ".join(["rows", *_lengths(column)]), column.unit]
        for column in layout.columns
    }
    for path, values in layout.fixed.items():
        unit = {"mass": "kg", "radius": "m"}.get(path.rpartition("/")[2], "")
        rows[path] = [f"`/{path}`", str(values.dtype), "N", unit]
    for path in layout.texts:
        rows[path] = [f"`/{path}`", "text, JSON", "", ""]
    rows["carom/rows"] = ["`/carom/rows`", "int64", "rows × datasets", ""]
    rows["carom/complete"] = ["`/carom/complete`", "uint8", "1 after it was closed properly", ""]
    rows[f"{writer.BALLS}/position/value"][3] = "m"
    return dict(sorted(rows.items()))


def _lengths(column: writer.Column) -> list[str]:
    """The lengths of a row by name: the scene has two balls in the plane, so that a 2 is N or d."""
    if column.path.startswith((writer.HISTORY, writer.EDITS)):
        return list(map(str, column.shape))
    names = ["N", "d"] if any(word in column.path.split("/") for word in FRAME_OF_BALLS) else ["d"]
    return ["N", "d"] if len(column.shape) == 2 else names[: len(column.shape)]


def _attributes(layout: writer.Layout) -> Iterable[list[Any]]:
    yield from ([f"`/{path}`", ", ".join(f"`{name}`" for name in one)] for path, one in layout.attributes.items())
    yield ["each growing dataset with a unit", "`unit`"]
    yield ["`/carom/rows`", "`datasets`: the paths whose rows it counts"]
