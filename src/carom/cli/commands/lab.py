"""`carom lab`: the laboratory in the browser."""

from typing import TYPE_CHECKING

from carom.cli.commands.check import require_runnable
from carom.cli.sources import scene_from
from carom.cli.terminal import output
from carom.extras import require
from carom.kernels.numba_version import require_known_numba
from carom.scene import Scene, library

if TYPE_CHECKING:
    from fastapi import FastAPI

    from carom.lab.bench.benches import Benches


def lab(source: str | None, port: int | None, *, open_browser: bool) -> int:
    """Serve the laboratory until Ctrl-C; a scene that is named is opened on a bench."""
    require("lab", "the laboratory")
    scene = None if source is None else checked_scene(source)
    from carom.lab.server.start import serve

    entry = source if source is not None and source in library.names() else ""

    def shell(benches: "Benches") -> "FastAPI":
        require_known_numba()  # each bench needs it
        from carom.lab.app import create_app  # takes a second: only once the port is known to be free

        return create_app(benches, scene, entry)

    return serve(
        shell,
        path="/" if scene is None else "/bench",
        port=port,
        open_browser=open_browser,
        say=output().print,
    )


def checked_scene(source: str) -> Scene:
    """Load a scene, and check it before the server starts."""
    scene = scene_from(source)
    require_runnable(scene, source)
    return scene
