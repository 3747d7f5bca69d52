"""What changes on a page while it is looked at: texts, values and states, sent when they differ from what was sent."""

from __future__ import annotations

import json
from typing import Any

from nicegui import Client


class LiveTexts:
    """The changing words of one page, by key. The browser leaves a field alone while someone types into it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.sent: dict[str, Any] = {}
        self.next: dict[str, Any] = {}

    def say(self, key: str, value: Any) -> None:
        """The text, value, or state of what carries a key, from the next `flush` on."""
        if self.sent.get(key, self) != value:
            self.next[key] = value
        else:
            self.next.pop(key, None)

    def forget(self, prefix: str) -> None:
        """Keys that begin so are not known any more: their elements are new, or hold what a person typed."""
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
        """Have the browser's shell do something, as "open-dialog"."""
        self.client.run_javascript(f"caromShell.{name}({', '.join(json.dumps(each) for each in arguments)})")
