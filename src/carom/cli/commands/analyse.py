"""`carom analyse`: measure a recording; print a table with errors, and write a report on request."""

from pathlib import Path

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from carom.cli.compilation import Announcement
from carom.cli.progress import ProgressBar
from carom.cli.sources import require_writable
from carom.cli.terminal import complain, notice, output, print_json, show_facts, show_table, table
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
    """Print the results of a recording, and write the report. Times before `skip` (s) are left out."""
    if report is not None:
        require_writable(report, force=force, nouns="reports", suffixes=(".html",))
        require("plots", "a report with plots")
    from carom.analysis import analyse as measured
    from carom.analysis import write_report
    from carom.storage.recording import Recording

    console = notice()
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    bar = ProgressBar(console, *columns, quiet=quiet, description="measuring")
    with Announcement(console, quiet=quiet), Recording(source) as recording, bar:
        found = measured(recording, since=skip, progress=bar.show)
        if report is not None:
            bar.show(1.0, description="drawing")
            write_report(found, recording, report)
    if as_json:
        print_json(found.as_dict())
        return 0
    show_facts(found.facts)
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
