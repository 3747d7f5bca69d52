"""`carom draw`: draw a scene, at its start or later."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from carom.atomic_write import write_text
from carom.cli.commands.run import Goal, advance
from carom.cli.compilation import Announcement
from carom.cli.sources import named_in_errors, scene_from
from carom.cli.terminal import complain, notice, output
from carom.scene import Scene
from carom.views import svg

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation


@dataclass(frozen=True)
class DrawOptions:
    """Options of the picture."""

    scale: Literal["real", "fit"] | None
    arrows: bool
    at: float | None


def draw(source: str, target: Path, options: DrawOptions, *, quiet: bool) -> int:
    """Draw a scene; without a run it is drawn as it is, with its mistakes."""
    scene = scene_from(source)
    with named_in_errors(source):
        subject, code = (scene, 0) if options.at is None else run(scene, source, options.at, quiet=quiet)
        if code:
            return code
        picture = svg.draw(subject, scale=options.scale, arrows=options.arrows)
    write_text(target, picture)
    if not quiet:
        output().print(f"{source} drawn as {target}.")
    return 0


def run(scene: Scene, source: str, until: float, *, quiet: bool) -> tuple["Simulation", int]:
    """Run a scene until a time; return the simulation and the exit code, 0 if it got there."""
    from carom.simulation.simulation import Simulation

    with Announcement(notice(), quiet=quiet):
        simulation = Simulation(scene)
        ending = advance(simulation, Goal(until, None), quiet=quiet)
    if ending.error:
        complain(f"{source}: {ending.error}")
    return simulation, ending.code
