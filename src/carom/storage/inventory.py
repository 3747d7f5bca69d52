"""Checks the objects in an HDF5 file before anything in it is read.

HDF5 has many features that a recording never needs and a malicious file could use: links and datasets that lead
to other files, filters that are loaded as programs, texts of any length, rows that are declared but not stored.
What a recording does not have is refused before HDF5 follows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.solvers.collision_record import collision_record
from carom.storage.formats import DIGEST, FORMAT, TEXTS, check_digest, digest, digest_of_texts
from carom.storage.hdf5.open_file import broken_error
from carom.storage.hdf5.writer import BALLS, CHUNK, EDITS, HISTORY
from carom.storage.metadata import RecordingMetadata

if TYPE_CHECKING:
    import h5py

MAX_OBJECTS = 10_000
"""Largest number of names in a file. A recording has about 70, and 5 per observable."""
MAX_ATTRIBUTE_BYTES = 2**24
"""Largest attribute that is read, in bytes. The longest one lists the times of frames."""
MAX_ROW_BYTES = 2**26
"""Largest row of a column, in bytes, unless the balls of the scene take more."""
MAX_COMPRESSION = 1100
"""Deflate compresses by a factor of 1032 at most."""
FRAMES, LOG = f"{BALLS}/", "carom/collisions/"
GROWING = ("carom/rows", "carom/complete")
"""Datasets that grow, besides the columns."""
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
"""The type of each column, and the shape of its rows: n balls, d dimensions."""
NEEDED = (f"{FRAMES}position/value", f"{FRAMES}velocity/value", f"{FRAMES}position/step", f"{FRAMES}position/time",
          EDITS, f"{EDITS}_rows", "carom/until")  # fmt: skip


def check_objects(file: h5py.File) -> dict[int, str]:
    """The names of all datasets by address; raise ValueError for the first object that no recording has."""
    import h5py  # noqa: PLC0415  # heavy; only readers need it

    size = file.id.get_filesize()
    found: dict[int, str] = {}
    seen, waiting, count = {h5py.h5o.get_info(file.id).addr}, [("", h5py.h5g.open(file.id, b"/"))], 0
    while waiting:
        where, group = waiting.pop()
        for name in _names(group, MAX_OBJECTS - count):
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
    """The names in a group; raise ValueError if there are more than `most`."""
    found: list[bytes] = []

    def take(name: bytes) -> bool | None:
        found.append(name)
        return True if len(found) > most else None

    group.links.iterate(take)
    if len(found) > most:
        raise ValueError(f"has more than {MAX_OBJECTS:,} objects")
    return found


def _check_dataset(dataset: Any, path: str, size: int) -> None:
    """Refuse a dataset with external files, unknown filters, other data than numbers or texts, or a false size."""
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
    """The value of an attribute; raise ValueError if it is no number, text of fixed length, or array of these."""
    from h5py import h5a, h5t  # noqa: PLC0415  # as above

    if not h5a.exists(owner.id, name.encode()):
        raise ValueError(f"the attribute {name} is missing")
    found = h5a.open(owner.id, name.encode())
    kind = found.get_type()
    known = kind.get_class() in (h5t.INTEGER, h5t.FLOAT, h5t.ENUM, h5t.STRING)
    if not known or (kind.get_class() == h5t.STRING and kind.is_variable_str()):
        raise ValueError(f"the attribute {name} is neither a number nor a text of known length")
    if found.get_storage_size() > MAX_ATTRIBUTE_BYTES:
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
    """The content of a dataset that does not grow; raise ValueError if its digest is wrong."""
    dataset = file[path]
    value = dataset[()]
    if form == FORMAT:
        check_digest(path, word(attribute(dataset, DIGEST)), digest(value))
    return value


def read_metadata(file: h5py.File, form: int) -> RecordingMetadata:
    """The metadata of a file, which is not trusted."""
    own = file["carom"]
    texts = {name: attribute(own, name) for name in TEXTS if name != "origin" or name in own.attrs}  # once, none was
    if form == FORMAT:
        check_digest("what it tells of the run", word(attribute(own, DIGEST)), digest_of_texts(texts))
    plain = {name: word(text) for name, text in texts.items()}
    told: dict[str, Any] = {name: plain[name] for name in ("solver", "mark", "source")}
    told |= {name: json.loads(plain.get(name, "{}")) for name in ("wish", "versions", "triggers", "origin")}
    return RecordingMetadata.model_validate(
        {**told, "walls": json.loads(bytes(fixed_value(file, "carom/walls", form)))}
    )


def check_columns(
    file: h5py.File, datasets: Mapping[int, str], names: Sequence[str], row: tuple[int, int], path: Path
) -> None:
    """Check that the columns are those of a recording with this shape of rows, and no other dataset is a column."""
    import h5py  # noqa: PLC0415  # as above

    if len(set(names)) < len(names) or any(name not in names for name in NEEDED):
        raise broken_error(path, "columns are missing, or there twice")
    places = {h5py.h5o.get_info(file[name].id).addr for name in (*names, *GROWING)}
    if len(places) < len(names) + len(GROWING) or not places <= datasets.keys():
        raise broken_error(path, "columns are missing, or there twice")
    lengths = {"n": row[0], "d": row[1], "2": 2}
    most = max(MAX_ROW_BYTES, 8 * row[0] * row[1])
    for name in names:
        dataset = file[name]
        if name in ROWS:
            kind, shape = ROWS[name]
            fits = dataset.dtype == kind and dataset.shape[1:] == tuple(lengths[each] for each in shape)
        else:
            fits = name.startswith(HISTORY) or (_is_measured(name) and dataset.dtype == "f8")
        if not fits:
            raise broken_error(path, f"{name} is no column of such a run")
        _check_chunks(dataset, name, most, CHUNK, path)
    _check_chunks(file["carom/rows"], "carom/rows", most, max(CHUNK, 256 * 8 * len(names)), path)
    if file["carom/rows"].shape[1:] != (len(names),) or file["carom/rows"].dtype != "i8":
        raise broken_error(path, "carom/rows counts other columns")
    for address, name in datasets.items():
        if address not in places and file[name].chunks is not None:
            raise broken_error(path, f"{name} is a column that is not counted")


def _is_measured(name: str) -> bool:
    return name.startswith("observables/") and name.endswith("/value") and name.count("/") == 2


def _check_chunks(dataset: Any, name: str, most: int, chunk: int, path: Path) -> None:
    """Check that chunks hold whole rows and are small; a large row has a chunk of its own."""
    chunks, shape = dataset.chunks, dataset.shape[1:]
    row = dataset.dtype.itemsize * int(np.prod(shape, dtype=object))
    whole = chunks is not None and chunks[1:] == tuple(max(1, length) for length in shape)
    if not whole or not (row <= most and (chunks[0] == 1 or chunks[0] * row <= chunk)):
        raise broken_error(path, f"{name} is no column of rows")


def check_counts(file: h5py.File, count: Mapping[str, int], path: Path) -> None:
    """Check that each column has the counted rows, and that the file is large enough for them."""
    size = file.id.get_filesize()
    for name, rows in count.items():
        dataset = file[name]
        if not 0 <= rows <= len(dataset):
            raise broken_error(path, f"{name} has {len(dataset)} rows where {rows} are counted")
        row = dataset.dtype.itemsize * int(np.prod(dataset.shape[1:], dtype=object))
        stored = min(dataset.id.get_storage_size(), size)
        if rows * row > size and rows * row > MAX_COMPRESSION * stored + row * dataset.chunks[0]:
            raise broken_error(path, f"{name} has rows that are not in the file")
