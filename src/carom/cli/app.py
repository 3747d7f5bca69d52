"""The commands and their options."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from carom import __version__
from carom.cli.commands import recordings, studies
from carom.cli.options import AsJson, Quiet, QuietTable, SceneSource
from carom.cli.parsers import number, port_number, seconds, wall_clock_time
from carom.cli.terminal import Mistake, complain
from carom.errors import CaromError

USAGE = 2  # exit code of a wrong command line; that of an invalid scene is 1


class Commands(TyperGroup):
    """All commands. Ctrl-C in a command that does not handle it reaches `carom.cli.main`."""

    def invoke(self, ctx: Any) -> object:
        """Run a command; Typer itself would end it silently at Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None


class Interrupted(BaseException):
    """Ctrl-C as an error that Typer does not catch."""


app = typer.Typer(
    name="carom",
    cls=Commands,
    help="Simulation of colliding balls and material points.",
    epilog="Start here: carom lab. Or without a browser: carom scenes, then carom run break --until 2",
    add_completion=False,
    rich_markup_mode=None,  # plain help: no boxes, the same on a terminal and in a pipe
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def answer(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code. Mistakes print one line, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # in a pipe on Windows, π becomes \u03c0
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(arguments, prog_name="carom", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as mistake:
        complain(f"carom: {' '.join(mistake.format_message().split())} (carom --help)")
        return USAGE
    except CaromError as error:
        complain(str(error))
        return 1
    except Interrupted:
        raise KeyboardInterrupt from None
    except BrokenPipeError:  # the reader of the output has ended, as in `carom scenes | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        complain(f"{error.filename or 'carom'}: {error.strerror or error}.")
        return 1
    except MemoryError:
        complain("carom: there is not enough memory for this. Use fewer balls, or a machine with more.")
        return 1
    return code or 0


def print_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"carom {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def carom(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # its callback does the work
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Simulation of colliding balls and material points."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("run")
def run_command(  # noqa: PLR0917  # each is an option of the command
    source: SceneSource,
    until: Annotated[
        float | None, typer.Option(metavar="T", parser=seconds, help="Run until this time, in seconds.")
    ] = None,
    collisions: Annotated[
        int | None, typer.Option(metavar="N", parser=number, help="Run for this many collisions.")
    ] = None,
    solver: Annotated[
        Literal["auto", "exact", "stepped"], typer.Option(help="Solver; auto takes the exact one wherever it applies.")
    ] = "auto",
    step: Annotated[
        float | None, typer.Option(metavar="DT", parser=seconds, help="Step of the stepped solver, in seconds.")
    ] = None,
    integrator: Annotated[
        str | None, typer.Option(metavar="NAME", help="Integrator of the stepped solver; carom solvers lists them.")
    ] = None,
    contacts: Annotated[
        Literal["auto", "impacts", "pile"],
        typer.Option(help="Contacts of the stepped solver: impacts, or soft contacts of piles."),
    ] = "auto",
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the final state as a scene file.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Record the run, in an HDF5 file (.h5).")] = None,
    every: Annotated[
        float | None, typer.Option(metavar="DT", parser=seconds, help="With --out: record a frame every DT seconds.")
    ] = None,
    at: Annotated[
        list[float] | None,
        typer.Option(metavar="T", parser=seconds, help="With --out: record a frame at this time; repeatable."),
    ] = None,
    no_events: Annotated[bool, typer.Option("--no-events", help="With --out: do not record collisions.")] = False,
    observe: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --out: record this observable with each frame; repeatable."),
    ] = None,
    checkpoint: Annotated[
        float | None,
        typer.Option(
            metavar="TIME",
            parser=wall_clock_time,
            help="With --out: save a checkpoint for carom resume every 60s or 5min.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files of --save and --out.")] = False,
    as_json: AsJson = False,
    quiet: QuietTable = False,
) -> int:
    """Run a scene and print a summary. Ctrl-C stops it cleanly."""
    from carom.cli.commands.record import RecordingOptions
    from carom.cli.commands.run import Goal, run
    from carom.cli.sources import require_writable
    from carom.solvers.choose import Wish

    if until is None and collisions is None:
        raise Mistake("say how long: --until SECONDS, or --collisions NUMBER.")
    if save is not None:
        require_writable(save, force=force)
    recording = None
    if out is not None:
        recording = RecordingOptions(out, every, at or (), not no_events, observe or (), checkpoint, force)
    elif every is not None or at or no_events or observe or checkpoint is not None:
        raise Mistake("--every, --at, --no-events, --observe and --checkpoint need a recording. Add --out FILE.h5.")
    wish = Wish(solver, step, integrator, contacts)
    return run(source, Goal(until, collisions), wish, save, as_json=as_json, quiet=quiet, recording=recording)


app.command("resume")(recordings.resume_command)
app.command("export")(recordings.export_command)
app.command("analyse")(recordings.analyse_command)
app.command("render")(recordings.render_command)
app.command("sweep")(studies.sweep_command)
app.command("studies")(studies.studies_command)


@app.command("draw")
def draw_command(
    source: SceneSource,
    target: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File of the picture; default: NAME.svg here.")
    ] = None,
    scale: Annotated[
        Literal["real", "fit"] | None,
        typer.Option(help="Real size, or fitted to a screen; default: real where it fits on a screen."),
    ] = None,
    arrows: Annotated[bool, typer.Option("--arrows", help="Show the velocities.")] = False,
    at: Annotated[
        float | None, typer.Option(metavar="T", parser=seconds, help="Run until this time first, in seconds.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the picture.")] = False,
    quiet: Quiet = False,
) -> int:
    """Draw a scene to scale, as an SVG file."""
    from carom.cli.commands.draw import DrawOptions, draw
    from carom.cli.sources import require_writable

    chosen = target or Path(f"{Path(source).stem}.svg")
    require_writable(chosen, force=force, nouns="pictures", suffixes=(".svg",))
    return draw(source, chosen, DrawOptions(scale, arrows, at), quiet=quiet)


@app.command("check")
def check_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scene files, TOML or JSON.")],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing about valid files.")] = False,
) -> int:
    """Check scene files; print one line per problem."""
    from carom.cli.commands.check import check

    return check(files, quiet=quiet)


@app.command("scenes")
def scenes_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show this scene instead of the list.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the scene to a new file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of --save.")] = False,
) -> int:
    """List the scenes of the library, show one, or save one to start from."""
    from carom.cli.commands import scenes

    if name is None:
        if save is not None:
            raise Mistake("name the scene to save: carom scenes NAME --save FILE.")
        return scenes.show_all()
    if save is None:
        return scenes.show_one(name)
    return scenes.save(name, save, force=force)


@app.command("solvers")
def solvers_command() -> int:
    """List the solvers and integrators, and what each can do."""
    from carom.cli.commands import solvers

    return solvers.show_all()


@app.command("schema")
def schema_command(
    study: Annotated[bool, typer.Option("--study", help="Print that of study files instead.")] = False,
) -> int:
    """Print the JSON Schema of scene files."""
    from carom.cli.commands.scenes import show_schema

    return show_schema(of_studies=study)


@app.command("lab")
def lab_command(
    source: Annotated[
        str | None, typer.Argument(metavar="[FILE|NAME]", help="A scene to begin with; default: the gallery.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", parser=port_number, help="Port on this computer; default: a free one.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address; open no browser.")] = False,
) -> int:
    """Open the laboratory in the browser. Ctrl-C stops it."""
    from carom.cli.commands.lab import lab

    return lab(source, port, open_browser=not no_browser)
