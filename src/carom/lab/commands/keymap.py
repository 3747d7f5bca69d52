"""Keys of the stage: one table for the browser, the help and the tests.

`key` is what `KeyboardEvent.key` says, letters in lower case; `held` are keys held with it: "Control", "Shift", "Alt",
or letters. Shift need not be named for signs such as ? and +. Commands that begin with "view:" are the browser's own.
The way out of the stage for who uses no mouse: F6, or Esc (the menu) and then Tab.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Key:
    """A key and its command; `text` is the key of the text that explains it."""

    key: str
    command: str
    text: str
    held: tuple[str, ...] = ()
    arguments: dict[str, Any] = field(default_factory=dict)

    def message(self) -> dict[str, Any]:
        """For the browser."""
        return {
            "key": self.key,
            "with": list(self.held),
            "command": self.command,
            "arguments": self.arguments,
            "text": self.text,
        }


def _both(letter: str, field_name: str, text: str) -> tuple[Key, ...]:
    """A letter held with + and with - (and = and _ on the same keys)."""
    signs = (("+", 1), ("=", 1), ("-", -1), ("_", -1))
    return tuple(
        Key(sign, "nudge", f"key.{text}-{'more' if by > 0 else 'less'}", (letter,), {"field": field_name, "steps": by})
        for sign, by in signs
    )


KEYS: tuple[Key, ...] = (
    # Running.
    Key(" ", "toggle", "key.toggle"),
    Key("p", "toggle", "key.toggle"),
    Key(".", "step", "key.step"),
    Key("n", "collision", "key.collision"),
    Key("n", "collision-back", "key.collision-back", ("Shift",)),
    Key("]", "faster", "key.faster"),
    Key("[", "slower", "key.slower"),
    Key("r", "restart", "key.restart"),
    Key("Home", "scrub", "key.to-start", (), {"time": 0.0}),
    Key("End", "to-end", "key.to-end"),
    # Scenes.
    Key("PageDown", "next-scene", "key.next-scene"),
    Key("PageUp", "previous-scene", "key.previous-scene"),
    Key("Backspace", "clear", "key.clear", ("Control",)),
    # Balls.
    Key("Tab", "select-next", "key.select-next"),
    Key("Tab", "select-previous", "key.select-previous", ("Shift",)),
    Key("e", "extend", "key.extend", (), {"steps": 1}),
    Key("e", "extend", "key.extend-back", ("Shift",), {"steps": -1}),
    Key("a", "select-all", "key.select-all", ("Control",)),
    Key("a", "select-none", "key.select-none", ("Control", "Shift")),
    Key("b", "add", "key.add"),
    Key("d", "duplicate", "key.duplicate", ("Control",)),
    Key("Delete", "remove", "key.remove"),
    Key("Backspace", "remove", "key.remove"),
    Key("ArrowLeft", "nudge", "key.left", (), {"field": "x", "steps": -1}),
    Key("ArrowRight", "nudge", "key.right", (), {"field": "x", "steps": 1}),
    Key("ArrowUp", "nudge", "key.up", (), {"field": "y", "steps": 1}),
    Key("ArrowDown", "nudge", "key.down", (), {"field": "y", "steps": -1}),
    Key("ArrowLeft", "nudge", "key.far-left", ("Shift",), {"field": "x", "steps": -10}),
    Key("ArrowRight", "nudge", "key.far-right", ("Shift",), {"field": "x", "steps": 10}),
    Key("ArrowUp", "nudge", "key.far-up", ("Shift",), {"field": "y", "steps": 10}),
    Key("ArrowDown", "nudge", "key.far-down", ("Shift",), {"field": "y", "steps": -10}),
    Key("ArrowUp", "nudge", "key.away", ("Alt",), {"field": "z", "steps": -1}),
    Key("ArrowDown", "nudge", "key.nearer", ("Alt",), {"field": "z", "steps": 1}),
    *_both("m", "mass", "mass"),
    *_both("x", "vx", "vx"),
    *_both("y", "vy", "vy"),
    *_both("z", "vz", "vz"),
    Key("l", "link-selected", "key.link"),
    Key("l", "unlink-selected", "key.unlink", ("Shift",)),
    Key("c", "select-corner", "key.corner", (), {"steps": 1}),
    Key("c", "select-corner", "key.corner-back", ("Shift",), {"steps": -1}),
    Key("z", "undo", "key.undo", ("Control",)),
    Key("y", "redo", "key.redo", ("Control",)),
    Key("z", "redo", "key.redo", ("Control", "Shift")),
    # The browser's own.
    Key("Escape", "view:menu", "key.menu"),
    Key("?", "view:help", "key.help"),
    Key("f", "view:fit", "key.fit"),
    Key("1", "view:real-size", "key.real-size"),
    Key("+", "view:zoom-in", "key.zoom-in"),
    Key("=", "view:zoom-in", "key.zoom-in"),
    Key("-", "view:zoom-out", "key.zoom-out"),
    Key("ArrowLeft", "view:look-left", "key.look-left", ("Control",)),
    Key("ArrowRight", "view:look-right", "key.look-right", ("Control",)),
    Key("ArrowUp", "view:look-up", "key.look-up", ("Control",)),
    Key("ArrowDown", "view:look-down", "key.look-down", ("Control",)),
    Key("F6", "view:leave", "key.leave"),
)
"""All of them. Where arrow keys steer (a running scene in steps, steering by velocity or acceleration), the browser
sends `steer` in place of `nudge` while they are held."""


def keymap() -> list[dict[str, Any]]:
    """The table as the browser takes it."""
    return [key.message() for key in KEYS]
