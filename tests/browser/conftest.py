"""A real Chromium, and a real laboratory in a process of its own. No page may complain in its console."""

import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from browser.workbench import Workbench
from lab.serving import Served, served

ROOT = Path(__file__).parents[2]
DESKTOP = (960, 540)
"""A small window: without a graphics card, the processor draws each pixel."""
PHONE = (390, 844)
PATIENCE = 60_000.0
"""Milliseconds for anything to appear: kernels may be compiled on the way, on a machine that is busy."""
FLAGS = (
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--use-angle=swiftshader",
    "--ignore-gpu-blocklist",
    "--force-color-profile=srgb",  # pixels are compared
    "--disable-dev-shm-usage",
    "--disable-gpu-compositing",  # only what the page itself draws by WebGL: half of the work, without a graphics card
)


def chromium_tool() -> ModuleType:
    """tools/chromium.py, which is no part of a package."""
    found = importlib.util.spec_from_file_location("chromium", ROOT / "tools/chromium.py")
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium, without a window. Skipped where there is none; CI=true makes that a failure.

    Not for longer than needed: while Playwright is there, no other test can run an event loop.
    """
    tool = chromium_tool()
    path = tool.find()
    if path is None:
        pytest.skip(tool.advice())
    sandbox = () if getattr(os, "geteuid", lambda: 1)() else ("--no-sandbox",)  # root has no sandbox
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *sandbox])
        yield made
        made.close()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, for all tests of a worker."""
    with chromium() as made:
        yield made


@pytest.fixture(scope="package")
def laboratory() -> Iterator[Served]:
    """`carom lab`, for all tests of a worker."""
    with served("-m", "carom", "lab", "--no-browser") as one:
        yield one


class Tabs:
    """Opens pages, each in a browser profile of its own, and keeps what they complain of."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: list[BrowserContext] = []
        self.complaints: list[str] = []
        self.forgiven: list[str] = ["GPU stall due to ReadPixels"]  # of a browser that has no graphics card

    def new(self, size: tuple[int, int] = DESKTOP, *, dark: bool = False, **options: Any) -> Page:
        """An empty page; `options` are those of Playwright's new_context, as locale, has_touch or reduced_motion."""
        wishes = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": "dark" if dark else "light"}
        context = self.browser.new_context(**(wishes | options))
        context.set_default_timeout(PATIENCE)
        self.contexts.append(context)
        context.on("console", self.hear)
        context.on("weberror", lambda error: self.complaints.append(f"{error.error}"))
        context.on("request", self.watch)
        return context.new_page()

    def forgive(self, pattern: str) -> None:
        """Complaints that a test provokes on purpose, by regular expression."""
        self.forgiven.append(pattern)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text} ({message.location.get('url')})")

    def watch(self, request: Request) -> None:
        """The laboratory works without a network: nothing is fetched from elsewhere."""
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {"127.0.0.1", "localhost"}:
            self.complaints.append(f"asks elsewhere: {request.url}")

    def end(self) -> list[str]:
        """Close all; what was complained of and not forgiven."""
        for context in self.contexts:
            context.close()
        return [text for text in self.complaints if not any(re.search(one, text) for one in self.forgiven)]


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Tabs]:
    """Pages of any address. At the end none may have complained."""
    made = Tabs(browser)
    yield made
    left = made.end()
    assert left == []


class Visitor:
    """Visits the laboratory."""

    def __init__(self, tabs: Tabs, laboratory: Served) -> None:
        self.tabs = tabs
        self.laboratory = laboratory

    def __call__(self, path: str = "/", size: tuple[int, int] = DESKTOP, *, dark: bool = False, **options: Any) -> Page:
        """A page of the laboratory, let in by the token; each call is another browser."""
        page = self.tabs.new(size, dark=dark, **options)
        name, _, value = self.laboratory.cookie.partition("=")
        page.context.add_cookies([{"name": name, "value": value, "url": self.laboratory.origin, "sameSite": "Strict"}])
        page.goto(self.laboratory.origin + path)
        return page


@pytest.fixture
def visit(tabs: Tabs, laboratory: Served) -> Visitor:
    """Opens pages of the laboratory, as `visit("/bench?scene=break", PHONE, dark=True)` does."""
    return Visitor(tabs, laboratory)


@pytest.fixture(scope="module")
def shared(browser: Browser, laboratory: Served) -> Iterator[Visitor]:
    """As `visit`, for all tests of a module: pages that stay open."""
    tabs = Tabs(browser)
    yield Visitor(tabs, laboratory)
    left = tabs.end()
    assert left == []


@pytest.fixture(scope="module")
def workbench(shared: Visitor) -> Workbench:
    """One bench for all tests of a module; each opens the scene that it needs."""
    return Workbench(shared("/bench?scene=oblique"))
