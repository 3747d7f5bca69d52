"""Arguments and options that several commands share."""

from typing import Annotated

import typer

SceneSource = Annotated[str, typer.Argument(metavar="FILE|NAME", help="A scene file, or a scene of the library.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")]
QuietTable = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks, no table.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")]
