"""What a notebook gets of a simulation or a recording: a widget where a person can use it, and always a picture."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from carom.errors import CaromError, MissingExtraError
from carom.observe.frame import Frame
from carom.scene import Scene
from carom.views.svg import MOST_BALLS, draw

WIDGET = "application/vnd.jupyter.widget-view+json"


def bundled(what: Any) -> dict[str, Any]:
    """By MIME type, for `_repr_mimebundle_`. Showing never fails: what cannot be had is left out."""
    data: dict[str, Any] = {"text/plain": title(what)}
    svg = picture(what) if _pictures_wanted() else None
    if svg is not None:
        data["image/svg+xml"] = svg
    if person_there():
        from carom.notebook import show  # noqa: PLC0415  # the package knows this module

        try:
            made: Any = show(what)._repr_mimebundle_()
        except MissingExtraError as error:
            say_once(str(error))
            return data
        data |= made[0] if isinstance(made, tuple) else made
    return data


@cache
def say_once(words: str) -> None:
    """A line below the cell: a picture alone would not tell that more can be had."""
    sys.stderr.write(f"{words}\n")


def person_there() -> bool:
    """Is there a front end with a person, who could be asked something?

    `nbconvert` and `nbclient` run cells in a kernel too, but forbid them to ask: what they store is read later, where
    no widget lives.
    """
    kernel = getattr(_shell(), "kernel", None)
    if kernel is None:
        return False
    content = (kernel.get_parent("shell") or {}).get("content") or {}
    return bool(content.get("allow_stdin", False))


def _shell() -> Any:
    """IPython's shell, if this is one."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _pictures_wanted() -> bool:
    """False in a terminal."""
    formatter = getattr(_shell(), "display_formatter", None)
    return formatter is None or "image/svg+xml" in formatter.active_types


def picture(what: Any) -> str | None:
    """A picture to scale as SVG; None if there are too many balls for one."""
    scene: Scene = what if isinstance(what, Scene) else what.scene
    if len(scene.balls) > MOST_BALLS:
        return None
    try:
        if isinstance(what, Scene) or hasattr(what, "snapshot"):
            return draw(what, scale="fit")
        return draw(scene_at(scene, what[-1]), scale="fit") if len(what) else None
    except CaromError:
        return None


def scene_at(scene: Scene, frame: Frame) -> Scene:
    """A recorded scene as it was in a frame; balls that are not there yet, or have merged, are left for later."""
    balls = scene.balls
    there = np.isfinite(frame.positions[:, 0])
    now = balls.replace(
        position=np.where(there[:, None], frame.positions, balls.position),
        velocity=np.where((there & ~balls.fixed)[:, None], frame.velocities, 0.0),
        born=np.where(there, 0.0, 1.0),
    )
    return scene.replace(balls=now)


def title(what: Any) -> str:
    """In one line; of a simulation, its own."""
    if hasattr(what, "snapshot"):
        return repr(what)
    scene: Scene = what if isinstance(what, Scene) else what.scene
    kind = type(what).__name__
    name = f" of {scene.name}" if scene.name else ""
    count = len(scene.balls)
    balls = f"{count} ball{'' if count == 1 else 's'} in {scene.dimension}D"
    solver = f", {what.solver}" if not isinstance(what, Scene) else ""
    return f"<{kind}{name}: {balls}{solver}>"
