"""Live texts, values and states of a page, sent when they have changed."""

from __future__ import annotations

import json
from typing import Any

from nicegui import Client


class LiveTexts:
    """The live texts of one page, by key. The browser does not change a field while a person types into it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.sent: dict[str, Any] = {}
        self.next: dict[str, Any] = {}

    def say(self, key: str, value: Any) -> None:
        """Set the text, value, or state of the element with a key, sent by the next `flush`."""
        if self.sent.get(key, self) != value:
            self.next[key] = value
        else:
            self.next.pop(key, None)

    def forget(self, prefix: str) -> None:
        """Forget keys with a prefix: their elements are new, or have typed content."""
        for key in [key for key in self.sent if key.startswith(prefix)]:
            del self.sent[key]

    def flush(self) -> None:
        """Send what has changed, if anything."""
        if not self.next:
            return
        self.client.run_javascript(f"caromShell.live({json.dumps(self.next)})")
        self.sent |= self.next
        self.next = {}

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the browser's shell."""
        self.client.run_javascript(f"caromShell.{name}({', '.join(json.dumps(each) for each in arguments)})")
