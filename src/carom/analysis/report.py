"""The report of an analysis: one self-contained HTML file with the table and the plots."""

from __future__ import annotations

import io
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.analysis.measure import Analysis, Curve
from carom.atomic_write import replacing
from carom.extras import require
from carom.storage.recording import Recording
from carom.views.units import length_unit, prefixed, speed_unit, time_unit

Floats = NDArray[np.float64]

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .2rem 1.2rem .2rem 0; text-align: left; vertical-align: top; }
th { border-bottom: 1px solid; } td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 0; background: #fff; border-radius: .4rem; padding: .4rem; }
figure svg { max-width: 100%; height: auto; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1rem; }
footer { margin-top: 2rem; font-size: .85rem; opacity: .7; }
"""
FOOTER = (
    "Made by carom. Errors are standard errors of means, by blocking (Flyvbjerg and Petersen 1989); deviations are in "
    "standard errors, those of the value and of what is expected together."
)
SIZE = (5.2, 3.4)
"""The size of a figure, inches."""


def write_report(found: Analysis, recording: Recording, target: str | Path) -> Path:
    """Write the report of an analysis; the file is replaced atomically."""
    path = Path(target)
    text = page(found, list(figures(found, recording)))
    with replacing(path) as draft:
        draft.write(text.encode())
    return path


def page(found: Analysis, pictures: list[tuple[str, str]]) -> str:
    """The HTML page, with pictures as (title, SVG)."""
    title = f"Analysis of {found.path.name}"
    facts = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in found.facts)
    drawn = "".join(f"<figure aria-label={quoted(name)}>{svg}</figure>" for name, svg in pictures)
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in found.remarks)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<table>{facts}</table>",
        f"<h2>Figures</h2>{table(found)}",
        f'<h2>Plots</h2><div class="figures">{drawn}</div>' if drawn else "",
        f"<h2>Remarks</h2><ul>{remarks}</ul>" if remarks else "",
        f"<footer>{FOOTER}</footer>",
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body>{''.join(parts)}</body></html>\n"
    )


def quoted(text: str) -> str:
    """A text as a quoted HTML attribute."""
    return f'"{escape(text, quote=True)}"'


def table(found: Analysis) -> str:
    """All lines of an analysis as an HTML table."""
    rows = []
    for line in found.lines:
        off = "" if line.deviation is None else f"{line.deviation:+.1f}"
        cells = [
            f'<td>{escape(line.name)}</td><td class="number">{escape(line.symbol)}</td>',
            f'<td class="number">{escape(line.text())}</td><td>{escape(line.unit)}</td>',
            f'<td class="number">{escape(line.expected_text())}</td><td class="number">{off}</td>',
            f"<td>{escape(line.source)}</td>",
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("", "", "value", "unit", "expected", "deviation", ""))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def figures(found: Analysis, recording: Recording) -> Iterator[tuple[str, str]]:
    """Pictures as (title, SVG): plots of the run by carom.plots, then the measured curves."""
    require("plots", "a report with plots")
    from matplotlib.figure import Figure  # noqa: PLC0415  # optional, and slow to load

    from carom import plots  # noqa: PLC0415  # needs matplotlib

    for name, draw in (("Energy", plots.energy), ("Momentum", plots.momentum)):
        if len(recording) > 1:
            with plots.style():
                figure = Figure(figsize=SIZE, layout="constrained")
                draw(recording, figure.subplots())
                yield name, svg_of(figure)
    for curve in found.curves:
        with plots.style():
            figure = Figure(figsize=SIZE, layout="constrained")
            plot(curve, figure.subplots())
            yield curve.name, svg_of(figure)


def plot(curve: Curve, axes: Any) -> None:
    """Draw a curve with its error band, and its law."""
    width, across = scaled(curve.across, curve.x)
    height, up = scaled(curve.up, curve.y)
    x, y = curve.x / width, curve.y / height
    good = np.isfinite(y)
    if curve.error is not None:
        spread = np.nan_to_num(curve.error) / height
        axes.fill_between(x[good], (y - spread)[good], (y + spread)[good], alpha=0.3, linewidth=0.0)
    axes.plot(x[good], y[good], ".-", markersize=3.0, linewidth=1.0, label="measured")
    if curve.law is not None:
        axes.plot(x, curve.law / height, "--", linewidth=1.2, color="0.3", label=curve.law_name)
        axes.legend(frameon=False)
    axes.set_title(curve.name)
    axes.set_xlabel(named(across))
    axes.set_ylabel(named(up))


def scaled(quantity: tuple[str, str], values: Floats) -> tuple[float, tuple[str, str]]:
    """The size of the unit that fits the values, and the quantity in this unit, as in the plots of runs."""
    name, unit = quantity
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if not unit:
        return 1.0, quantity
    units = {"s": time_unit, "m": length_unit, "m/s": speed_unit}
    if unit in units and largest > 0.0:
        size, unit = units[unit](largest)
    elif unit in ("J", "Pa", "N/m", "K"):
        size, unit = prefixed(largest, unit)
    else:  # powers and compound units take no prefix
        size, power = prefixed(largest, "")
        unit = f"{power} {unit}".strip()
    return size, (name, unit)


def named(quantity: tuple[str, str]) -> str:
    """`speed in m/s`: the label of an axis, as in the plots of runs."""
    name, unit = quantity
    return f"{name} in {unit}" if unit else name


def svg_of(figure: Any) -> str:
    """A figure as an SVG element for a page."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]
