"""Checks packets of socket.io to the shell's socket: only those that NiceGUI's own script sends are allowed.

NiceGUI does not check packets: an invalid one prints a traceback in the terminal, and one that names another page acts
there. So packets that are invalid or of another page are stopped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

loads: Callable[[str], Any]
try:
    from orjson import loads  # what NiceGUI reads with, where it is there: it takes less for JSON than Python does
except ImportError:
    from json import loads

BARE = frozenset(("1", "2", "3", "40", "41", "2probe", "3probe"))
"""Packets without content: leave, ping, pong, connect, disconnect."""
EVENT = re.compile(r"42\d{0,9}(\[.*\])", re.DOTALL)

Verdict = Literal["pass", "drop", "refuse"]


def text(value: Any) -> bool:
    """A text."""
    return isinstance(value, str)


def whole(value: Any) -> bool:
    """A whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_json_list(value: Any) -> bool:
    """A list of texts, each JSON of its own, or nothing."""
    return isinstance(value, list) and all(each is None or (text(each) and parse(each) is not BROKEN) for each in value)


def number(value: Any) -> bool:
    """The number of an element, which may come as a text."""
    return whole(value) or text(value)


EVENTS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "event": {"id": number, "listener_id": text, "args": is_json_list},
    "ack": {"next_message_id": whole},
    "javascript_response": {"request_id": text},
    "handshake": {"tab_id": text, "document_id": text},
}
"""The arguments of each event, besides its page."""
IDLE = ("log",)
"""Not passed on: it would write to the terminal."""
BROKEN = object()


def verdict(packet: object, page: str) -> Verdict:
    """May a packet go to NiceGUI from the socket of a page?"""
    if not isinstance(packet, str):
        return "refuse"
    if packet in BARE or (packet.startswith("40{") and isinstance(parse(packet[2:]), dict)):
        return "pass"
    found = EVENT.fullmatch(packet)
    content = parse(found[1]) if found else BROKEN
    match content:
        case [str(name), {"client_id": str(client)}] if name in IDLE and client == page:
            return "drop"
        case [str(name), {"client_id": str(client), **told}] if name in EVENTS and client == page:
            right = all(key in told and fits(told[key]) for key, fits in EVENTS[name].items())
            return "pass" if right else "refuse"
    return "refuse"


def parse(words: str) -> Any:
    """Parse JSON; BROKEN if it is invalid."""
    try:
        return loads(words)
    except (ValueError, RecursionError):
        return BROKEN
