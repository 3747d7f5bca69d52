"""Round numbers, and quantities as text: 20 cm, 3×10⁻¹² m."""

from __future__ import annotations

from math import floor, log10

LENGTHS = ((1e3, "km"), (1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))

BAR_STEPS = (1.0, 2.0, 5.0)
SCALE_STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)

MAX_PLAIN = 1e6
"""From here on, numbers are written with powers of ten."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def round_below(value: float, steps: tuple[float, ...]) -> float:
    """The largest of the `steps`, times a power of ten, that is not above `value`."""
    return max(each for each in _candidates(value, steps) if each <= value)


def round_above(value: float, steps: tuple[float, ...]) -> float:
    """The smallest of the `steps`, times a power of ten, that is not below `value`."""
    return min(each for each in _candidates(value, steps) if each >= value)


def _candidates(value: float, steps: tuple[float, ...]) -> list[float]:
    exponent = floor(log10(value))
    return [float(f"{step}e{power}") for power in range(exponent - 1, exponent + 2) for step in steps]


def quantity(value: float, units: tuple[tuple[float, str], ...]) -> str:
    """A positive value of a base unit (m, s) in the unit that fits."""
    for size, unit in units:
        if value >= size and value / size < MAX_PLAIN:
            return f"{value / size:.6g} {unit}"
    base = next(unit for size, unit in units if size == 1.0)
    return f"{plain(value)} {base}"


def superscript(power: int) -> str:
    """A whole number in superscript: ⁻¹²."""
    return str(power).translate(_RAISED)


def plain(value: float) -> str:
    """A positive number; with a power of ten if it is very large or small."""
    if 1.0 / MAX_PLAIN < value < MAX_PLAIN:
        return f"{value:.6g}"
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    return f"{float(mantissa):g}×10{superscript(int(exponent))}"
