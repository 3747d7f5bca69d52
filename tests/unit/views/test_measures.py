"""Round numbers, and quantities in words."""

import pytest

from carom.views.measures import BAR_STEPS, LENGTHS, SCALE_STEPS, TIMES, plain, quantity, round_above, round_below


@pytest.mark.parametrize(
    ("value", "below", "above"),
    [(1.0, 1.0, 1.0), (1.01, 1.0, 1.5), (9.0, 8.0, 10.0), (0.0999, 0.08, 0.1), (3e-7, 3e-7, 3e-7), (7e42, 6e42, 8e42)],
)
def test_steps_of_scales(value: float, below: float, above: float) -> None:
    assert round_below(value, SCALE_STEPS) == below
    assert round_above(value, SCALE_STEPS) == above


def test_steps_of_bars() -> None:
    assert [round_below(value, BAR_STEPS) for value in (0.99, 1.0, 4.9, 5.1, 19.0)] == [0.5, 1.0, 2.0, 5.0, 10.0]


@pytest.mark.requirement("T-07")
@pytest.mark.parametrize(
    ("metres", "words"),
    [
        (2e3, "2 km"), (500.0, "500 m"), (1.0, "1 m"), (0.05, "5 cm"), (0.005, "5 mm"), (2e-4, "200 µm"),
        (1e-6, "1 µm"), (5e-9, "5 nm"), (2e-10, "2×10⁻¹⁰ m"), (5e12, "5×10¹² m"), (5e8, "500000 km"),
    ],
)  # fmt: skip
def test_lengths(metres: float, words: str) -> None:
    assert quantity(metres, LENGTHS) == words


def test_times() -> None:
    assert [quantity(value, TIMES) for value in (20.0, 0.05, 2e-9)] == ["20 s", "50 ms", "2 ns"]


def test_plain_numbers() -> None:
    assert [plain(value) for value in (1.0, 2.5, 250_000.0, 1.5e9, 4e-12)] == [
        "1",
        "2.5",
        "250000",
        "1.5×10⁹",
        "4×10⁻¹²",
    ]
