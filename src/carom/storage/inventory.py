"""What a file of HDF5 is made of, looked through before anything in it is read.

HDF5 can do much that a recording never needs, and all of it on behalf of whoever made the file: links and datasets that
lead to other files, filters that are loaded as programs, texts of any length, rows that exist only as a claim. So what
a recording does not have is refused before HDF5 follows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.solvers.collision_record import collision_record
from carom.storage.formats import DIGEST, FORMAT, TEXTS, check_digest, digest, digest_of_texts
from carom.storage.hdf5.opening import broken
from carom.storage.hdf5.writer import BALLS, CHUNK, EDITS, PAST
from carom.storage.told import Head

if TYPE_CHECKING:
    import h5py

MOST_OBJECTS = 10_000
"""Names in a file. A recording has about 70, and 5 for each observable."""
LONGEST_ATTRIBUTE = 2**24
"""Bytes of an attribute that is read. The largest tells at which times frames were wished."""
LARGEST_ROW = 2**26
"""Bytes of a row of a column, unless the balls of the scene take more."""
RATIO = 1100
"""Deflate presses nothing to less than the 1032nd part."""
FRAMES, LOG = f"{BALLS}/", "carom/collisions/"
GROWING = ("carom/rows", "carom/complete")
"""Datasets that grow, beside the columns."""
ROWS: dict[str, tuple[str, str]] = {
    f"{FRAMES}position/value": ("f8", "nd"), f"{FRAMES}velocity/value": ("f8", "nd"),
    f"{FRAMES}image/value": ("i4", "nd"),
    f"{FRAMES}box/edges/value": ("f8", "d"), f"{FRAMES}mass/value": ("f8", "n"), f"{FRAMES}radius/value": ("f8", "n"),
    f"{FRAMES}position/step": ("i8", ""), f"{FRAMES}position/time": ("f8", ""),
    EDITS: ("f8", "2"), f"{EDITS}_rows": ("i8", ""), "carom/until": ("f8", ""),
    **{
        f"{LOG}{name}": (collision_record[name].base.str[1:], "d" if collision_record[name].shape else "")
        for name in collision_record.names or ()
    },
}  # fmt: skip
"""Of each column, the type of its numbers and the shape of a row: n balls, d dimensions."""
NEEDED = (f"{FRAMES}position/value", f"{FRAMES}velocity/value", f"{FRAMES}position/step", f"{FRAMES}position/time",
          EDITS, f"{EDITS}_rows", "carom/until")  # fmt: skip


def look_through(file: h5py.File) -> dict[int, str]:
    """The names of all datasets, by where they are; ValueError at the first thing that a recording never has."""
    import h5py  # noqa: PLC0415  # heavy; only who reads needs it

    size = file.id.get_filesize()
    found: dict[int, str] = {}
    seen, waiting, count = {h5py.h5o.get_info(file.id).addr}, [("", h5py.h5g.open(file.id, b"/"))], 0
    while waiting:
        where, group = waiting.pop()
        for name in _names(group, MOST_OBJECTS - count):
            count += 1
            path = f"{where}{name.decode('utf-8', 'backslashreplace')}"
            if group.links.get_info(name).type != h5py.h5l.TYPE_HARD:
                raise ValueError(f"{path} is a link that leads elsewhere")
            each = h5py.h5o.open(group, name)
            address = h5py.h5o.get_info(each).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(each, h5py.h5g.GroupID):
                waiting.append((f"{path}/", each))
            elif isinstance(each, h5py.h5d.DatasetID):
                _check_dataset(each, path, size)
                found[address] = path
            else:
                raise ValueError(f"{path} is neither a group nor a dataset")
    return found


def _names(group: Any, most: int) -> list[bytes]:
    """The names in a group, if they are not more than so many."""
    found: list[bytes] = []

    def take(name: bytes) -> bool | None:
        found.append(name)
        return True if len(found) > most else None

    group.links.iterate(take)
    if len(found) > most:
        raise ValueError(f"has more than {MOST_OBJECTS:,} objects")
    return found


def _check_dataset(dataset: Any, path: str, size: int) -> None:
    """Refuse a dataset that leads to other files, needs other filters, holds no plain numbers or texts, or lies."""
    from h5py import h5d, h5t, h5z  # noqa: PLC0415  # as above

    plan = dataset.get_create_plist()
    layout = plan.get_layout()
    if layout == h5d.VIRTUAL or plan.get_external_count():
        raise ValueError(f"{path} has its rows in another file")
    filters = tuple(plan.get_filter(k)[0] for k in range(min(plan.get_nfilters(), 3)))
    if filters not in ((), (h5z.FILTER_DEFLATE,), (h5z.FILTER_SHUFFLE, h5z.FILTER_DEFLATE)):
        raise ValueError(f"{path} is packed in a way that carom does not know")
    kind = dataset.get_type()
    plain = kind.get_class() in (h5t.INTEGER, h5t.FLOAT) and kind.get_size() <= 8
    text = kind.get_class() == h5t.STRING and not kind.is_variable_str() and dataset.shape == ()
    if not (plain or text):
        raise ValueError(f"{path} holds neither numbers nor a text")
    if layout != h5d.CHUNKED and int(np.prod(dataset.shape, dtype=object)) * kind.get_size() > size:
        raise ValueError(f"{path} is larger than the file")


def attribute(owner: Any, name: str) -> Any:
    """An attribute that is a number, a text of known length, or several; ValueError if it is something else."""
    from h5py import h5a, h5t  # noqa: PLC0415  # as above

    if not h5a.exists(owner.id, name.encode()):
        raise ValueError(f"the attribute {name} is missing")
    found = h5a.open(owner.id, name.encode())
    kind = found.get_type()
    known = kind.get_class() in (h5t.INTEGER, h5t.FLOAT, h5t.ENUM, h5t.STRING)
    if not known or (kind.get_class() == h5t.STRING and kind.is_variable_str()):
        raise ValueError(f"the attribute {name} is neither a number nor a text of known length")
    if found.get_storage_size() > LONGEST_ATTRIBUTE:
        raise ValueError(f"the attribute {name} is too long")
    return owner.attrs[name]


def words(value: Any) -> list[str]:
    """The texts of an attribute."""
    return [bytes(each).decode("utf-8") for each in np.atleast_1d(np.asarray(value, np.bytes_)).tolist()]


def word(value: Any) -> str:
    """The text of an attribute."""
    (found,) = words(value)
    return found


def fixed_value(file: h5py.File, path: str, form: int) -> Any:
    """The numbers or the text of a dataset that does not grow; ValueError if they are not those that were written."""
    dataset = file[path]
    value = dataset[()]
    if form == FORMAT:
        check_digest(path, word(attribute(dataset, DIGEST)), digest(value))
    return value


def head_of(file: h5py.File, form: int) -> Head:
    """What a file tells of how it was made. It may come from anyone."""
    own = file["carom"]
    texts = {name: attribute(own, name) for name in TEXTS if name != "origin" or name in own.attrs}  # once, none was
    if form == FORMAT:
        check_digest("what it tells of the run", word(attribute(own, DIGEST)), digest_of_texts(texts))
    plain = {name: word(text) for name, text in texts.items()}
    told: dict[str, Any] = {name: plain[name] for name in ("solver", "mark", "source")}
    told |= {name: json.loads(plain.get(name, "{}")) for name in ("wish", "versions", "triggers", "origin")}
    return Head.model_validate({**told, "walls": json.loads(bytes(fixed_value(file, "carom/walls", form)))})


def check_columns(
    file: h5py.File, datasets: Mapping[int, str], names: Sequence[str], row: tuple[int, int], path: Path
) -> None:
    """Are the columns such as a recording of so many balls in so many dimensions has, and all else no column?"""
    import h5py  # noqa: PLC0415  # as above

    if len(set(names)) < len(names) or any(name not in names for name in NEEDED):
        raise broken(path, "columns are missing, or there twice")
    places = {h5py.h5o.get_info(file[name].id).addr for name in (*names, *GROWING)}
    if len(places) < len(names) + len(GROWING) or not places <= datasets.keys():
        raise broken(path, "columns are missing, or there twice")
    lengths = {"n": row[0], "d": row[1], "2": 2}
    most = max(LARGEST_ROW, 8 * row[0] * row[1])
    for name in names:
        dataset = file[name]
        if name in ROWS:
            kind, shape = ROWS[name]
            fits = dataset.dtype == kind and dataset.shape[1:] == tuple(lengths[each] for each in shape)
        else:
            fits = name.startswith(PAST) or (_is_measured(name) and dataset.dtype == "f8")
        if not fits:
            raise broken(path, f"{name} is no column of such a run")
        _check_chunks(dataset, name, most, CHUNK, path)
    _check_chunks(file["carom/rows"], "carom/rows", most, max(CHUNK, 256 * 8 * len(names)), path)
    if file["carom/rows"].shape[1:] != (len(names),) or file["carom/rows"].dtype != "i8":
        raise broken(path, "carom/rows counts other columns")
    for address, name in datasets.items():
        if address not in places and file[name].chunks is not None:
            raise broken(path, f"{name} is a column that is not counted")


def _is_measured(name: str) -> bool:
    return name.startswith("observables/") and name.endswith("/value") and name.count("/") == 2


def _check_chunks(dataset: Any, name: str, most: int, chunk: int, path: Path) -> None:
    """Chunks are of whole rows, and small; only where a row is large, a row each."""
    chunks, shape = dataset.chunks, dataset.shape[1:]
    row = dataset.dtype.itemsize * int(np.prod(shape, dtype=object))
    whole = chunks is not None and chunks[1:] == tuple(max(1, length) for length in shape)
    if not whole or not (row <= most and (chunks[0] == 1 or chunks[0] * row <= chunk)):
        raise broken(path, f"{name} is no column of rows")


def check_counts(file: h5py.File, count: Mapping[str, int], path: Path) -> None:
    """Has each column so many rows, and can they be in the file?"""
    size = file.id.get_filesize()
    for name, rows in count.items():
        dataset = file[name]
        if not 0 <= rows <= len(dataset):
            raise broken(path, f"{name} has {len(dataset)} rows where {rows} are counted")
        row = dataset.dtype.itemsize * int(np.prod(dataset.shape[1:], dtype=object))
        stored = min(dataset.id.get_storage_size(), size)
        if rows * row > size and rows * row > RATIO * stored + row * dataset.chunks[0]:
            raise broken(path, f"{name} has rows that are not in the file")
