"""Parsers of options: typed texts become numbers, or errors of one clear line."""

import reprlib
from math import isfinite, nan

import typer

from carom.cli.terminal import Mistake
from carom.errors import CaromError

MAX_NUMBER_LENGTH = 320
"""Characters of a number: no float has more before its point."""
MAX_COLLISIONS = 2**63 - 1
"""The largest value of a counter."""

_short = reprlib.Repr()
_short.maxstring = 60


def quoted(text: str) -> str:
    """A typed text in quotes, shortened in the middle if it is long."""
    return _short.repr(text)


def seconds(text: str) -> float:
    """Parse a time in seconds: finite, not negative."""
    try:
        time = float(text)
    except ValueError:
        time = nan
    if not (isfinite(time) and time >= 0.0):
        raise typer.BadParameter(f"{quoted(text)} is not a time. Give a number of seconds from 0 on, such as 2 or 0.5.")
    return time + 0.0  # without the sign of -0


def number(text: str) -> int:
    """Parse a number of collisions: a whole number, not negative."""
    if not (text.isdecimal() and len(text) <= MAX_NUMBER_LENGTH and int(text) <= MAX_COLLISIONS):
        raise typer.BadParameter(
            f"{quoted(text)} is not a number of collisions. Give a whole number up to {MAX_COLLISIONS:,}."
        )
    return int(text)


def port_number(text: str) -> int:
    """Parse a port of this computer."""
    if not (text.isdecimal() and len(text) <= MAX_NUMBER_LENGTH and 1 <= int(text) <= 65535):
        raise typer.BadParameter(f"{quoted(text)} is not a port. Give a whole number from 1 to 65535, such as 8421.")
    return int(text)


def workers_number(text: str) -> int:
    """Parse a number of processes, at least 1."""
    if not (text.isdecimal() and len(text) <= MAX_NUMBER_LENGTH and 1 <= int(text) <= 1024):
        raise typer.BadParameter(
            f"{quoted(text)} is not a number of workers. Give a whole number from 1 to 1024, such as 2."
        )
    return int(text)


def wall_clock_time(text: str) -> float:
    """Parse a wall-clock time: 60s, 5min or 1h, in seconds."""
    from carom.cli.commands.record import duration

    try:
        time = duration(text[:MAX_NUMBER_LENGTH])
    except Mistake as mistake:
        raise typer.BadParameter(str(mistake)) from None
    if not isfinite(time):
        raise typer.BadParameter(f"{quoted(text)} is not a time. Give seconds such as 60s, or 5min, or 1h.")
    return time


def size(text: str) -> tuple[int, int]:
    """Parse the size of a picture, such as 1280x720."""
    from carom.video.options import size_of

    if len(text) > MAX_NUMBER_LENGTH:
        raise typer.BadParameter(f"{quoted(text)} is not WIDTHxHEIGHT. Write it in pixels, such as 1280x720.")
    try:
        return size_of(text)
    except CaromError as error:
        raise typer.BadParameter(str(error)) from None
