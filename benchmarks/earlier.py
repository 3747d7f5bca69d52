"""An earlier version of carom compared with this one in the same run: slices in turn, each in its own process.

The variable CAROM_EARLIER names a checkout of the earlier version:

    git worktree add ../carom-0.1 v0.1.0
    CAROM_EARLIER=../carom-0.1 python -m benchmarks --only earlier
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from benchmarks.model import Case, Effort, Row, Section, Skipped

NAMED = "CAROM_EARLIER"
ROOT = Path(__file__).parents[1]
EARLIER, NOW, RATIO, WHICH = "earlier", "now", "now ÷ earlier", "commits"
ROUNDS, FEW_ROUNDS = 40, 8
"""Slices per version; of a million balls, where each takes seconds, fewer."""


class Worker:
    """A process that measures with the carom of one checkout."""

    def __init__(self, checkout: Path, stack: ExitStack, *work: str) -> None:
        paths = os.pathsep.join([str(checkout / "src"), str(ROOT)])
        self.process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.rate_worker", *work],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": paths},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(self.process.kill)
        if self.line() != "ready":
            raise Skipped(f"{checkout} cannot do this work")

    def line(self) -> str:
        """The next line of its output."""
        return self.process.stdout.readline().strip() if self.process.stdout else ""

    def slice(self) -> float:
        """Run one slice; return its rate."""
        if self.process.stdin:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        return float(self.line())


def commit(checkout: Path) -> str:
    """The commit of a checkout, with a plus if files have changed since."""
    git = ["git", "-C", str(checkout), "describe", "--always", "--dirty=+"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def race(effort: Effort, *, work: tuple[str, ...], unit: float, most: int = ROUNDS) -> Row:
    """The best rates of both, of so many slices at most."""
    named = os.environ.get(NAMED)
    if not named:
        raise Skipped(f"name a checkout of an earlier version in {NAMED}")
    rounds = most if effort.patience else effort.slices
    with ExitStack() as stack:
        places = [Path(named).resolve(), ROOT]
        workers = [Worker(place, stack, *work) for place in places]
        best = [0.0, 0.0]
        for _ in range(rounds):
            best = [max(rate, worker.slice()) for rate, worker in zip(best, workers, strict=True)]
    which = ", ".join(map(commit, places))
    return {EARLIER: best[0] / unit, NOW: best[1] / unit, RATIO: best[1] / best[0], WHICH: which}


def section() -> Section:
    """The table of both."""
    cases = [
        Case(
            f"earlier-gas-{count}-{packing}",
            (f"equal disks, η {packing}, million collisions/s", count),
            partial(race, work=("gas", count, packing), unit=1e6, most=FEW_ROUNDS if len(count) > 6 else ROUNDS),
            heavy=int(count) > 10_000,
        )
        for count in ("1000", "10000", "100000", "1000000")
        for packing in ("0.05", "0.3", "0.5", "0.7")
    ]
    cases += [
        Case(f"earlier-{work}-{count}", (f"{work}, steps/s", count), partial(race, work=(work, count), unit=1.0))
        for work, count in (("W1", "1000"), ("W1", "10000"), ("W2", "1000"), ("W3", "1000"), ("W4", "100"))
    ]
    return Section(
        key="earlier",
        title="An earlier version, in this run",
        text=(
            f"The checkout that {NAMED} names, and this one, slice by slice in turn, each in a process of its own: "
            "only this tells whether carom has become faster or slower."
        ),
        labels=("work", "N"),
        columns=(EARLIER, NOW, RATIO, WHICH),
        cases=tuple(cases),
    )
