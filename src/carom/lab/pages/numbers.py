"""Formats numbers for display and typing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from carom.lab.texts import Texts

_HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"), (1e-15, "f"))
PREFIXED = ("J", "Pa", "N/m", "m", "K")
MINUTE, HOUR, DAY, YEAR = 60.0, 3600.0, 86400.0, 365.25 * 86400.0


def plain(value: float, digits: int = 4) -> str:
    """Format a number for reading: 0.05, −12.5, 5.972×10²⁴."""
    if not math.isfinite(value):
        return "∞" if value == math.inf else "−∞" if value == -math.inf else "—"
    if value == 0.0:
        return "0"
    if 1e-3 <= abs(value) < 1e6:
        text = f"{value:.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}"
        return text.replace("-", "−")
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}×10{str(int(exponent)).translate(_HIGH)}".replace("-", "−")


def typed(value: float, digits: int = 8, letters: int = 24) -> str:
    """Format a number for typing, with fewer digits if it would be too long."""
    text = f"{value:.{digits}g}"
    return text if len(text) <= letters else f"{value:.{digits + letters - len(text)}g}"


def quantity(value: float | None, unit: str) -> str:
    """Format a number with its unit, and a prefix instead of a power of ten; a dash for None."""
    if value is None:
        return "—"
    size = abs(value)
    if unit in PREFIXED and math.isfinite(size) and size and not 1e-3 <= size < 1e6:
        for scale, prefix in PREFIXES:
            if scale <= size < 1e3 * scale:
                return f"{plain(value / scale)}\u202f{prefix}{unit}"
    return f"{plain(value)}\u202f{unit}".rstrip()


def vector(values: Iterable[float], unit: str) -> str:
    """Format the components of a vector with their unit."""
    return f"({', '.join(plain(value, 3) for value in values)})\u202f{unit}"


def seconds(value: float, words: Texts, digits: int = 4) -> str:
    """Format a time in a suitable unit, ns to years."""
    size = abs(value)
    if size == 0.0:
        return "0\u202fs"
    for least, scale, unit in (
        (2.0 * YEAR, YEAR, words("unit.years")),
        (2.0 * DAY, DAY, words("unit.days")),
        (2.0 * HOUR, HOUR, "h"),
        (10.0 * MINUTE, MINUTE, "min"),
        (1.0, 1.0, "s"),
        (1e-3, 1e-3, "ms"),
        (1e-6, 1e-6, "µs"),
    ):
        if size >= least:
            return f"{plain(value / scale, digits)}\u202f{unit}"
    return f"{plain(value / 1e-9, digits)}\u202fns"


def collision(text: str | None, words: Texts) -> str:
    """Format a collision of the inspector, "31557600 s · 3", with its time in a suitable unit; a dash for None."""
    if not text:
        return "—"
    time, _, who = text.partition(" s · ")
    return f"{seconds(float(time), words)} · {who}"


def clock(value: float, words: Texts) -> str:
    """Format the time of a run: seconds with milliseconds, so that the width is constant."""
    return (
        f"{value:.3f}\u202fs"
        if 0.0 <= value < 10.0 * MINUTE and (value >= 1e-3 or value == 0.0)
        else seconds(value, words, 6)
    )


def factor(value: float) -> str:
    """Format a speed: 0.01, 0.5, 10."""
    return f"{value:.2g}" if value < 10.0 else f"{value:.0f}"
