"""Photograph the laboratory for the documents, in a real Chromium.

`python tools/lab_pictures.py` writes docs/images/lab-*.png; with a FOLDER it writes them there. It needs the extra
`dev` and a Chromium (tools/chromium.py). Pictures differ a little from run to run: they show a moment of a live page.
"""

import argparse
import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import chromium

IMAGES = Path(__file__).resolve().parent.parent / "docs/images"
SIZE = {"width": 1280, "height": 720}
TIMEOUT = 120_000.0
"""Time limit for anything to appear, ms."""
FLAGS = ("--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--ignore-gpu-blocklist", "--no-sandbox")


@dataclass(frozen=True)
class Shot:
    """A picture: its page, its theme, and what is done before it is taken."""

    name: str
    path: str
    theme: str
    tab: str
    script: str
    until: float
    """Time of the scene at which the picture is taken, s."""


SHOTS = (
    Shot(
        "lab-break",
        "/bench?scene=break",
        "light",
        tab="meters",
        script="carom.layer('velocity', true); carom.layer('trace', true); carom.send('speed', {factor: 0.5})",
        until=0.75,
    ),
    Shot(
        "lab-planets",
        "/bench?scene=inner-planets",
        "dark",
        tab="meters",
        script="carom.layer('names', true); carom.send('speed', {factor: 2})",
        until=4.0e7,
    ),
)


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES, help="target folder; default: docs/images")
    parser.add_argument("--only", help="the name of one picture")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    path = chromium.find()
    if path is None:
        raise SystemExit(chromium.advice())
    with laboratory() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for shot in SHOTS:
            if asked.only in {None, shot.name}:
                save(taken(browser, address, shot), asked.folder / f"{shot.name}.png")
        browser.close()


@contextlib.contextmanager
def laboratory() -> Iterator[str]:
    """Start a laboratory; yield its address with the token."""
    command = [sys.executable, "-u", "-m", "carom", "lab", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            said = iter(process.stdout or ())
            yield next(hit[0] for line in said if (hit := re.search(r"http://\S+token=[\w-]+", line)))
        finally:
            process.send_signal(signal.SIGINT)


def taken(browser: Browser, address: str, shot: Shot) -> bytes:
    """Take a picture in the browser."""
    context = browser.new_context(viewport=SIZE, color_scheme=shot.theme, locale="en-GB")  # type: ignore[arg-type]  # light or dark
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    page.goto(address)
    page.goto(address.partition("/?")[0] + shot.path)
    act(page, shot)
    made = page.screenshot()
    context.close()
    return made


def act(page: Page, shot: Shot) -> None:
    """Run the scene to the time of the picture."""
    page.wait_for_function("window.carom && carom.frame && !carom.state?.working")
    page.click(f"#tab-{shot.tab}")
    page.evaluate(f"() => {{ {shot.script}; carom.send('run'); }}")
    page.wait_for_function(f"carom.frame.time > {shot.until}")
    page.evaluate("() => { carom.send('pause'); }")
    page.wait_for_function("!carom.frame.running")
    page.mouse.move(5, 5)
    page.wait_for_timeout(1500.0)


def save(picture: bytes, target: Path) -> None:
    """Write a picture, compressed without loss."""
    Image.open(BytesIO(picture)).convert("RGB").save(target, optimize=True)
    print(f"wrote {target.name}, {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
