"""The commands of recordings: resume, export, analyse, render."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from carom.cli.options import AsJson, Force, Quiet, QuietTable
from carom.cli.parsers import number, seconds, size

Recorded = Annotated[Path, typer.Argument(metavar="FILE.h5", help="A recording, made by carom run --out.")]


def resume_command(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="A checkpoint, or a recording that has one beside it.")
    ],
    until: Annotated[
        float | None,
        typer.Option(metavar="T", parser=seconds, help="Run until this time; default: the goal of the original run."),
    ] = None,
    collisions: Annotated[
        int | None, typer.Option(metavar="N", parser=number, help="Run until the total number of collisions is N.")
    ] = None,
    as_json: AsJson = False,
    quiet: QuietTable = False,
) -> int:
    """Continue a run that was stopped or killed; the result is the same, bit for bit, as without the stop."""
    from carom.cli.commands.record import resume

    return resume(source, until, collisions, as_json=as_json, quiet=quiet)


def export_command(
    source: Recorded,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="out.gsd (HOOMD-blue, OVITO), out.xyz (extended XYZ) or out.h5md (MDAnalysis)."
        ),
    ],
    force: Force = False,
    quiet: Quiet = False,
) -> int:
    """Write a recording in another file format."""
    from carom.cli.commands.record import export

    return export(source, target, force=force, quiet=quiet)


def analyse_command(
    source: Recorded,
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a report with plots.")] = None,
    skip: Annotated[
        float | None,
        typer.Option(
            metavar="T", parser=seconds, help="Ignore frames before this time, in seconds; default: the first tenth."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the report.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Measure a recording: a table with errors, beside theoretical values."""
    from carom.cli.commands.analyse import analyse

    return analyse(source, report, skip, force=force, as_json=as_json, quiet=quiet)


def render_command(  # noqa: PLR0917  # each is an option of the command
    source: Annotated[str, typer.Argument(metavar="FILE|NAME", help="A recording, a scene file, or a scene by name.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="film.mp4, film.gif, frames/%05d.png, still.svg or still.png.")
    ],
    fps: Annotated[float, typer.Option(help="Pictures per second.")] = 30.0,
    speed: Annotated[float, typer.Option(help="Playback speed; 1 is the default of the laboratory.")] = 1.0,
    dimensions: Annotated[Any, typer.Option("--size", metavar="WxH", parser=size, help="Size in pixels.")] = "1280x720",
    start: Annotated[
        float | None, typer.Option("--from", metavar="T", parser=seconds, help="Start of the film, in seconds.")
    ] = None,
    end: Annotated[
        float | None, typer.Option("--to", metavar="T", parser=seconds, help="End of the film, in seconds.")
    ] = None,
    at: Annotated[
        float | None, typer.Option(metavar="T", parser=seconds, help="Time of a single picture, in seconds.")
    ] = None,
    arrows: Annotated[bool, typer.Option("--arrows", help="Show the velocities.")] = False,
    trace: Annotated[
        float, typer.Option(metavar="S", parser=seconds, help="Length of the trace behind each ball, in seconds.")
    ] = 0.0,
    theme: Annotated[Literal["light", "dark"], typer.Option(help="Colours.")] = "light",
    force: Force = False,
    quiet: Quiet = False,
) -> int:
    """Make a film or a picture of a recording, or of a scene, which is run for it."""
    from carom.cli.commands.render import render
    from carom.video.options import Look, Timing

    look = Look(size=dimensions, theme=theme, arrows=arrows, trace=trace)
    return render(source, target, look, Timing(fps, speed, start, end), at, force=force, quiet=quiet)
