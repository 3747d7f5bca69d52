"""A real Chromium, and a real laboratory in a separate process. No page may log errors in its console."""

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
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError, sync_playwright

from browser.workbench import Workbench
from lab.serving import Served, served

ROOT = Path(__file__).parents[2]
DESKTOP = (960, 540)
"""A small window: without a graphics card, the processor draws each pixel."""
PHONE = (390, 844)
PATIENCE = 60_000.0
"""Time limit for anything to appear, ms: kernels may be compiled meanwhile on a busy machine."""
FLAGS = (
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--use-angle=swiftshader",
    "--ignore-gpu-blocklist",
    "--force-color-profile=srgb",  # pixels are compared
    "--disable-dev-shm-usage",
    "--disable-gpu-compositing",  # only what the page itself draws by WebGL: half of the work, without a graphics card
)


def chromium_tool() -> ModuleType:
    """Import tools/chromium.py, which is not in a package."""
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


class Profiles:
    """Browser profiles for visits of the laboratory, emptied and reused.

    In each a small page of the laboratory stays open, and with it the process that has compiled the laboratory's
    scripts: the next page takes half the work.
    """

    def __init__(self, browser: Browser, laboratory: Served) -> None:
        self.browser = browser
        self.laboratory = laboratory
        self.kept: dict[BrowserContext, Page] = {}
        self.free: list[BrowserContext] = []

    def take(self) -> BrowserContext:
        """An empty profile that no other test uses."""
        if self.free:
            return self.free.pop()
        context = self.browser.new_context(**wishes(DESKTOP, dark=False))
        let_in(context, self.laboratory)
        self.kept[context] = context.new_page()
        self.kept[context].goto(self.laboratory.origin + "/favicon.ico")
        return context

    def give_back(self, context: BrowserContext) -> None:
        """Close its pages, clear their storage, and keep the profile."""
        small = self.kept[context]
        if small.is_closed():  # a test has closed the whole profile
            del self.kept[context]
            return
        for page in context.pages:
            if page is not small:
                page.close()
        context.clear_cookies()
        context.clear_permissions()
        small.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.free.append(context)


def let_in(context: BrowserContext, laboratory: Served) -> None:
    """Give a browser profile the token of the laboratory."""
    name, _, value = laboratory.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": laboratory.origin, "sameSite": "Strict"}])


def wishes(size: tuple[int, int], *, dark: bool) -> dict[str, Any]:
    """The options of a new profile."""
    return {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": "dark" if dark else "light"}


@pytest.fixture(scope="package")
def profiles(browser: Browser, laboratory: Served) -> Profiles:
    """Profiles for all tests of a worker."""
    return Profiles(browser, laboratory)


class Tabs:
    """Opens pages, each in its own browser profile, and collects their console errors."""

    def __init__(self, browser: Browser, profiles: Profiles | None = None) -> None:
        self.browser = browser
        self.profiles = profiles
        self.borrowed: list[BrowserContext] = []
        self.contexts: list[BrowserContext] = []
        self.complaints: list[str] = []
        self.forgiven: list[str] = ["GPU stall due to ReadPixels"]  # of a browser that has no graphics card
        self.ears: dict[Any, Any] = {"console": self.hear, "weberror": self.note, "request": self.watch}

    def new(self, size: tuple[int, int] = DESKTOP, *, dark: bool = False, **options: Any) -> Page:
        """An empty page; `options` are those of Playwright's new_context, as locale, has_touch or reduced_motion."""
        if self.profiles and size == DESKTOP and not dark and not options:
            context = self.profiles.take()
            self.borrowed.append(context)
        else:
            context = self.browser.new_context(**(wishes(size, dark=dark) | options))
            self.contexts.append(context)
        context.set_default_timeout(PATIENCE)
        for what, heard in self.ears.items():
            context.on(what, heard)
        return context.new_page()

    def forgive(self, pattern: str) -> None:
        """Ignore console errors that a test provokes on purpose, by regular expression."""
        self.forgiven.append(pattern)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text} ({message.location.get('url')})")

    def note(self, error: WebError) -> None:
        self.complaints.append(f"{error.error}")

    def watch(self, request: Request) -> None:
        """The laboratory works without a network: it must not request anything from elsewhere."""
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {"127.0.0.1", "localhost"}:
            self.complaints.append(f"asks elsewhere: {request.url}")

    def end(self) -> list[str]:
        """Close all pages; return the console errors that are not ignored."""
        for context in self.contexts:
            context.close()
        for context in self.borrowed:
            for what, heard in self.ears.items():
                context.remove_listener(what, heard)
            self.profiles.give_back(context)
        return [text for text in self.complaints if not any(re.search(one, text) for one in self.forgiven)]


@pytest.fixture
def tabs(browser: Browser, profiles: Profiles) -> Iterator[Tabs]:
    """Pages of any address. At the end none may have logged errors."""
    made = Tabs(browser, profiles)
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
        let_in(page.context, self.laboratory)
        page.goto(self.laboratory.origin + path)
        return page


@pytest.fixture
def visit(tabs: Tabs, laboratory: Served) -> Visitor:
    """Opens pages of the laboratory, as `visit("/bench?scene=break", PHONE, dark=True)` does."""
    return Visitor(tabs, laboratory)


@pytest.fixture(scope="module")
def shared(browser: Browser, laboratory: Served, profiles: Profiles) -> Iterator[Visitor]:
    """Like `visit`, for all tests of a module: pages stay open."""
    tabs = Tabs(browser, profiles)
    yield Visitor(tabs, laboratory)
    left = tabs.end()
    assert left == []


@pytest.fixture(scope="module")
def workbench(shared: Visitor) -> Workbench:
    """One bench for all tests of a module; each opens the scene that it needs."""
    return Workbench(shared("/bench?scene=oblique"))
