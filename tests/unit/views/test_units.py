"""Quantities for people."""

import pytest

from carom.views import units


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (12.345, "12.3"), (1234.0, "1234"), (-0.5, "−0.5"), (2e-7, "2·10⁻⁷"), (-3.21e8, "−3.21·10⁸")],
)
def test_numbers(value, said):
    assert units.number(value) == said


@pytest.mark.parametrize(
    ("largest", "unit", "told"),
    [
        (0.0, "J", "J"), (5.0, "J", "J"), (1e-3, "J", "mJ"), (999.0, "J", "J"), (1e3, "J", "kJ"),
        (3e-21, "J", "10⁻²¹ J"), (6e33, "J", "10³³ J"), (5e-3, "kg·m/s", "10⁻³ kg·m/s"), (2e4, "", "10³ "),
        (0.2, "", ""),
    ],
)  # fmt: skip
def test_prefixes(largest, unit, told):
    size, name = units.prefixed(largest, unit)
    assert name.strip() == told.strip() or (unit == "" and name == "")
    assert largest == 0.0 or unit == "" or 1.0 <= largest / size * (1 + 1e-9) < 1000.0


@pytest.mark.parametrize(
    ("metres", "said"),
    [(3e-10, "300 pm"), (0.05, "5 cm"), (0.005, "5 mm"), (2.0, "2 m"), (5e3, "5 km"), (2.991957414e11, "2 AU")],
)
def test_lengths(metres, said):
    assert units.in_unit(metres, units.length_unit(metres)) == said


@pytest.mark.parametrize(
    ("span", "unit"), [(1e-9, "ns"), (0.05, "ms"), (0.5, "s"), (100.0, "s"), (600.0, "min"), (3e7, "d"), (1e9, "a")]
)
def test_times(span, unit):
    assert units.time_unit(span)[1] == unit


def test_a_ruler_is_round_in_its_own_unit():
    assert units.round_length(0.07) == 0.05
    assert units.round_length(2.7 * units.ASTRONOMICAL) == 2.0 * units.ASTRONOMICAL
