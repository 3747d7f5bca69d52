"""What is typed on the command line, as numbers; what is none is one clear line."""

import reprlib
from math import isfinite, nan

import typer

from carom.cli.terminal import Mistake
from carom.errors import CaromError

LONGEST = 320
"""Letters of a number: no float has more before its point."""
MOST = 2**63 - 1
"""Most collisions: what a counter holds."""

_short = reprlib.Repr()
_short.maxstring = 60


def quoted(text: str) -> str:
    """What was typed, in quotes, the middle of what is long left out."""
    return _short.repr(text)


def seconds(text: str) -> float:
    """A time that comes: finite, not negative."""
    try:
        time = float(text)
    except ValueError:
        time = nan
    if not (isfinite(time) and time >= 0.0):
        raise typer.BadParameter(
            f"{quoted(text)} is not a time that comes. Give a number of seconds, such as 2 or 0.5."
        )
    return time + 0.0  # without the sign of -0


def number(text: str) -> int:
    """How many: a whole number, not negative."""
    if not (text.isdecimal() and len(text) <= LONGEST and int(text) <= MOST):
        raise typer.BadParameter(
            f"{quoted(text)} is not a number of collisions. Give a whole number, such as 1000, up to {MOST:,}."
        )
    return int(text)


def port_number(text: str) -> int:
    """A port of this computer."""
    if not (text.isdecimal() and len(text) <= LONGEST and 1 <= int(text) <= 65535):
        raise typer.BadParameter(f"{quoted(text)} is not a port. Give a whole number from 1 to 65535, such as 8421.")
    return int(text)


def workers_number(text: str) -> int:
    """How many processes: a whole number from 1 on."""
    if not (text.isdecimal() and len(text) <= LONGEST and 1 <= int(text) <= 1024):
        raise typer.BadParameter(
            f"{quoted(text)} is not a number of workers. Give a whole number from 1 to 1024, such as 2."
        )
    return int(text)


def waiting(text: str) -> float:
    """A time to wait: 60s, 5min or 1h, in seconds."""
    from carom.cli.commands.keep import duration

    try:
        time = duration(text[:LONGEST])
    except Mistake as mistake:
        raise typer.BadParameter(str(mistake)) from None
    if not isfinite(time):
        raise typer.BadParameter(f"{quoted(text)} is not a time. Give seconds such as 60s, or 5min, or 1h.")
    return time


def size(text: str) -> tuple[int, int]:
    """The size of a picture, 1280x720."""
    from carom.video.options import size_of

    if len(text) > LONGEST:
        raise typer.BadParameter(f"{quoted(text)} is not WIDTHxHEIGHT. Write it in pixels, such as 1280x720.")
    try:
        return size_of(text)
    except CaromError as error:
        raise typer.BadParameter(str(error)) from None
