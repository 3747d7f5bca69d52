"""Representations for notebooks: a widget if the notebook is interactive, and always a picture."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from carom.errors import CaromError, MissingExtraError
from carom.observe.frame import Frame
from carom.scene import Scene
from carom.views.svg import MOST_BALLS, draw


def mime_bundle(what: Any) -> dict[str, Any]:
    """Representations by MIME type, for `_repr_mimebundle_`. Errors leave one out instead of failing."""
    data: dict[str, Any] = {"text/plain": title(what)}
    svg = picture(what) if _shows_pictures() else None
    if svg is not None:
        data["image/svg+xml"] = svg
    if is_interactive():
        from carom.notebook import show  # noqa: PLC0415  # the package knows this module

        try:
            made: Any = show(what)._repr_mimebundle_()
        except MissingExtraError as error:
            hint_once(str(error))
            return data
        data |= made[0] if isinstance(made, tuple) else made
    return data


@cache
def hint_once(words: str) -> None:
    """Print a hint below the cell once, such as how to install the widget."""
    sys.stderr.write(f"{words}\n")


def is_interactive() -> bool:
    """Can the front end ask a person for input?

    `nbconvert` and `nbclient` run cells in a kernel too, but without input: their output is read without a kernel.
    """
    kernel = getattr(_shell(), "kernel", None)
    if kernel is None:
        return False
    content = (kernel.get_parent("shell") or {}).get("content") or {}
    return bool(content.get("allow_stdin", False))


def _shell() -> Any:
    """IPython's shell, or None."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _shows_pictures() -> bool:
    """Does the front end show pictures? False in a terminal."""
    formatter = getattr(_shell(), "display_formatter", None)
    return formatter is None or "image/svg+xml" in formatter.active_types


def picture(what: Any) -> str | None:
    """Draw a picture to scale as SVG; None if there are too many balls."""
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
    """A recorded scene as it was in a frame; balls not born yet, or merged, are marked as born later."""
    balls = scene.balls
    there = np.isfinite(frame.positions[:, 0])
    now = balls.replace(
        position=np.where(there[:, None], frame.positions, balls.position),
        velocity=np.where((there & ~balls.fixed)[:, None], frame.velocities, 0.0),
        born=np.where(there, 0.0, 1.0),
    )
    return scene.replace(balls=now)


def title(what: Any) -> str:
    """A description on one line; for a simulation, its repr."""
    if hasattr(what, "snapshot"):
        return repr(what)
    scene: Scene = what if isinstance(what, Scene) else what.scene
    kind = type(what).__name__
    name = f" of {scene.name}" if scene.name else ""
    count = len(scene.balls)
    balls = f"{count} ball{'' if count == 1 else 's'} in {scene.dimension}D"
    solver = f", {what.solver}" if not isinstance(what, Scene) else ""
    return f"<{kind}{name}: {balls}{solver}>"
