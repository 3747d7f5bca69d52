"""A notebook open in JupyterLab, as a person uses it: cells, and the widgets in their outputs."""

import re
from typing import Any

from playwright.sync_api import Locator, Page

from notebook.jupyter import Jupyter

UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}

ENDED = r"""([cell, before]) => {
  const now = cell.querySelector(".jp-InputPrompt").innerText;
  return /\d/.test(now) && now !== before;
}"""
"""Has a cell another number than before?"""


class Desk:
    """One notebook on a page of JupyterLab."""

    def __init__(self, page: Page, jupyter: Jupyter, name: str, *cells: str) -> None:
        self.page = page
        page.goto(jupyter.address(jupyter.write(name, *cells, "")))
        page.locator(".jp-NotebookPanel .jp-Cell").first.wait_for()
        page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for()

    def cell(self, k: int) -> Locator:
        """A cell by its index; negative ones count from the end."""
        cells = self.page.locator(".jp-Notebook .jp-Cell")
        return cells.nth(k if k >= 0 else cells.count() + k)

    def run(self, k: int) -> Locator:
        """Run a cell; return it when it has ended."""
        cell = self.cell(k)
        before = cell.locator(".jp-InputPrompt").inner_text()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(ENDED, arg=[cell.element_handle(), before])
        return cell

    def ask(self, code: str) -> str:
        """Run code in the last cell; return what it prints."""
        cell = self.cell(-1)
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)
        self.run(-1)
        return cell.locator(".jp-OutputArea-output").last.inner_text().strip()

    def widget(self, k: int = 0) -> "Shown":
        """A widget of the page, in the order of cells."""
        found = self.page.locator(".carom-widget").nth(k)
        found.wait_for()
        found.scroll_into_view_if_needed()
        return Shown(self.page, found)

    def choose_theme(self, name: str) -> None:
        """By the menu."""
        self.page.locator(".lm-MenuBar-item", has_text="Settings").click()
        self.page.locator(".lm-Menu-item", has_text="Theme").first.hover()
        self.page.locator(".lm-Menu-item", has_text=name).first.click()


class Shown:
    """A widget, as a person sees it."""

    def __init__(self, page: Page, root: Locator) -> None:
        self.page = page
        self.root = root
        self.stage = root.locator(".carom-stage")
        self.card = root.locator(".carom-card")
        self.facts = root.locator(".carom-facts")

    def press(self, label: str) -> None:
        """A button, by its name."""
        self.root.get_by_role("button", name=label, exact=True).click()

    def until(self, what: str, given: Any = None) -> None:
        """Wait for a condition on the widget's element."""
        self.page.wait_for_function(f"([root, given]) => {what}", arg=[self.root.element_handle(), given])

    def runs(self, on: bool) -> None:
        """Wait until it plays or pauses."""
        self.until("Boolean(root.querySelector('[data-icon=pause]')) === given", on)

    def time(self) -> float:
        """The time that it shows, s."""
        value, unit = self.root.locator(".carom-clock").inner_text().replace("−", "-").split()
        return float(value) * UNITS[unit]

    def passes(self, time: float) -> None:
        """Wait until it shows a later time, s."""
        while self.time() <= time:
            self.page.wait_for_timeout(50)

    def fact(self, pattern: str) -> str:
        """A part of the line of facts, by a regular expression with one group."""
        return re.search(pattern, self.facts.inner_text())[1]

    def scrub(self, part: float) -> None:
        """Press the time line at a part of its length."""
        line = self.root.locator(".carom-timeline")
        box = line.bounding_box()
        line.click(position={"x": 12 + part * (box["width"] - 24), "y": box["height"] / 3})

    def picture(self) -> bytes:
        """A screenshot of the picture."""
        return self.stage.screenshot()
