"""The functions of all commands."""

from __future__ import annotations

from carom.lab.bench.session import Does
from carom.lab.commands import adding, edits, hands, opening, running, selecting, solving, walls

DOES: Does = {
    **running.DOES,
    **opening.DOES,
    **adding.DOES,
    **edits.DOES,
    **selecting.DOES,
    **hands.DOES,
    **solving.DOES,
    **walls.DOES,
}
"""One function per command: it takes the session and the command's arguments."""
