"""Quantities for people: SI prefixes, and for what is long or far, days, years and astronomical units."""

from __future__ import annotations

from math import floor, isfinite, log10

from carom.views.measures import BAR_STEPS, round_below

ASTRONOMICAL = 1.495978707e11
"""Astronomical unit, m."""
PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
SPANS = ((31_557_600.0, "a"), (86_400.0, "d"), (3_600.0, "h"), (60.0, "min"))
"""Units of time that are longer than a second, s."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    """So many significant digits, no zeros at the end, a true minus sign; powers of ten where it is large or small."""
    if not isfinite(value):
        return "–"
    if value and not 1e-4 <= abs(value) < 1e6:
        head, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{float(head):g}·10{raised(int(power))}".replace("-", "−")
    if abs(value) >= 10**digits:
        return f"{value:.0f}".replace("-", "−")
    return f"{float(f'{value:.{digits}g}'):.10g}".replace("-", "−")


def raised(power: int) -> str:
    """A number as it stands above the line: ⁻¹²."""
    return str(power).translate(_RAISED)


def prefixed(largest: float, unit: str) -> tuple[float, str]:
    """The unit that suits values up to `largest`: its size in the base unit, and its name.

    Units that begin with kg or with a power have no prefix of their own: a power of ten stands before them.
    """
    if not (largest > 0.0 and isfinite(largest)):
        return 1.0, unit
    power = 3 * floor(log10(largest * (1.0 + 1e-9)) / 3.0)
    if power == 0 or not unit:
        return (1.0, unit) if unit or -3 <= power <= 3 else (10.0**power, f"10{raised(power)}")
    if power in PREFIXES and unit[0].isalpha() and not unit.startswith("kg"):
        return 10.0**power, PREFIXES[power] + unit
    return 10.0**power, f"10{raised(power)} {unit}"


def length_unit(largest: float) -> tuple[float, str]:
    """The unit of length that suits lengths up to `largest`: fm to km, cm too, and AU."""
    if largest >= 0.01 * ASTRONOMICAL:
        return ASTRONOMICAL, "AU"
    if 0.00999 <= largest < 0.9999:
        return 0.01, "cm"
    return (1e3, "km") if largest >= 1e3 else prefixed(largest, "m")


def time_unit(span: float) -> tuple[float, str]:
    """The unit of time that suits a span: fs to s, then minutes, hours, days and years."""
    for size, name in SPANS:
        if span >= 2.0 * size:
            return size, name
    return prefixed(span, "s") if 0.0 < span < 0.1 else (1.0, "s")


def speed_unit(largest: float) -> tuple[float, str]:
    """The unit of speed that suits speeds up to `largest`."""
    if largest >= 1e4:
        return 1e3, "km/s"
    return (1.0, "m/s") if largest >= 0.1 else prefixed(largest, "m/s")


def in_unit(value: float, unit: tuple[float, str], digits: int = 3) -> str:
    """A value with its unit: 12.5 cm."""
    size, name = unit
    return f"{number(value / size, digits)} {name}"


def round_length(longest: float) -> float:
    """The longest round length (1, 2, 5) that is not above a positive one; round in AU where one says it in AU."""
    if longest >= 0.01 * ASTRONOMICAL:
        return round_below(longest / ASTRONOMICAL, BAR_STEPS) * ASTRONOMICAL
    return round_below(longest, BAR_STEPS)
