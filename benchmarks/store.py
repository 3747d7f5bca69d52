"""The results in docs/benchmarks.md: the last measurement of each case, with its machine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.model import Row

FILE = Path(__file__).with_name("results.json")

Facts = Mapping[str, Any]


@dataclass
class Store:
    """Runs by date and time, and for each case its run and its row, or why it was skipped."""

    runs: dict[str, Facts] = field(default_factory=dict)
    cases: dict[str, tuple[str, Row | str]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path = FILE) -> Store:
        """Read the results of earlier runs."""
        if not path.exists():
            return cls()
        told = json.loads(path.read_text(encoding="utf-8"))
        return cls(told["runs"], {name: (one["run"], one["row"]) for name, one in told["cases"].items()})

    def save(self, path: Path = FILE) -> None:
        """Write the results."""
        cases = {name: {"run": run, "row": row} for name, (run, row) in self.cases.items()}
        text = json.dumps({"runs": self.runs, "cases": cases}, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")

    def add(self, run: str, facts: Facts, results: Mapping[str, Row | str], known: Iterable[str]) -> None:
        """Replace earlier results; remove unknown cases, and runs without results."""
        self.runs[run] = facts
        self.cases |= {name: (run, row) for name, row in results.items()}
        names = set(known)
        self.cases = {name: one for name, one in self.cases.items() if name in names}
        used = {one for one, _ in self.cases.values()}
        self.runs = {one: self.runs[one] for one in sorted(used)}

    def number(self, case: str) -> str:
        """The number of the run that measured a case, as on the page."""
        return str(1 + list(self.runs).index(self.cases[case][0]))
