"""The log of collisions as texts for the table, and as CSV."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from carom.lab.bench.past import Past
from carom.lab.seen.collision_log import MAX_ROWS
from carom.lab.seen.inspector import wall_name
from carom.observe.collisions import KINDS


def last_collisions(past: Past, count: int, until: float) -> list[dict[str, Any]]:
    """The last collisions up to a time, newest last."""
    return list(_plain_rows(past, count, until))


def collisions_csv(past: Past, until: float) -> str:
    """All collisions in the log up to a time, as CSV with all digits."""
    d = past.segments[-1].frames[0].sim.scene.dimension
    axes = "xyz"[:d]
    heads = [
        "time_s",
        "kind",
        "ball",
        "partner",
        *(f"{a}_m" for a in axes),
        *(f"normal_{a}" for a in axes),
        "impulse_Ns",
    ]
    lines = [",".join(heads)]
    for each in _plain_rows(past, 2 * MAX_ROWS, until):
        ball, *other = each["partners"]
        partner = other[0] if other else each["wall"]
        numbers = [*each["place"], *each["normal"], each["impulse"]]
        lines.append(",".join([repr(each["time"]), each["kind"], str(ball), str(partner), *map(repr, numbers)]))
    return "\r\n".join(lines) + "\r\n"


def _plain_rows(past: Past, count: int, until: float) -> Iterator[dict[str, Any]]:
    starts = [segment.start for segment in past.segments]
    for row in past.log.last(count, until):
        time = float(row["time"])
        sim = past.segments[max(bisect_right(starts, time) - 1, 0)].frames[0].sim
        kind, d = KINDS[int(row["kind"])], sim.scene.dimension
        yield {
            "time": time,
            "kind": kind,
            "partners": [int(row["a"]), int(row["b"])] if kind == "ball-ball" else [int(row["a"])],
            "wall": None if kind == "ball-ball" else wall_name(sim, row),
            "place": row["place"][:d].tolist(),
            "normal": row["normal"][:d].tolist(),
            "impulse": float(row["impulse"]),
        }
