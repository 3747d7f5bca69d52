"""The stage alone in a page: tests send frames and receive commands."""

import base64
import functools
import http.server
import json
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from playwright.sync_api import Page

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "src/carom/lab/static"

PIXEL = """([x, y]) => {
  bench._draw(performance.now());
  const sheet = document.createElement("canvas");
  sheet.width = bench.canvases.over.width;
  sheet.height = bench.canvases.over.height;
  const c = sheet.getContext("2d");
  c.fillStyle = bench.colour.ground;
  c.fillRect(0, 0, sheet.width, sheet.height);
  for (const canvas of bench._all()) c.drawImage(canvas, 0, 0);
  return Array.from(c.getImageData(Math.round(x * bench.ratio), Math.round(y * bench.ratio), 1, 1).data.slice(0, 3));
}"""


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves the harness page and the modules."""

    extensions_map: ClassVar[dict[str, str]] = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}

    def translate_path(self, path: str) -> str:
        name = path.partition("?")[0]
        return str(STATIC / name.removeprefix("/static/") if name.startswith("/static/") else HERE / name.lstrip("/"))

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def files() -> Iterator[str]:
    """The address of a small file server."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def frame(
    positions: ArrayLike,
    velocities: ArrayLike | None = None,
    *,
    number: int = 1,
    time: float = 0.0,
    epoch: int = 1,
    seq: int = 0,
    marks: Sequence[int] = (),
    companions: Sequence[ArrayLike] = (),
    running: bool = False,
    past: bool = False,
) -> bytes:
    """A frame, by the table in docs/lab.md."""
    places = np.asarray(positions, dtype="<f4")
    count, dimension = places.shape
    flags = (velocities is not None) | 4 * running | 16 * past
    head = struct.pack(
        "<BBHIdIIIHHfI", 1, 1, flags, number, time, epoch, seq, count, dimension, len(companions), 1.0, len(marks)
    )
    blocks = [places] if velocities is None else [places, np.asarray(velocities, dtype="<f4")]
    blocks += [np.asarray(one, dtype="<f4") for one in companions]
    return b"".join([head, *(block.tobytes() for block in blocks), np.asarray(marks, dtype="<u4").tobytes()])


class Stage:
    """A page with a stage. By default the scene's region is 4 m by 2 m around the origin."""

    def __init__(self, page: Page, address: str, query: str = "", keymap: Sequence[dict[str, Any]] = ()) -> None:
        self.page = page
        self.number = 0
        page.add_init_script(f"window.keymap = {json.dumps(list(keymap))}")
        page.goto(f"{address}/view.html?{query}")
        page.wait_for_selector("body[data-ready]", state="attached")
        page.wait_for_function("sockets.at(-1).readyState === 1")

    def scene(self, radii: Sequence[float], **more: Any) -> None:
        dimension = more.get("dimension", 2)
        plain = {
            "epoch": 1,
            "name": "test",
            "dimension": dimension,
            "y_down": False,
            "origin": [0.0] * dimension,
            "bounds": [[-2.0, -1.0, -1.0][:dimension], [2.0, 1.0, 1.0][:dimension]],
            "radii": list(radii),
            "masses": [1.0] * len(radii),
            "names": None,
            "fixed": [],
            "colours": None,
            "links": [],
            "triangles": [],
            "walls": [],
            "obstacles": [],
            "gravity": [0.0] * dimension,
        }
        self.page.evaluate("message => give(message)", {"scene": plain | more})

    def state(self, **more: Any) -> None:
        plain = {
            "time": 0.0,
            "end": 0.0,
            "running": False,
            "selected": [],
            "pace": 1.0,
            "arrow_time": 0.5,
            "seq": 0,
            "collision_times": [],
            "solving": {"solver": "exact", "has_forces": False},
            "steering": "place",
            "inspector": None,
            "meters": {"upcoming": [], "centre_of_mass": [], "speeds": [], "maxwell": [], "speeds_end": 0.0},
        }
        self.page.evaluate("message => give(message)", {"state": plain | more})

    def frame(self, positions: ArrayLike, velocities: ArrayLike | None = None, **more: Any) -> None:
        self.number += 1
        data = frame(positions, velocities, **({"number": self.number} | more))
        self.page.evaluate("text => giveFrame(text)", base64.b64encode(data).decode())
        self.settle()

    def settle(self) -> None:
        """Wait for two animation frames."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def at(self, *place: float) -> tuple[float, float]:
        """The place on the page of a position in the scene."""
        x, y, _ = self.page.evaluate("place => bench.camera.project(...place)", list(place))
        return x, y

    def pixel(self, x: float, y: float) -> list[int]:
        """Red, green, blue at a point of the page."""
        return self.page.evaluate(PIXEL, [x, y])

    def colour(self, name: str) -> list[int]:
        """A colour of the theme."""
        text = self.page.evaluate("name => bench.colour[name]", name)
        return [int(text[k : k + 2], 16) for k in (1, 3, 5)]

    def sent(self) -> list[tuple[str, dict[str, Any]]]:
        """The commands since the last call, in order."""
        self.settle()
        messages = self.page.evaluate("sent.splice(0)")
        return [(message["do"], message["with"]) for message in messages if "do" in message]

    def drag(
        self, start: tuple[float, float], end: tuple[float, float], *, release: bool = True, steps: int = 4
    ) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=steps)
        if release:
            mouse.up()
