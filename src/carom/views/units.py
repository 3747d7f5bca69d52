"""Quantities as text with SI prefixes, or in days, years and astronomical units."""

from __future__ import annotations

from math import floor, isfinite, log10

from carom.views.measures import BAR_STEPS, round_below, superscript

ASTRONOMICAL = 1.495978707e11
"""Astronomical unit, m."""
PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
SPANS = ((31_557_600.0, "a"), (86_400.0, "d"), (3_600.0, "h"), (60.0, "min"))
"""Units of time that are longer than a second, s."""


def number(value: float, digits: int = 3) -> str:
    """A number with `digits` significant digits, a true minus sign, and a power of ten if it is very large or small."""
    if not isfinite(value):
        return "–"
    if value and not 1e-4 <= abs(value) < 1e6:
        head, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{float(head):g}·10{superscript(int(power))}".replace("-", "−")
    if abs(value) >= 10**digits:
        return f"{value:.0f}".replace("-", "−")
    return f"{float(f'{value:.{digits}g}'):.10g}".replace("-", "−")


def prefixed(largest: float, unit: str) -> tuple[float, str]:
    """The unit for values up to `largest`: its size in the base unit, and its name.

    Units that begin with kg or a power of ten get no prefix but a power of ten before them.
    """
    if not (largest > 0.0 and isfinite(largest)):
        return 1.0, unit
    power = 3 * floor(log10(largest * (1.0 + 1e-9)) / 3.0)
    if power == 0 or not unit:
        return (1.0, unit) if unit or -3 <= power <= 3 else (10.0**power, f"10{superscript(power)}")
    if power in PREFIXES and unit[0].isalpha() and not unit.startswith("kg"):
        return 10.0**power, PREFIXES[power] + unit
    return 10.0**power, f"10{superscript(power)} {unit}"


def length_unit(largest: float) -> tuple[float, str]:
    """The unit for lengths up to `largest`, m: fm to km, with cm, and AU."""
    if largest >= 0.01 * ASTRONOMICAL:
        return ASTRONOMICAL, "AU"
    if 0.00999 <= largest < 0.9999:
        return 0.01, "cm"
    return (1e3, "km") if largest >= 1e3 else prefixed(largest, "m")


def time_unit(span: float) -> tuple[float, str]:
    """The unit for a time span, s: fs to s, then minutes, hours, days and years."""
    for size, name in SPANS:
        if span >= 2.0 * size:
            return size, name
    return prefixed(span, "s") if 0.0 < span < 0.1 else (1.0, "s")


def speed_unit(largest: float) -> tuple[float, str]:
    """The unit for speeds up to `largest`, m/s."""
    if largest >= 1e4:
        return 1e3, "km/s"
    return (1.0, "m/s") if largest >= 0.1 else prefixed(largest, "m/s")


def in_unit(value: float, unit: tuple[float, str], digits: int = 3) -> str:
    """A value with its unit: 12.5 cm."""
    size, name = unit
    return f"{number(value / size, digits)} {name}"


def round_length(longest: float) -> float:
    """The longest round length (1, 2, 5 times a power of ten) up to `longest`, m; round in AU if it is shown in AU."""
    if longest >= 0.01 * ASTRONOMICAL:
        return round_below(longest / ASTRONOMICAL, BAR_STEPS) * ASTRONOMICAL
    return round_below(longest, BAR_STEPS)
