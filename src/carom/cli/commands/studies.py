"""The commands of studies: `carom sweep` and `carom studies`."""

from pathlib import Path
from typing import Annotated

import typer

from carom.atomic_write import write_text
from carom.cli.options import AsJson, QuietTable
from carom.cli.parsers import workers_number
from carom.cli.terminal import Mistake, output, show_table, table


def sweep_command(  # noqa: PLR0917  # each is an option of the command
    source: Annotated[
        str, typer.Argument(metavar="FILE|NAME|FOLDER", help="A study file, a ready study, or a results folder.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder for the results; default: NAME-results here.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", parser=workers_number, help="Processes on this machine; default: one per core."),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://10.0.0.1:8786.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue: runs that have ended are not repeated.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Continue, and repeat runs that failed or timed out.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Print the progress, also while it runs.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print how many runs and how long; run nothing.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the plot to this file too; of a FOLDER, without running.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of --plot.")] = False,
    as_json: AsJson = False,
    quiet: QuietTable = False,
) -> int:
    """Run a study: a scene with ranges of parameters. Ctrl-C stops it cleanly; --resume continues."""
    from carom.cli.commands.sweep import SweepOptions, sweep

    if sum((status, dry_run, resume or retry)) > 1:
        raise Mistake("--status, --dry-run and --resume (or --retry) exclude each other. Choose one.")
    if (status or dry_run) and (scheduler is not None or plot is not None):
        what = "--status prints the progress" if status else "--dry-run tries runs on this machine"
        raise Mistake(f"{what} and draws nothing. Leave --scheduler and --plot out.")
    if status and workers is not None:
        raise Mistake("--status starts no workers. Leave --workers out.")
    if workers is not None and scheduler is not None:
        raise Mistake("--workers are processes on this machine, --scheduler has its own. Give one of them.")
    options = SweepOptions(
        out, workers, scheduler, plot,
        resume=resume or retry, retry=retry, status=status, dry_run=dry_run, as_json=as_json, quiet=quiet,
        force=force,
    )  # fmt: skip
    return sweep(source, options)


def studies_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show this study instead of the list.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the study to a new file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of --save.")] = False,
) -> int:
    """List the ready studies, show one, or save one to start from."""
    if name is None:
        if save is not None:
            raise Mistake("name the study to save: carom studies NAME --save FILE.")
        return show_all()
    if save is None:
        return show_one(name)
    return save_one(name, save, force=force)


def show_all() -> int:
    """Print the ready studies as a table."""
    from carom.sweeps import ready

    rows = table("name", "what it shows")
    for entry in ready.catalogue():
        rows.add_row(entry.name, entry.sentence)
    show_table(rows)
    return 0


def show_one(name: str) -> int:
    """Print the file of a ready study."""
    output().print(text_of(name).rstrip())
    return 0


def save_one(name: str, target: Path, *, force: bool) -> int:
    """Write a ready study to a new file."""
    from carom.cli.sources import require_writable

    text = text_of(name)
    require_writable(target, force=force, nouns="studies", suffixes=(".toml",))
    write_text(target, text)
    output().print(f"{name} saved as {target}. Run it: carom sweep {typed(target)}")
    return 0


def text_of(name: str) -> str:
    """The file of a ready study; Mistake with a suggestion if there is none."""
    from carom.sweeps import ready

    if name not in ready.names():
        raise Mistake(f"there is no ready study {name!r}. {study_hint(name)}")
    return ready.text(name)


def study_hint(name: str) -> str:
    """The most similar ready study, or the command that lists all."""
    from carom.cli.sources import hint
    from carom.sweeps import ready

    return hint(name, ready.names(), "carom studies")


def typed(path: str | Path) -> str:
    """A path as it is typed in a shell: in quotes if it has blanks."""
    text = str(path)
    return f'"{text}"' if any(map(str.isspace, text)) else text
