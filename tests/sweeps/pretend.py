"""A fake study without a scene, and the rows of its runs, for tests of results."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

from carom.sweeps.study.study import RunSpec

COLUMNS = ["time", "collisions", "energy", "energy_error", "stopped", "remarks"]
WORDS = ["plain", "=1+1", 'a "quoted", comma', "'", "", "-2", "ä € 𝄞"]


class Pretend:
    """The part of a study that a ledger needs: x times words times repeats."""

    types = {"x": "float", "balls[0].material": "text", "run.count": "int", "run.flag": "bool"}  # noqa: RUF012  # never changed
    digest = "d" * 64

    def __init__(
        self, xs: Sequence[float], repeats: int = 1, words: Sequence[str] = ("plain",), name: str = "P"
    ) -> None:
        self.xs, self.repeats, self.words, self.name = list(xs), repeats, list(words), name

    def __len__(self) -> int:
        return len(self.xs) * len(self.words) * self.repeats

    def run_at(self, k: int) -> RunSpec:
        point, repeat = divmod(k, self.repeats)
        at, word = divmod(point, len(self.words))
        parameters: dict[str, Any] = {
            "x": self.xs[at],
            "balls[0].material": self.words[word],
            "run.count": repeat,
            "run.flag": repeat % 2 == 0,
        }
        found = hashlib.sha256(repr((self.digest, parameters)).encode()).hexdigest()
        return RunSpec(k, found[:16], point, repeat, int(found[16:31], 16), parameters)

    def __iter__(self) -> Iterator[RunSpec]:
        return (self.run_at(k) for k in range(len(self)))

    def dumps(self) -> str:  # Python too, for a test that reads it
        return f"name = {self.name!r}\nxs = {self.xs}\nrepeats = {self.repeats}\nwords = {self.words}\n"

    def changes(self, other: "Pretend") -> list[str]:
        return [f"xs: {other.xs} is now {self.xs}"] if self.xs != other.xs else []


def row(spec: RunSpec, status: str = "", seconds: float = 0.25) -> dict[str, Any]:
    """The row of a run, which depends only on the run. Some fail, some return odd numbers."""
    draw = int(spec.id, 16)
    status = status or ("failed" if draw % 7 == 0 else "timed out" if draw % 11 == 0 else "done")
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    if status == "done":
        energy = [draw / 2**63, math.nan, math.inf, -math.inf, 5e-324, -0.0][draw % 13 % 6]
        values |= {"time": 0.1 * draw, "collisions": draw % 2**53, "energy": energy, "energy_error": 1e-300}
        values |= {"stopped": "until", "remarks": WORDS[draw % 5]}
    reason = "" if status == "done" else f"=because of {spec.id},\nof course"
    return {"id": spec.id, "status": status, "reason": reason, "values": values, "seconds": seconds, "worker": "here:1"}
