"""`carom analyse`: measure a recording; a table with errors, and a report if it is asked for."""

import json
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from carom.cli.compilation import Announcement
from carom.cli.sources import require_writable
from carom.cli.terminal import complain, notice, output, show_table, table
from carom.extras import require


def analyse(
    source: Path,
    report: Path | None,
    skip: float | None,
    *,
    force: bool = False,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Print the figures of a recording, and write the report; `skip` leaves out the time before it, s."""
    if report is not None:
        require_writable(report, force=force, nouns="reports", suffixes=(".html",))
        require("plots", "a report with plots")
    from carom.analysis import analyse as measured
    from carom.analysis import write_report
    from carom.storage.recording import Recording

    console = notice()
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(),
        console=console, transient=True, disable=quiet or not console.is_terminal,
    )  # fmt: skip
    with Announcement(console, quiet=quiet), Recording(source) as recording, bar:
        task = bar.add_task("measuring", total=1.0)
        found = measured(recording, since=skip, progress=lambda part: bar.update(task, completed=part))
        if report is not None:
            bar.update(task, description="drawing", completed=1.0)
            write_report(found, recording, report)
    if as_json:
        output().print(json.dumps(found.as_dict(), allow_nan=False, ensure_ascii=False))
        return 0
    facts = table("", "", header=False)
    for name, text in found.facts:
        facts.add_row(name, text)
    show_table(facts)
    output().print()
    figures = table("", "", "value", "unit", "expected", "deviation", "")
    for line in found.lines:
        off = "" if line.deviation is None else f"{line.deviation:+.1f}"
        figures.add_row(line.name, line.symbol, line.text(), line.unit, line.expected_text(), off, line.source)
    if found.lines:
        show_table(figures)
    if not quiet:
        for remark in found.remarks:
            complain(f"{source}: {remark}")
        if report is not None:
            console.print(f"report: {report}")
    return 0
