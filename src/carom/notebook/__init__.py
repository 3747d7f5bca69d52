"""Runs and recordings as live widgets in notebooks.

A notebook shows a `Simulation` or a `Recording` that ends a cell; `show` takes options and returns the widget.
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
    """Make a live widget of a `Simulation`, a `Scene` or a `Recording`: run, pause, go back and forth, select balls.

    height  height of the picture, px; by default chosen by the scene
    theme   "light", "dark", or "auto": as the notebook
    speed   playback speed, from 0.01 to 100; 1 is the default pace of the scene
    play    start to run at once

    The widget runs a copy of a simulation, so that it does not affect later cells.
    """
    require("notebook", "the notebook's live widget")
    from carom.notebook.widget import Viewer  # noqa: PLC0415  # needs anywidget, which is optional

    return Viewer(what, height=height, theme=theme, speed=speed, play=play)


def bundle(what: Any) -> dict[str, Any]:
    """The representations of a simulation or a recording by MIME type: a live widget if possible, and a picture."""
    from carom.notebook.display import mime_bundle  # noqa: PLC0415  # `import carom` is light

    return mime_bundle(what)
