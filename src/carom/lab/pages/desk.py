"""What the parts of a bench's page share: texts, the runner, and messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol

from carom.lab.bench.benches import Bench
from carom.lab.pages.live import LiveTexts
from carom.lab.seen.view import View
from carom.lab.texts import Texts

ANSWER = 3.0
"""s within which a message counts as the answer to an input."""


class PagePart(Protocol):
    """A part of the page."""

    def build(self) -> None:
        """Put it on the page, where the page is being built."""

    def refresh(self, view: View) -> None:
        """Update what has changed."""


@dataclass
class Desk:
    """The bench of a page, its texts, and its live texts."""

    words: Texts
    live: LiveTexts
    bench: Bench
    edited: str = ""
    """The last changed field, while its input may be wrong."""
    typed: str = ""
    """The key of the field itself, if it has no line for errors."""
    edited_at: float = 0.0
    answered: int = 0
    """The number of the last shown message."""
    message: str = field(default="", init=False)
    kind: str = field(default="calm", init=False)

    @property
    def view(self) -> View:
        """The present view."""
        return self.bench.runner.view

    def post(self, name: str, /, **arguments: Any) -> None:
        """Send a command."""
        self.bench.runner.post(name, **arguments)

    def edit(self, key: str, name: str, /, typed: str = "", **arguments: Any) -> None:
        """Send a command for a field; errors are shown beside the field."""
        self.live.call("wrong", "", "")
        self.edited, self.typed, self.edited_at = key, typed or key, monotonic()
        self.post(name, **arguments)

    def show_message(self, view: View) -> None:
        """Show a new message: beside the field that was changed, or in the strip above the transport."""
        message = view.message
        if message is None:
            self.message = ""
            return
        if message.number == self.answered:
            return
        self.answered = message.number
        said = self.words.message(message.said)
        if message.kind == "error" and self.edited and monotonic() - self.edited_at < ANSWER:
            self.live.call("wrong", self.edited, said, self.typed)
            self.live.forget(self.edited)
            self.edited, self.message = "", ""
        else:
            self.message, self.kind = said, message.kind

    def dismiss(self) -> None:
        """Hide the message."""
        self.message = ""
