"""The results as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.model import Case, Row, Section, Value

HEAD = """# Benchmarks

Written by `make bench` (`python -m benchmarks`); do not edit it by hand.

{facts}

How to read it: a rate is collisions per second of CPU time on one core, through the public interface
(`Simulation.run`), in the steady state after a warm-up. Each is the best of at least {slices} slices of {seconds} s or
more, during {patience:g} s of CPU time or more, because anything else that the machine does can only lower it. A slice
has at least {turnover} × N collisions, so that the regular chores of the solver are in it; the rarest, predicting
everything anew every 64 N events, may fall between two.
"""


def shown(value: Value) -> str:
    """A number with three digits that count; text as it is."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def cells(section: Section, case: Case, row: Row | str) -> list[str]:
    """The cells of a row; a case that was skipped says why."""
    if isinstance(row, str):
        measured = [f"skipped: {row}", *("" for _ in section.columns[1:])]
    else:
        measured = [shown(row[column]) for column in section.columns]
    known = [shown(value) for value in case.known]
    return [*case.labels, *measured, *known, *ratio(section, case, row)]


def ratio(section: Section, case: Case, row: Row | str) -> list[str]:
    """The last cell, if the section has one."""
    if section.ratio is None:
        return []
    ours, reference = section.ratio
    value = case.known[section.known.index(reference)]
    if isinstance(row, str) or isinstance(value, str):
        return ["–"]
    return [f"{float(row[ours]) / value:.2f}"]


def line(parts: Sequence[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(parts)} |"


def table(section: Section, results: Mapping[str, Row | str]) -> list[str]:
    """The table of a section; only what was measured."""
    last = [f"{section.ratio[0]} ÷ {section.ratio[1]}"] if section.ratio else []
    heads = [*section.labels, *section.columns, *section.known, *last]
    rows = [cells(section, case, results[case.name]) for case in section.cases if case.name in results]
    return [line(heads), line(["---"] * len(heads)), *(line(row) for row in rows)]


def page(
    sections: Sequence[Section],
    results: Mapping[str, Row | str],
    facts: Mapping[str, str],
    effort: Mapping[str, float],
) -> str:
    """The whole page."""
    told = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    parts = [HEAD.format(facts=told, **effort)]
    for section in sections:
        if any(case.name in results for case in section.cases):
            text = [section.text, ""] if section.text else []
            parts += [f"## {section.title}\n", *text, *table(section, results), ""]
    return "\n".join(parts)
