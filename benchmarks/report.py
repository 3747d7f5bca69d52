"""Writes the results as a page."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import elsewhere
from benchmarks.model import Case, Row, Section, Value
from benchmarks.store import Store

HEAD = """# Benchmarks

Written by `make bench`, or in part by `python -m benchmarks --only PATTERN --keep`; do not edit it by hand.

How to read it: a rate is collisions per second of CPU time on one core, through the public interface
(`Simulation.run`), in the steady state after a warm-up. Each is the best of many slices, because anything else that the
machine does can only lower it. A slice has at least {turnover} × N collisions, so that the regular chores of the solver
are in it; the rarest, predicting everything anew every 64 N events, may fall between two. The last column of each table
is the number of the run that measured it: compare only what was measured in one run.

## Runs

The load is the number of processes that wanted a processor, on average over the last 15 minutes of the run. These
benchmarks are one of them; beyond that, others were at work on the same machine, and all figures may be too low.
"""
RUNS = ("run", "date", "processor", "memory", "system", "packages", "slices", "load")


def shown(value: Value) -> str:
    """A number with three significant digits; texts stay."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def cells(section: Section, case: Case, row: Row | str) -> list[str]:
    """The cells of a row; for a skipped case, the reason."""
    if isinstance(row, str):
        measured = [f"skipped: {row}", *("" for _ in section.columns[1:])]
    else:
        measured = [shown(row.get(column, "–")) for column in section.columns]
    return [*case.labels, *measured, *(shown(value) for value in case.known)]


def line(parts: Sequence[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(parts)} |"


def table(section: Section, store: Store) -> list[str]:
    """The table of a section, with measured cases only."""
    heads = [*section.labels, *section.columns, *section.known, "run"]
    measured = [case for case in section.cases if case.name in store.cases]
    rows = [[*cells(section, case, store.cases[case.name][1]), store.number(case.name)] for case in measured]
    return [line(heads), line(["---"] * len(heads)), *map(line, rows)]


def runs(store: Store) -> list[str]:
    """The table of runs and their machines."""
    rows = [
        [str(k + 1), *(str(facts.get(name, "–")) for name in RUNS[1:])] for k, facts in enumerate(store.runs.values())
    ]
    return [line(RUNS), line(["---"] * len(RUNS)), *map(line, rows)]


def page(sections: Sequence[Section], store: Store, *, turnover: int) -> str:
    """The whole page."""
    parts = [HEAD.format(turnover=turnover), *runs(store), ""]
    for section in sections:
        if any(case.name in store.cases for case in section.cases):
            text = [section.text, ""] if section.text else []
            parts += [f"## {section.title}\n", *text, *table(section, store), ""]
    return "\n".join([*parts, elsewhere.TEXT])
