"""One palette: pictures have the colours of the laboratory, and lines that everybody can tell apart."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import carom
from carom.errors import CaromError
from carom.views.palette import DARK, LIGHT, palette

# Machado, Oliveira and Fernandes (2009), table 1, severity 1.0: how linear colours are seen without one kind of cone.
BLIND = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
APART = 15.0  # distance in CIELAB; 2.3 is just noticeable side by side


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_are_those_of_the_laboratory(colours):
    text = (Path(carom.__file__).parent / "lab/static/colours.js").read_text(encoding="utf-8")
    theme = text[text.index("dark: {" if colours.dark else "light: {") :]
    theme = theme[: theme.index("\n  },")]
    told = dict(re.findall(r'(\w+): "(#\w{6})"', theme))
    for name in ("ground", "field", "ink", "soft", "faint", "wall", "solid", "plain", "mark", "velocity", "link"):
        assert getattr(colours, name) == told[name], name
    assert (colours.solid_edge, colours.cloth, colours.star) == (told["solidEdge"], told["cloth"], told["star"])
    assert list(colours.materials) == re.findall(r"#\w{6}", theme[theme.index("materials") :])


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", BLIND)
def test_lines_can_be_told_apart(colours, kind):
    seen = [lab(np.asarray(BLIND[kind]) @ linear(colour)) for colour in (*colours.series, colours.field)]
    for (i, one), (j, other) in combinations(enumerate(seen), 2):
        assert np.linalg.norm(one - other) > APART, (i, j)


def linear(colour: str) -> np.ndarray:
    value = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.clip(matrix @ np.clip(rgb, 0, 1), 1e-9, None) / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_another_theme_is_refused():
    with pytest.raises(CaromError, match="Use 'light' or 'dark'"):
        palette("blue")
