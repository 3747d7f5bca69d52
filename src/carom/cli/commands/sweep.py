"""`carom sweep`: run a study, show its progress and its results."""

import re
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carom.atomic_write import beside
from carom.cli import INTERRUPTED
from carom.cli.commands.studies import study_hint, typed
from carom.cli.interrupt import Interrupt
from carom.cli.sources import require_writable
from carom.cli.summary import count
from carom.cli.sweep_progress import SweepBar, capped, duration
from carom.cli.sweep_table import failures, plain, points_table
from carom.cli.terminal import Mistake, complain, notice, output, print_json, show_facts, show_table, table
from carom.errors import InputError, MissingExtraError, StudyError
from carom.extras import require
from carom.scene.io.find import is_file_name
from carom.sweeps import ready
from carom.sweeps.results.journal import one_line
from carom.sweeps.results.plot import SUFFIXES

if TYPE_CHECKING:
    from carom.sweeps.results.table import Table
    from carom.sweeps.study.study import Study

FAILED = 1  # exit code where some runs failed or timed out
STUDY, JOURNAL, PLOT = "study.toml", "runs.jsonl", "plot.svg"
MAX_RUNS_SHOWN = 5  # of a dry run
ACTIVE_WITHIN = 60.0  # s: a journal with a younger last line is being written
TAIL = 65_536  # bytes at the end of a journal: enough for a line of each worker


@dataclass(frozen=True)
class SweepOptions:
    """The options of `carom sweep`."""

    out: Path | None
    workers: int | None
    scheduler: str | None
    plot: Path | None
    resume: bool = False
    retry: bool = False
    status: bool = False
    dry_run: bool = False
    as_json: bool = False
    quiet: bool = False
    force: bool = False


def sweep(source: str, options: SweepOptions) -> int:
    """Do what the options say; return the exit code."""
    folder = options.out or folder_of(source)
    if options.plot is not None:
        require_writable(options.plot, force=options.force, nouns="plots", suffixes=SUFFIXES)
        require("plots", "a plot")
    if is_results(source) and source in ready.names() and not options.quiet:
        complain(f"{source} means the results folder here, not the ready study.")
    if options.status:
        return show_status(source, folder, as_json=options.as_json)
    study = study_from(source)
    if options.plot is not None and study.plot is None:
        raise Mistake(f"{source} does not say what to draw. Add a [plot] table with x and y, or leave --plot out.")
    if is_results(source) and not (options.resume or options.dry_run):
        if options.plot is None:
            own = f" For the ready study: carom studies {source} --save FILE." if source in ready.names() else ""
            raise Mistake(f"{source} is a results folder. Say --status, --resume, or --plot FILE.{own}")
        return plot_only(study, folder, options.plot, quiet=options.quiet)
    check_observables(source, study)
    check_plot(source, study)
    if options.dry_run:
        return dry_run(study, folder, options)
    require("sweep", "a sweep", "distributed")
    return run(source, study, folder, options)


def study_from(source: str) -> "Study":
    """Load a study from a file, a results folder, or the ready studies."""
    from carom.sweeps.study.study import Study

    if is_results(source):
        if not (Path(source) / STUDY).is_file():
            raise Mistake(f"{source} is a folder without a {STUDY}, so it holds no results of a sweep. Name a study.")
        return Study.load(Path(source) / STUDY)
    if source in ready.names():  # takes precedence over a file of that name
        return Study.loads(ready.text(source), name=f"{source}.toml")
    if not is_file_name(source):
        raise Mistake(
            f"{source!r} is neither a study file, nor a ready study, nor a results folder. {study_hint(source)}"
        )
    return Study.load(source)


def is_results(source: str) -> bool:
    """Is it a results folder? One with the name of a ready study must hold results."""
    folder = Path(source)
    return folder.is_dir() and (source not in ready.names() or (folder / JOURNAL).is_file())


def check_observables(source: str, study: "Study") -> None:
    """StudyError if there are custom observables: they are Python code, which a study file cannot hold."""
    from carom.observe.observable import observable

    for index, one in enumerate(study.observables):
        try:
            observable(one.name)
        except InputError as error:
            (problem,) = error.problems
            raise StudyError.of(
                "observables.not-on-command-line",
                where=f"observables[{index}]",
                source=source,
                what=problem.phrase("what"),
                remedy=problem.phrase("remedy"),
            ) from None


def check_plot(source: str, study: "Study") -> None:
    """StudyError, before anything runs, if the plot cannot be drawn."""
    if study.plot is None:
        return
    study.check()
    from carom.sweeps.study.drawable import check

    try:
        check(study)
    except StudyError as error:
        raise StudyError(error.problems, error.source or source) from None


def folder_of(source: str) -> Path:
    """The default folder of results: a results folder itself, else `NAME-results` in the current folder."""
    return Path(source) if is_results(source) else Path(f"{Path(source).stem}-results")


# Running.


def run(source: str, study: "Study", folder: Path, options: SweepOptions) -> int:
    """Do the remaining runs, and print the results."""
    from carom.sweeps.running.driver import sweep as swept

    console = notice()
    if not options.quiet:
        console.print(headline(study, folder))
    began = time.perf_counter()
    with Interrupt() as interrupt, SweepBar(console, interrupt, quiet=options.quiet, limit=study.run.time_limit) as bar:
        try:
            found = swept(
                study, out=folder, scheduler=options.scheduler, workers=options.workers,
                resume=options.resume, retry=options.retry, progress=bar,
            )  # fmt: skip
        except KeyboardInterrupt:
            bar.close()
            again = typed(source) if options.out is None else f"{typed(source)} --out {typed(folder)}"
            complain(f"stopped by Ctrl-C; runs that have ended are in {folder}. Continue: carom sweep {again} --resume")
            return INTERRUPTED
    plots = draw(found, study, folder, options)
    return report(found, study, folder, time.perf_counter() - began, plots, options)


def headline(study: "Study", folder: Path) -> str:
    """The name of a study, or of its folder, and how many runs it has."""
    parts = f" ({count(study.points, 'point')} × {count(study.repeats, 'repeat')})" if study.repeats > 1 else ""
    return f"{one_line(study.name) or folder.name}: {count(len(study), 'run')}{parts}"


def draw(found: "Table", study: "Study", folder: Path, options: SweepOptions) -> list[Path]:
    """Draw the plots of a study and of --plot; return those that were drawn."""
    targets = [*([folder / PLOT] if study.plot is not None else []), *([options.plot] if options.plot else [])]
    return [target for target in targets if draw_plot(found, study, target)]


def draw_plot(found: "Table", study: "Study", target: Path) -> bool:
    """Draw a plot, or print why it cannot be drawn; return whether it was drawn."""
    from carom.sweeps.results.plot import write

    try:
        write(found, study, target)
    except MissingExtraError as error:
        complain(f"{target}: not drawn. {error}")
        return False
    except StudyError as error:
        complain(str(error))
        return False
    return True


def plot_only(study: "Study", folder: Path, target: Path, *, quiet: bool) -> int:
    """Draw the plot of existing results."""
    from carom.sweeps.results.plot import write
    from carom.sweeps.results.table import Table

    write(Table.read(folder), study, target)
    if not quiet:
        output().print(f"{one_line(study.name) or folder.name} drawn as {target}.")
    return 0


def report(
    found: "Table", study: "Study", folder: Path, seconds: float, plots: list[Path], options: SweepOptions
) -> int:
    """Print the results; exit code 0 if all runs are done and the plot of --plot is drawn."""
    tally, reasons = failures(found)
    undrawn = options.plot is not None and options.plot not in plots
    code = FAILED if tally["failed"] or tally["timed out"] or undrawn else 0
    if options.as_json:
        counts = {name.replace(" ", "_"): number for name, number in tally.items()}
        print_json({
            "study": study.name, "runs": len(study), **counts, "reasons": reasons,
            "seconds": round(seconds, 3), "out": str(folder), "plots": list(map(str, plots)),
        })  # fmt: skip
        return code
    for reason, number in reasons.items():
        complain(f"{count(number, 'run')}: {reason}")
    if not options.quiet:
        show_table(points_table(found, study))
        bad = ", ".join(f"{number:,} {word}" for word, number in tally.items() if number and word != "done")
        console = notice()
        console.print(f"{count(tally['done'], 'run')} done{f', {bad}' if bad else ''}, in {duration(seconds)}")
        where = [folder / name for name in ("table.csv", "table.parquet", "summary.csv") if (folder / name).is_file()]
        console.print(f"results: {', '.join(map(str, [*where, *plots]))}")
        if bad:
            which = " or ".join(word for word in ("failed", "timed out") if tally[word])
            console.print(f"to repeat those that {which}: carom sweep {typed(folder)} --retry")
    return code


# Without running.


def dry_run(study: "Study", folder: Path, options: SweepOptions) -> int:
    """Print how many runs there are and are left, the first ones, and how long they would take."""
    study.check()
    from carom.sweeps.results.ledger import Ledger
    from carom.sweeps.running.probe import estimate

    left = Ledger.status(folder, study).left if (folder / JOURNAL).is_file() else len(study)
    found = estimate(study, workers=options.workers)
    one = capped(found.run_seconds, study.run.time_limit)
    spared = found.runs * found.run_seconds - left * one
    whole = found.seconds - spared / found.workers if left else 0.0
    if options.as_json:
        print_json({
            "study": study.name, "runs": found.runs, "points": study.points, "repeats": study.repeats, "left": left,
            "workers": found.workers, "seconds_per_run": one, "seconds": whole,
        })  # fmt: skip
        return 0
    console = output()
    console.print(headline(study, folder))
    if left < len(study):
        console.print(f"{folder} has some of these runs; {left:,} are left")
    first = [study.run_at(k) for k in range(min(MAX_RUNS_SHOWN, len(study)))]
    rows = table("run", *study.parameters, *(["seed"] if study.repeats > 1 else []))
    for spec in first:
        cells = [plain(value) for value in spec.parameters.values()]
        rows.add_row(str(spec.index), *cells, *([str(spec.seed)] if study.repeats > 1 else []))
    show_table(rows)
    if len(study) > len(first):
        console.print("…")
    on, which = count(found.workers, "worker"), "all runs" if left == len(study) else "the remaining runs"
    console.print(f"one run takes about {duration(one)}; {which} {duration(whole)} on {on}")
    return 0


def show_status(source: str, folder: Path, *, as_json: bool) -> int:
    """Print the progress of a sweep."""
    from carom.sweeps.results.ledger import Ledger

    found = Ledger.status(folder, None if is_results(source) else study_from(source))
    wait = time_left(found, folder)
    if as_json:
        print_json({
            "study": found.name, "runs": found.total, "done": found.done, "failed": found.failed,
            "timed_out": found.timed_out, "left": found.left, "seconds_per_run": found.seconds,
            "written": found.written, "unwanted": found.unwanted, "seconds_left": wait,
        })  # fmt: skip
        return 0
    show_facts(status_rows(found, folder, wait))
    return 0


def time_left(found: Any, folder: Path) -> float | None:
    """The time until all runs have ended, s, from the workers active now; None if the sweep is not running."""
    recent = max(ACTIVE_WITHIN, 5.0 * found.seconds)
    writing = beside(folder / JOURNAL, "lock").exists() and time.time() - (found.written or 0.0) < recent
    if not (writing and found.left and found.seconds):
        return None
    with (folder / JOURNAL).open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - TAIL))
        workers = set(re.findall(rb'"worker": ?"([^"]*)"', file.read()))
    return float(found.left * found.seconds / max(1, len(workers)))


def status_rows(found: Any, folder: Path, wait: float | None) -> list[tuple[str, str]]:
    """A status as names and texts; zeros that say nothing are left out."""
    rows = [("study", found.name or folder.resolve().name), ("runs", f"{found.total:,}"), ("done", f"{found.done:,}")]
    rows += [("failed", f"{found.failed:,}")] if found.failed else []
    rows += [("timed out", f"{found.timed_out:,}")] if found.timed_out else []
    rows += [("left", f"{found.left:,}")]
    rows += [("a run takes", duration(found.seconds))] if found.seconds else []
    rows += [("time left", f"about {duration(wait)}")] if wait is not None else []
    if found.written is not None:
        rows.append(("last written", datetime.fromtimestamp(found.written).astimezone().isoformat(" ", "seconds")))
    rows += [("of another study", f"{found.unwanted:,}")] if found.unwanted else []
    return rows
