"""Makes SVG pictures smaller for the gallery: rounded numbers, and equal dots joined in one path."""

from __future__ import annotations

import re
from itertools import groupby

MIN_DOTS = 24
"""From this many on, consecutive disks of equal size and colour become one path of round dots."""

_LONG = re.compile(r"(\d*\.\d{3,})")
_DISK = re.compile(r'<circle cx="([-\d.]+)" cy="([-\d.]+)" r="([\d.]+)" fill="(#\w+)"/>')


def lean(picture: str) -> str:
    """Shorten a picture without visible change: lengths to a hundredth, rows of equal disks as one path."""
    rounded = _LONG.sub(lambda found: f"{float(found[1]):.2f}".rstrip("0").rstrip("."), picture)
    lines: list[str] = []
    for look, run in groupby(rounded.split("\n"), key=_look):
        same = list(run)
        lines += [_dots(same, *look)] if look and len(same) >= MIN_DOTS else same
    return "\n".join(lines)


def _look(line: str) -> tuple[str, str] | None:
    """Radius and colour of a line that is one disk."""
    found = _DISK.fullmatch(line)
    return (found[3], found[4]) if found else None


def _dots(lines: list[str], radius: str, colour: str) -> str:
    places = "".join(f"M{found[1]} {found[2]}h0" for line in lines if (found := _DISK.fullmatch(line)))
    width = f"{2.0 * float(radius):.4g}"
    return f'<path fill="none" stroke="{colour}" stroke-linecap="round" stroke-width="{width}" d="{places}"/>'
