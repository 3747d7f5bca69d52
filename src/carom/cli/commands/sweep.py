"""`carom sweep`: all runs of a study, how far they are, and what came out."""

import json
import re
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carom.atomic_write import beside
from carom.cli.commands.run import INTERRUPTED
from carom.cli.commands.studies import hint, quoted
from carom.cli.interrupt import Interrupt
from carom.cli.sources import require_writable
from carom.cli.summary import count
from carom.cli.sweep_progress import Bar, capped, duration
from carom.cli.sweep_table import failures, plain, points_table
from carom.cli.terminal import Mistake, complain, notice, output, show_table, table
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
SHOWN_RUNS = 5  # of a dry run
RECENT = 60.0  # s since the last line of a journal that someone writes
TAIL = 65_536  # bytes at the end of a journal, in which each worker has a line


@dataclass(frozen=True)
class Wish:
    """How a sweep is wanted."""

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


def sweep(source: str, wish: Wish) -> int:
    """Do what was wished for a study; its exit code."""
    folder = wish.out or folder_of(source)
    if wish.plot is not None:
        require_writable(wish.plot, force=wish.force, nouns="plots", suffixes=SUFFIXES)
        require("plots", "a plot")
    if is_results(source) and source in ready.names() and not wish.quiet:
        complain(f"{source} is taken for the results folder that is here, not for the ready study.")
    if wish.status:
        return show_status(source, folder, as_json=wish.as_json)
    study = study_from(source)
    if wish.plot is not None and study.plot is None:
        raise Mistake(f"{source} does not say what to draw. Add a [plot] table with x and y, or leave --plot out.")
    if is_results(source) and not (wish.resume or wish.dry_run):
        if wish.plot is None:
            own = f" For the ready study: carom studies {source} --save FILE." if source in ready.names() else ""
            raise Mistake(f"{source} is a results folder. Say --status, --resume, or --plot FILE.{own}")
        return plot_only(study, folder, wish.plot, quiet=wish.quiet)
    check_observables(source, study)
    check_plot(source, study)
    if wish.dry_run:
        return foretell(study, folder, wish)
    require("sweep", "a sweep", "distributed")
    return do(source, study, folder, wish)


def study_from(source: str) -> "Study":
    """The study of a file, of a ready one's name, or of a results folder."""
    from carom.sweeps.study.study import Study

    if is_results(source):
        if not (Path(source) / STUDY).is_file():
            raise Mistake(f"{source} is a folder without a {STUDY}, so it holds no results of a sweep. Name a study.")
        return Study.load(Path(source) / STUDY)
    if source in ready.names():  # also where there is a file of that name
        return Study.loads(ready.text(source), name=f"{source}.toml")
    if not is_file_name(source):
        raise Mistake(f"{source!r} is neither a study file, nor a ready study, nor a results folder. {hint(source)}")
    return Study.load(source)


def is_results(source: str) -> bool:
    """Whether a folder is named; one that is called as a ready study counts if it holds results."""
    folder = Path(source)
    return folder.is_dir() and (source not in ready.names() or (folder / JOURNAL).is_file())


def check_observables(source: str, study: "Study") -> None:
    """Tell that observables of the user's own need Python: they are code, which a study file cannot hold."""
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
    """Tell what stands in the way of a plot before anything runs."""
    if study.plot is None:
        return
    study.check()
    from carom.sweeps.study.drawable import check

    try:
        check(study)
    except StudyError as error:
        raise StudyError(error.problems, error.source or source) from None


def folder_of(source: str) -> Path:
    """Where results go if nobody says where: a results folder itself, else `NAME-results` in the current folder."""
    return Path(source) if is_results(source) else Path(f"{Path(source).stem}-results")


# A sweep.


def do(source: str, study: "Study", folder: Path, wish: Wish) -> int:
    """Do the runs that are left, and sum up."""
    from carom.sweeps.running.driver import sweep as swept

    console = notice()
    if not wish.quiet:
        console.print(headline(study, folder))
    began = time.perf_counter()
    with Interrupt() as interrupt, Bar(console, interrupt, quiet=wish.quiet, limit=study.run.time_limit) as bar:
        try:
            found = swept(
                study, out=folder, scheduler=wish.scheduler, workers=wish.workers,
                resume=wish.resume, retry=wish.retry, progress=bar,
            )  # fmt: skip
        except KeyboardInterrupt:
            bar.close()
            again = quoted(source) if wish.out is None else f"{quoted(source)} --out {quoted(folder)}"
            complain(f"stopped by Ctrl-C; what has ended is in {folder}. Go on: carom sweep {again} --resume")
            return INTERRUPTED
    drawn = draw(found, study, folder, wish)
    return report(found, study, folder, time.perf_counter() - began, drawn, wish)


def headline(study: "Study", folder: Path) -> str:
    """What is about to be done; a study without a name is called as its folder."""
    parts = f" ({count(study.points, 'point')} × {count(study.repeats, 'repeat')})" if study.repeats > 1 else ""
    return f"{one_line(study.name) or folder.name}: {count(len(study), 'run')}{parts}"


def draw(found: "Table", study: "Study", folder: Path, wish: Wish) -> list[Path]:
    """The plots that a study asks for, where they can be drawn; what stands in the way of one is told."""
    targets = [*([folder / PLOT] if study.plot is not None else []), *([wish.plot] if wish.plot else [])]
    return [target for target in targets if drawn(found, study, target)]


def drawn(found: "Table", study: "Study", target: Path) -> bool:
    """Draw a plot; whether it could be."""
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
    """Draw the plot of results that are there."""
    from carom.sweeps.results.plot import write
    from carom.sweeps.results.table import Table

    write(Table.read(folder), study, target)
    if not quiet:
        output().print(f"{one_line(study.name) or folder.name} drawn as {target}.")
    return 0


def report(found: "Table", study: "Study", folder: Path, seconds: float, plots: list[Path], wish: Wish) -> int:
    """Print what came out; 0 if all runs were done, and drawn if that was wished."""
    tally, reasons = failures(found)
    undrawn = wish.plot is not None and wish.plot not in plots
    code = FAILED if tally["failed"] or tally["timed out"] or undrawn else 0
    if wish.as_json:
        told: dict[str, Any] = {
            "study": study.name, "runs": len(study), **{name.replace(" ", "_"): many for name, many in tally.items()},
            "reasons": reasons, "seconds": round(seconds, 3), "out": str(folder), "plots": list(map(str, plots)),
        }  # fmt: skip
        output().print(json.dumps(told, allow_nan=False, ensure_ascii=False))
        return code
    for reason, many in reasons.items():
        complain(f"{count(many, 'run')}: {reason}")
    if not wish.quiet:
        show_table(points_table(found, study))
        bad = ", ".join(f"{many:,} {word}" for word, many in tally.items() if many and word != "done")
        console = notice()
        console.print(f"{count(tally['done'], 'run')} done{f', {bad}' if bad else ''}, in {duration(seconds)}")
        where = [folder / name for name in ("table.csv", "table.parquet", "summary.csv") if (folder / name).is_file()]
        console.print(f"results: {', '.join(map(str, [*where, *plots]))}")
        if bad:
            which = " or ".join(word for word in ("failed", "timed out") if tally[word])
            console.print(f"again, those that {which}: carom sweep {quoted(folder)} --retry")
    return code


# Without runs.


def foretell(study: "Study", folder: Path, wish: Wish) -> int:
    """How many runs, how many of them are left, the first of them, and how long it would take."""
    study.check()
    from carom.sweeps.results.ledger import Ledger
    from carom.sweeps.running.probe import estimate

    left = Ledger.status(folder, study).left if (folder / JOURNAL).is_file() else len(study)
    found = estimate(study, workers=wish.workers)
    one = capped(found.run_seconds, study.run.time_limit)
    spared = found.runs * found.run_seconds - left * one
    whole = found.seconds - spared / found.workers if left else 0.0
    if wish.as_json:
        told = {
            "study": study.name, "runs": found.runs, "points": study.points, "repeats": study.repeats, "left": left,
            "workers": found.workers, "seconds_per_run": one, "seconds": whole,
        }  # fmt: skip
        output().print(json.dumps(told, allow_nan=False, ensure_ascii=False))
        return 0
    console = output()
    console.print(headline(study, folder))
    if left < len(study):
        console.print(f"{folder} has some of them; {left:,} are left")
    first = [study.run_at(k) for k in range(min(SHOWN_RUNS, len(study)))]
    rows = table("run", *study.parameters, *(["seed"] if study.repeats > 1 else []))
    for spec in first:
        cells = [plain(value) for value in spec.parameters.values()]
        rows.add_row(str(spec.index), *cells, *([str(spec.seed)] if study.repeats > 1 else []))
    show_table(rows)
    if len(study) > len(first):
        console.print("…")
    on, those = count(found.workers, "worker"), "all of them" if left == len(study) else "those that are left"
    console.print(f"a run takes about {duration(one)}; {those} {duration(whole)} on {on}")
    return 0


def show_status(source: str, folder: Path, *, as_json: bool) -> int:
    """How far a sweep is."""
    from carom.sweeps.results.ledger import Ledger

    found = Ledger.status(folder, None if is_results(source) else study_from(source))
    wait = time_left(found, folder)
    if as_json:
        told = {
            "study": found.name, "runs": found.total, "done": found.done, "failed": found.failed,
            "timed_out": found.timed_out, "left": found.left, "seconds_per_run": found.seconds,
            "written": found.written, "unwanted": found.unwanted, "seconds_left": wait,
        }  # fmt: skip
        output().print(json.dumps(told, allow_nan=False, ensure_ascii=False))
        return 0
    rows = table("", "", header=False)
    for name, text in status_rows(found, folder, wait):
        rows.add_row(name, text)
    show_table(rows)
    return 0


def time_left(found: Any, folder: Path) -> float | None:
    """s until all runs have ended, about, if someone is writing; from those workers that wrote last."""
    recent = max(RECENT, 5.0 * found.seconds)
    writing = beside(folder / JOURNAL, "lock").exists() and time.time() - (found.written or 0.0) < recent
    if not (writing and found.left and found.seconds):
        return None
    with (folder / JOURNAL).open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - TAIL))
        workers = set(re.findall(rb'"worker": ?"([^"]*)"', file.read()))
    return float(found.left * found.seconds / max(1, len(workers)))


def status_rows(found: Any, folder: Path, wait: float | None) -> list[tuple[str, str]]:
    """A status as people read it; what is nil and tells nothing is left out."""
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
