"""One page of the real laboratory, reused by tests: commands, keys and the mouse, and their results."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

SETTLED = """() => window.carom?.link && carom.state && carom.frame && carom.link.seq === carom.state.seq
  && carom.frame.seq === carom.state.seq
  && carom.frame.epoch === carom.scene.epoch && carom.state.epoch === carom.scene.epoch
  && !carom.state.working"""

SAID = """() => ({ strip: document.querySelector("#strip")?.innerText, sent: window.carom?.link?.seq,
  state: window.carom?.state && { ...carom.state, meters: null, collision_times: null } })"""
"""Information for a test that waited in vain."""

NAMELESS = {
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "listbox",
    "slider",
    "spinbutton",
    "checkbox",
    "switch",
}
NAMELESS |= {"radio", "tab", "tabpanel", "dialog", "application", "img", "region", "menuitem"}
"""Roles that need an accessible name."""


class Workbench:
    """A bench in a page that stays open."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.mouse = page.mouse
        self.keyboard = page.keyboard
        self.until("window.carom?.frame && carom.state && document.querySelector('#time')?.textContent")

    # Doing.

    def until(self, what: str, given: Any = None) -> None:
        """Wait for an expression of the page to hold; `given` is its argument, if it is a function."""
        try:
            self.page.wait_for_function(what, arg=given)
        except PlaywrightTimeout as error:
            raise AssertionError(f"{what} did not come to hold; the page says {self.page.evaluate(SAID)}") from error

    def settled(self) -> None:
        """Wait until all commands are done and shown."""
        self.page.wait_for_function(SETTLED)

    def do(self, name: str, /, **arguments: Any) -> None:
        """Send a command, as the stage does."""
        self.page.evaluate("([name, given]) => void carom.send(name, given)", [name, arguments])
        self.settled()

    def open(self, entry: str, /, **parameters: Any) -> None:
        """Open a scene of the library, paused at its start, with the keyboard focus on the stage."""
        self.do("open", entry=entry, parameters=parameters)
        self.page.evaluate(
            """() => { for (const open of document.querySelectorAll("dialog[open]")) open.close(); carom.focus(); }"""
        )
        if self.state("speed") != 1.0:
            self.do("speed", factor=1.0)

    def press(self, key: str, *held: str) -> None:
        """Press a key on the stage, with others held."""
        for one in held:
            self.keyboard.down(one)
        self.keyboard.press("Space" if key == " " else key)
        for one in reversed(held):
            self.keyboard.up(one)
        self.settled()

    @contextmanager
    def dragging(self, start: Sequence[float], end: Sequence[float]) -> Iterator[None]:
        """A context between pressing at one point, moving to another, and releasing."""
        self.mouse.move(*start)
        self.mouse.down()
        self.mouse.move(*end, steps=4)
        try:
            yield
        finally:
            self.mouse.up()
        self.settled()

    def drag(self, start: Sequence[float], end: Sequence[float]) -> None:
        """Drag from one point of the page to another."""
        with self.dragging(start, end):
            pass

    # Looking.

    def state(self, name: str = "") -> Any:
        """The last state, or a part of it."""
        return self.page.evaluate(
            "name => name.split('.').filter(Boolean).reduce((it, part) => it?.[part], carom.state)", name
        )

    def scene(self, name: str) -> Any:
        """A part of the last scene."""
        return self.page.evaluate("name => carom.scene[name]", name)

    def count(self) -> int:
        """The number of balls."""
        return int(self.page.evaluate("() => carom.frame.count"))

    def places(self) -> list[float]:
        """All coordinates in the scene."""
        script = (
            "() => Array.from(carom.frame.positions, (part, k) => part + carom.scene.origin[k % carom.frame.dimension])"
        )
        return list(self.page.evaluate(script))

    def at(self, *place: float) -> tuple[float, float]:
        """The place on the page of a position in the scene."""
        script = """place => { const area = carom.stage.getBoundingClientRect();
          const [x, y] = carom.camera.project(...place.map((part, k) => part - carom.scene.origin[k]));
          return [area.left + x, area.top + y]; }"""
        x, y = self.page.evaluate(script, list(place))
        return x, y

    def ball(self, index: int) -> tuple[float, float]:
        """Where a ball is on the page."""
        dimension = self.scene("dimension")
        return self.at(*self.places()[dimension * index : dimension * (index + 1)])

    def field(self, key: str) -> Any:
        """A field of the panel, by its key."""
        return self.page.locator(f"input[data-live='{key}'], select[data-live='{key}']").first

    def wrong(self, key: str) -> Any:
        """The line beside a field."""
        return self.page.locator(f"[data-wrong='{key}']").first

    def tab(self, name: str) -> None:
        """Turn to a tab of the panel."""
        self.page.locator(f"#tab-{name}").click()

    def nameless(self) -> list[str]:
        """Elements of the page without an accessible name."""
        session = self.page.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        found = [node for node in nodes if not node["ignored"] and node["role"]["value"].lower() in NAMELESS]
        return [str(node["role"]["value"]) for node in found if not node.get("name", {}).get("value", "").strip()]
