"""The laboratory in a real Chromium: frames drawn per second, and the latency from key to screen."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import scenes
from benchmarks.model import Case, Effort, Row, Section, Skipped

COUNTS = (100, 1_000, 10_000)
FRAMES = "frames/s drawn"
LATENCY = "key to screen, ms"
WORST = "of 20, the slowest"
KEYS = 20
TIMEOUT = 120.0
FLAGS = ("--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--ignore-gpu-blocklist", "--no-sandbox")

# Wraps the page's socket: a frame was drawn if it is acknowledged within an animation frame (dropped ones are
# acknowledged on arrival), and its header has the number of the last command done (docs/lab.md).
PROBE = """
window.probe = {drawn: 0, dropped: 0, asked: new Map(), seqs: new Map(), waits: []};
let picture = false;
const ask = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (draw) => ask((now) => {
  picture = true;
  try { draw(now); } finally { picture = false; }
});
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...all) {
    super(...all);
    this.addEventListener("message", ({data}) => {
      if (!(data instanceof ArrayBuffer)) return;
      const view = new DataView(data);
      window.probe.seqs.set(view.getUint32(4, true), view.getUint32(20, true));
    });
  }
  send(data) {
    if (typeof data === "string" && data.startsWith("{")) {
      const said = JSON.parse(data);
      if (said.do) window.probe.asked.set(said.seq, performance.now());
      if (said.ack !== undefined) {
        const done = window.probe.seqs.get(said.ack);
        window.probe.seqs.delete(said.ack);
        window.probe[picture ? "drawn" : "dropped"] += 1;
        if (!picture) return super.send(data);
        for (const [seq, asked] of window.probe.asked) {
          if (seq > done) continue;
          window.probe.waits.push(performance.now() - asked);
          window.probe.asked.delete(seq);
        }
      }
    }
    super.send(data);
  }
};
"""


def section() -> Section:
    """The table of the laboratory."""
    cases = tuple(
        Case(f"lab-1e{len(str(count)) - 1}", (f"{count}",), partial(drawing, count), heavy=True) for count in COUNTS
    )
    return Section(
        key="lab",
        title="The laboratory",
        text=(
            "A gas of N disks (η = 0.3) runs in the laboratory, in Chromium without a window, at 1280 × 720, drawn in "
            "software where there is no graphics card. A frame counts when it is drawn. The latency is from the key in "
            "the browser, through Python, to the frame that shows what it did; the middle one of 20."
        ),
        labels=("N",),
        columns=(FRAMES, LATENCY, WORST),
        cases=cases,
    )


def drawing(count: int, effort: Effort) -> Row:
    """Frames per second and latency for a gas of `count` disks."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "gas.json"
        from carom.scene.io.files import dump  # noqa: PLC0415  # with the scene, when it is needed

        dump(scenes.gas(count, 0.3), file)
        with laboratory(file) as address, tab(address) as page:
            return watched(page, seconds=max(5.0, effort.slices * effort.seconds))


def watched(page: Any, seconds: float) -> Row:
    """Let it run and count frames, then press a key that only changes the speed."""
    stage = page.locator("[role=application]")
    stage.focus()
    page.keyboard.press("Space")
    page.wait_for_function("probe.drawn > 20")
    page.wait_for_timeout(3000)
    first, began = page.evaluate("[probe.drawn, performance.now()]")
    page.wait_for_timeout(1000 * seconds)
    last, ended = page.evaluate("[probe.drawn, performance.now()]")
    page.evaluate("probe.waits.length = 0")
    for k in range(KEYS):
        page.keyboard.press("]" if k % 2 else "[")
        page.wait_for_timeout(150 + 7 * k)  # at any moment between two frames
    page.wait_for_function(f"probe.waits.length >= {KEYS}")
    waits = sorted(page.evaluate("probe.waits"))
    return {FRAMES: 1000 * (last - first) / (ended - began), LATENCY: waits[len(waits) // 2], WORST: waits[-1]}


@contextmanager
def laboratory(file: Path) -> Iterator[str]:
    """Start a laboratory with the scene on a bench; yield its address."""
    command = [sys.executable, "-m", "carom", "lab", str(file), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        found = re.search(r"http://\S+", line)
        if found is None:
            raise Skipped("the laboratory did not start")
        yield found[0]
    finally:
        process.kill()
        process.wait()


@contextmanager
def tab(address: str) -> Iterator[Any]:
    """Open a page in Chromium with the probe."""
    try:
        from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  # an extra of the tests
    except ImportError:
        raise Skipped("Playwright is not installed") from None
    path = finder().find()
    if path is None:
        raise Skipped("no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(1000 * TIMEOUT)
        page.add_init_script(PROBE)
        try:
            page.goto(address)
            yield page
        except Error as error:
            raise Skipped(f"the page did not answer: {error.message.splitlines()[0]}") from None
        finally:
            browser.close()


def finder() -> ModuleType:
    """Import tools/chromium.py, which is not in a package."""
    place = Path(__file__).parents[1] / "tools/chromium.py"
    found = importlib.util.spec_from_file_location("chromium", place)
    if found is None or found.loader is None:
        raise Skipped("tools/chromium.py is not there")
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


if __name__ == "__main__":
    from benchmarks.model import QUICK

    for case in section().cases:
        began = time.monotonic()
        print(case.name, dict(case.measure(QUICK)), f"({time.monotonic() - began:.0f} s)")
