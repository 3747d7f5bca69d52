"""Measure, show progress, and write the page."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import machine, report
from benchmarks.cases import sections
from benchmarks.model import FULL, QUICK, Case, Effort, Row, Section, Skipped
from benchmarks.store import Store

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def chosen(every: tuple[Section, ...], only: str, *, quick: bool) -> list[Case]:
    """The cases to measure."""
    cases = [case for section in every for case in section.cases]
    return [case for case in cases if fnmatch(case.name, f"*{only}*") and not (quick and case.heavy)]


def run(cases: list[Case], effort: Effort, console: Console) -> dict[str, Row | str]:
    """Measure all cases in turn, and some of them again; the result of a skipped one is the reason."""
    results: dict[str, Row | str] = {}
    again = [case for case in cases if case.best_of_rounds]
    cases = [*cases, *again * (effort.rounds - 1)]
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=len(cases))
        for case in cases:
            progress.update(task, description=case.name)
            try:
                results[case.name] = better(results.get(case.name), case.measure(effort), case.best_of_rounds)
            except Skipped as reason:
                results[case.name] = str(reason)
            progress.console.print(
                f"{case.name:32} {told(results[case.name])}", highlight=False, markup=False, soft_wrap=True
            )
            progress.advance(task)
    return results


def better(before: Row | str | None, row: Row, column: str) -> Row:
    """The better of two measurements of a case, by a column."""
    if before is None or isinstance(before, str):
        return row
    return max(before, row, key=lambda each: each[column])


def told(row: Row | str) -> str:
    """A row in one line."""
    if isinstance(row, str):
        return f"skipped: {row}"
    return ", ".join(f"{report.shown(value)} {name}" for name, value in row.items())


def main(
    *,
    quick: Annotated[bool, typer.Option(help="A minute: few, short slices, and no heavy case.")] = False,
    only: Annotated[str, typer.Option(help="Only cases whose name contains this pattern, e.g. 'disks-1e3'.")] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="Put what --only measured into docs/benchmarks.md, beside what was there.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON; write no page.")] = False,
) -> None:
    """Measure carom's speed, and write docs/benchmarks.md and benchmarks/results.json after a full run."""
    effort = QUICK if quick else FULL
    every = sections()
    cases = chosen(every, only, quick=quick)
    if not cases:
        raise typer.BadParameter(f"no case's name contains {only!r}", param_hint="--only")
    if quick and keep:
        raise typer.BadParameter("a quick run is too short to be kept", param_hint="--keep")
    results = run(cases, effort, Console(stderr=True))
    facts = {**machine.facts(), "slices": f"{effort.slices} of {effort.seconds} s"}
    if as_json:
        print(json.dumps({"facts": facts, "effort": asdict(effort), "results": results}, indent=2))
        return
    kept = keep or not (quick or only)
    store = Store.load() if kept else Store()
    known = [case.name for section in every for case in section.cases]
    store.add(datetime.now(UTC).isoformat(timespec="seconds"), facts, results, known)
    text = report.page(every, store, turnover=effort.turnover)
    if kept:
        store.save()
        PAGE.write_text(text, encoding="utf-8")
        print(f"written: {PAGE}")
    else:
        print(text)


if __name__ == "__main__":
    typer.run(main)
