"""`carom sweep`: all runs of a study, how far they are, and what came out."""

import json
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carom.cli.interrupt import Interrupt
from carom.cli.run import INTERRUPTED
from carom.cli.sources import looks_like_file, require_writable
from carom.cli.studies import hint
from carom.cli.summary import count
from carom.cli.sweep_progress import Bar, duration
from carom.cli.sweep_table import failures, points_table
from carom.cli.terminal import Mistake, complain, notice, output, show_table, table
from carom.errors import MissingExtraError, StudyError
from carom.sweeps import ready
from carom.sweeps.plot import SUFFIXES

if TYPE_CHECKING:
    from carom.sweeps.study import Study
    from carom.sweeps.table import Table

FAILED = 1  # exit code where some runs failed or timed out
STUDY, PLOT = "study.toml", "plot.svg"
SHOWN_RUNS = 5  # of a dry run


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


def sweep(source: str, wish: Wish) -> int:
    """Do what was wished for a study; its exit code."""
    folder = wish.out or folder_of(source)
    if wish.plot is not None:
        require_writable(wish.plot, force=True, nouns="plots", suffixes=SUFFIXES)
    if wish.status:
        return show_status(source, folder, as_json=wish.as_json)
    study = study_from(source)
    if is_results(source) and not (wish.resume or wish.dry_run):
        if wish.plot is None:
            raise Mistake(f"{source} is a results folder. Say --status, --resume, or --plot FILE.")
        return plot_only(study, folder, wish.plot, quiet=wish.quiet)
    if wish.dry_run:
        return foretell(study, wish)
    return do(source, study, folder, wish)


def study_from(source: str) -> "Study":
    """The study of a file, of a ready one's name, or of a results folder."""
    from carom.sweeps.study import Study

    if is_results(source):
        if not (Path(source) / STUDY).is_file():
            raise Mistake(f"{source} is a folder without a {STUDY}, so it holds no results of a sweep. Name a study.")
        return Study.load(Path(source) / STUDY)
    if source in ready.names():  # also where there is a file or folder of that name
        return Study.loads(ready.text(source), name=f"{source}.toml")
    if not looks_like_file(source):
        raise Mistake(f"{source!r} is neither a study file, nor a ready study, nor a results folder. {hint(source)}")
    return Study.load(source)


def is_results(source: str) -> bool:
    """Whether a folder is named: the name of a ready study is not one, even if there is a folder of that name."""
    return source not in ready.names() and Path(source).is_dir()


def folder_of(source: str) -> Path:
    """Where results go if nobody says where: a results folder itself, else `NAME-results` in the current folder."""
    return Path(source) if is_results(source) else Path(f"{Path(source).stem}-results")


# A sweep.


def do(source: str, study: "Study", folder: Path, wish: Wish) -> int:
    """Do the runs that are left, and sum up."""
    from carom.sweeps.driver import sweep as swept

    console = notice()
    if not wish.quiet:
        console.print(headline(study))
    began = time.perf_counter()
    with Interrupt() as interrupt, Bar(console, interrupt, quiet=wish.quiet) as bar:
        try:
            found = swept(
                study, out=folder, scheduler=wish.scheduler, workers=wish.workers,
                resume=wish.resume, retry=wish.retry, progress=bar,
            )  # fmt: skip
        except KeyboardInterrupt:
            bar.close()
            again = source if wish.out is None else f"{source} --out {folder}"
            complain(f"stopped by Ctrl-C; what has ended is in {folder}. Go on: carom sweep {again} --resume")
            return INTERRUPTED
    drawn = draw(found, study, folder, wish)
    return report(found, study, folder, time.perf_counter() - began, drawn, wish)


def headline(study: "Study") -> str:
    """What is about to be done."""
    parts = f" ({count(study.points, 'point')} × {count(study.repeats, 'repeat')})" if study.repeats > 1 else ""
    return f"{study.name or 'study'}: {count(len(study), 'run')}{parts}"


def draw(found: "Table", study: "Study", folder: Path, wish: Wish) -> list[Path]:
    """The plots that a study asks for, where they can be drawn; what stands in the way of one is told."""
    targets = [*([folder / PLOT] if study.plot is not None else []), *([wish.plot] if wish.plot else [])]
    return [target for target in targets if drawn(found, study, target, loud=target == wish.plot)]


def drawn(found: "Table", study: "Study", target: Path, *, loud: bool) -> bool:
    """Draw a plot; whether it could be."""
    from carom.sweeps.plot import write

    try:
        write(found, study, target)
    except MissingExtraError:
        if loud:
            raise
        return False
    except StudyError as error:
        complain(str(error))
        return False
    return True


def plot_only(study: "Study", folder: Path, target: Path, *, quiet: bool) -> int:
    """Draw the plot of results that are there."""
    from carom.sweeps.plot import write
    from carom.sweeps.table import Table

    write(Table.read(folder), study, target)
    if not quiet:
        output().print(f"{study.name or 'study'} drawn as {target}.")
    return 0


def report(found: "Table", study: "Study", folder: Path, seconds: float, plots: list[Path], wish: Wish) -> int:
    """Print what came out; 0 if all runs were done."""
    tally, reasons = failures(found)
    code = FAILED if tally["failed"] or tally["timed out"] else 0
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
        console.print(f"{tally['done']:,} runs done{f', {bad}' if bad else ''}, in {duration(seconds)}")
        where = [folder / name for name in ("table.csv", "table.parquet", "summary.csv") if (folder / name).is_file()]
        console.print(f"results: {', '.join(map(str, [*where, *plots]))}")
        if bad:
            console.print(f"again, those that failed: carom sweep {folder} --retry")
    return code


# Without runs.


def foretell(study: "Study", wish: Wish) -> int:
    """How many runs, the first of them, and how long it would take."""
    study.check()
    from carom.sweeps.probing import estimate

    found = estimate(study, workers=wish.workers)
    if wish.as_json:
        told = {
            "study": study.name, "runs": found.runs, "points": study.points, "repeats": study.repeats,
            "workers": found.workers, "seconds_per_run": found.run_seconds, "seconds": found.seconds,
        }  # fmt: skip
        output().print(json.dumps(told, allow_nan=False, ensure_ascii=False))
        return 0
    console = output()
    console.print(headline(study))
    first = [study.run_at(k) for k in range(min(SHOWN_RUNS, len(study)))]
    rows = table("run", *study.parameters, *(["seed"] if study.repeats > 1 else []))
    for spec in first:
        cells = [value if isinstance(value, str) else f"{value:.6g}" for value in spec.parameters.values()]
        rows.add_row(str(spec.index), *cells, *([str(spec.seed)] if study.repeats > 1 else []))
    show_table(rows)
    if len(study) > len(first):
        console.print("…")
    on = count(found.workers, "worker")
    console.print(f"a run takes about {duration(found.run_seconds)}; all of them {duration(found.seconds)} on {on}")
    return 0


def show_status(source: str, folder: Path, *, as_json: bool) -> int:
    """How far a sweep is."""
    from carom.sweeps.ledger import Ledger

    found = Ledger.status(folder, None if is_results(source) else study_from(source))
    if as_json:
        told = {
            "study": found.name, "runs": found.total, "done": found.done, "failed": found.failed,
            "timed_out": found.timed_out, "left": found.left, "seconds_per_run": found.seconds,
            "written": found.written, "unwanted": found.unwanted,
        }  # fmt: skip
        output().print(json.dumps(told, allow_nan=False, ensure_ascii=False))
        return 0
    rows = table("", "", header=False)
    for name, text in status_rows(found):
        rows.add_row(name, text)
    show_table(rows)
    return 0


def status_rows(found: Any) -> list[tuple[str, str]]:
    """A status as people read it; what is nil and tells nothing is left out."""
    rows = [("study", found.name), ("runs", f"{found.total:,}"), ("done", f"{found.done:,}")]
    rows += [("failed", f"{found.failed:,}")] if found.failed else []
    rows += [("timed out", f"{found.timed_out:,}")] if found.timed_out else []
    rows += [("left", f"{found.left:,}")]
    rows += [("a run takes", duration(found.seconds))] if found.seconds else []
    if found.written is not None:
        rows.append(("last written", datetime.fromtimestamp(found.written).astimezone().isoformat(" ", "seconds")))
    rows += [("of another study", f"{found.unwanted:,}")] if found.unwanted else []
    return rows
