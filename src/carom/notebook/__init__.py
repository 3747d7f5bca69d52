"""Runs and recordings as live widgets in notebooks.

A notebook shows a `Simulation` or a `Recording` by itself; `show` does the same with options, and gives the widget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carom.extras import require

if TYPE_CHECKING:
    from carom.notebook.widget import Viewer

__all__ = ["bundle", "show"]


def show(
    what: Any, *, height: int | None = None, theme: str = "auto", speed: float = 1.0, play: bool = False
) -> Viewer:
    """A live widget of a `Simulation`, a `Scene` or a `Recording`: run, pause, go back and forth, select a ball.

    height  of the picture, px; if left out, what suits the scene.
    theme   "light", "dark", or "auto": that of the notebook.
    speed   times the pace of the scene, from 0.01 to 100.
    play    whether it runs at once.

    A simulation is copied: the widget runs the copy, so that looking never changes what later cells compute.
    """
    require("notebook", "the notebook's live widget")
    from carom.notebook.widget import Viewer  # noqa: PLC0415  # needs anywidget, which is optional

    return Viewer(what, height=height, theme=theme, speed=speed, play=play)


def bundle(what: Any) -> dict[str, Any]:
    """What a notebook gets of a simulation or a recording, by MIME type: a widget where one can live, and a picture."""
    from carom.notebook.display import bundled  # noqa: PLC0415  # `import carom` is light

    return bundled(what)
