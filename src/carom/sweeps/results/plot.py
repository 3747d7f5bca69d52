"""The plot of a study: points with error bars, one line per series, and the law to compare with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.atomic_write import replacing
from carom.errors import StudyError
from carom.sweeps.results.points import PlotLine, Value, lines, others, spec_of, words
from carom.sweeps.study.against import curve
from carom.sweeps.study.laws import LAWS, Law

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from carom.sweeps.results.table import Table
    from carom.sweeps.study.study import PlotSpec, Study

__all__ = ["SUFFIXES", "draw", "write"]

SUFFIXES = (".svg", ".png", ".pdf")
CURVE_POINTS = 240
"""Points of the curve of a law."""
MAX_NAMED = 14
"""Lines that the legend names."""
OUTLIER_RATIO = 12.0
"""Points this many times further from the law than most are drawn at the edge of their panel."""
MAX_NAMED_INSIDE = 1
"""With more lines than this, the legend stands beside the plot."""

Floats = NDArray[np.float64]


@dataclass
class _Drawing:
    study: Study
    spec: PlotSpec
    lines: list[PlotLine]
    law: Law | None
    places: dict[Value, float] = field(default_factory=dict)
    """Positions of texts on the x axis."""

    @property
    def others(self) -> list[str]:
        """Other parameters in which the dots of a line differ."""
        return others(self.study, self.spec)

    @property
    def fine(self) -> Floats:
        """The x values at which a law is drawn."""
        x = np.concatenate([line.x for line in self.lines])
        low, high = float(x.min()), float(x.max())
        return (
            np.geomspace(low, high, CURVE_POINTS)
            if "x" in self.spec.log and low > 0.0
            else np.linspace(low, high, CURVE_POINTS)
        )


def draw(table: Table, study: Study, *, theme: str = "light") -> Figure:
    """Draw the plot of a study as a matplotlib figure."""
    from carom.plots.style import SIZE, style  # noqa: PLC0415  # an optional part

    found = lines(table, study)
    spec = spec_of(study, table)
    drawing = _Drawing(study, spec, found, LAWS[spec.law] if spec.law else None)
    names = {dot.x: 0.0 for line in found for dot in line.dots if isinstance(dot.x, str)}
    drawing.places = {word: float(k) for k, word in enumerate(names)}
    with style(theme) as colours:
        from matplotlib.figure import Figure  # noqa: PLC0415  # an optional part

        two = spec.compare and drawing.law is not None and not drawing.places
        wide = SIZE[0] + (1.6 if len(found) > MAX_NAMED_INSIDE else 0.0)
        figure = Figure((wide, SIZE[1] + (1.3 if two else 0.0)), layout="constrained")
        rows = figure.subplots(2 if two else 1, 1, sharex=True, squeeze=False, height_ratios=(2.6, 1) if two else (1,))
        main: Axes = rows[0, 0]
        _scales(main, drawing)
        _points(main, drawing, colours.series, lambda line: (line.y, line.bars))
        seen = main.get_ylim()
        _laws(main, drawing, colours)
        main.set_ylim(seen)  # the measured points set the scale, not the law
        _labels(main, drawing)
        if two:
            _comparison(rows[1, 0], drawing, colours)
            main.set_xlabel("")
        if drawing.places:
            main.set_xticks(list(drawing.places.values()), list(map(str, drawing.places)))
    return figure


def _points(
    ax: Axes, drawing: _Drawing, colours: tuple[str, ...], of: Callable[[PlotLine], tuple[Floats, Floats]]
) -> None:
    """Draw points with error bars, joined by a thin line if there is no law."""
    for k, line in enumerate(drawing.lines):
        y, bars = of(line)
        x = [drawing.places[dot.x] for dot in line.dots] if drawing.places else line.x
        bare = drawing.law is None or (not drawing.law.free and drawing.spec.above is not None)
        joined = "-" if bare and not drawing.others else ""
        ax.errorbar(
            x, y, yerr=bars if bars.any() else None, color=colours[k % len(colours)], label=line.name or None,
            marker="os^Dv"[k // len(colours) % 5] if k >= len(colours) else "o", markersize=4.2, linestyle=joined,
            linewidth=1.0, elinewidth=1.1, capsize=2.2, capthick=1.0, zorder=3,
        )  # fmt: skip


def _laws(ax: Axes, drawing: _Drawing, colours: Any) -> None:
    """Draw the law, one curve per series if they differ."""
    law = drawing.law
    if law is None or drawing.places:
        return
    x = drawing.fine
    curves = [curve(law, drawing.study, line, x) for line in drawing.lines]
    shared = all(np.array_equal(each, curves[0]) for each in curves)
    look: dict[str, Any] = {"linewidth": 1.1, "linestyle": (0, (4, 2)) if law.free or not shared else "-", "zorder": 2}
    for k, each in enumerate(curves[:1] if shared else curves):
        ax.plot(x, each, color=colours.soft if shared else colours.series[k % len(colours.series)], **look)
    ax.plot([], [], color=colours.soft, label=law.title, **look)


def _comparison(ax: Axes, drawing: _Drawing, colours: Any) -> None:
    """Draw measured/law - 1, or its absolute value if y is logarithmic."""
    law = drawing.law
    assert law is not None  # noqa: S101  # for the type checker: the panel exists only with a law
    sized = "y" in drawing.spec.log
    expected = {line.name: curve(law, drawing.study, line, line.x) for line in drawing.lines}
    away = {line.name: line.y / expected[line.name] - 1.0 for line in drawing.lines}
    if sized:
        ax.set_yscale("log")
        _points(ax, drawing, colours.series, lambda line: (np.abs(away[line.name]), np.zeros((2, 0))))
        ax.set_ylabel("deviation from the law")
    else:
        _points(
            ax,
            drawing,
            colours.series,
            lambda line: (100.0 * away[line.name], 100.0 * line.bars / np.abs(expected[line.name])),
        )
        _crop(ax, drawing, {key: 100.0 * one for key, one in away.items()}, colours)
        ax.axhline(0.0, color=colours.soft, linewidth=1.0, zorder=1)
        ax.set_ylabel("deviation from the law, %")
    ax.set_xlabel(_label(drawing.spec.x_label, drawing.spec.x), parse_math=False)


def _crop(ax: Axes, drawing: _Drawing, away: dict[str, Floats], colours: Any) -> None:
    """Draw outliers as arrowheads at the edge, so that they do not set the scale."""
    size = np.abs(np.concatenate(list(away.values())))
    limit = OUTLIER_RATIO * float(np.quantile(size, 0.75))
    if not 0.0 < limit < size.max():
        return
    ax.set_ylim(-limit, limit)
    for k, line in enumerate(drawing.lines):
        for sign, marker in ((1.0, "^"), (-1.0, "v")):
            far = sign * away[line.name] > limit
            rim = np.full(int(far.sum()), 0.9 * sign * limit)
            ax.plot(line.x[far], rim, marker, color=colours.series[k % len(colours.series)], markersize=5.5)


def _scales(ax: Axes, drawing: _Drawing) -> None:
    """Make axes logarithmic where they show positive values."""
    spec = drawing.spec
    if "x" in spec.log and not drawing.places and any((line.x > 0.0).any() for line in drawing.lines):
        ax.set_xscale("log")
    if "y" in spec.log and any((line.y > 0.0).any() for line in drawing.lines):
        ax.set_yscale("log")


def _labels(ax: Axes, drawing: _Drawing) -> None:
    """Write title, axis labels and legend, with dollar signs as they are."""
    spec = drawing.spec
    note = f"one dot per {' and '.join(map(words, drawing.others))}" if drawing.others else ""
    ax.set_title("\n".join(filter(None, (spec.title or drawing.study.name, note))), parse_math=False)
    ax.set_xlabel(_label(spec.x_label, spec.x), parse_math=False)
    y = f"share of runs with {words(spec.y)} above {spec.above:g}" if spec.above is not None else spec.y
    ax.set_ylabel(_label(spec.y_label, f"{y} / {words(spec.per)}" if spec.per else y), parse_math=False)
    handles, names = ax.get_legend_handles_labels()
    if drawing.law is not None and handles:  # matplotlib lists it first
        handles, names = [*handles[1:], handles[0]], [*names[1:], names[0]]
    if not handles:
        return
    if len(drawing.lines) > MAX_NAMED_INSIDE:
        legend = ax.legend(handles[:MAX_NAMED], names[:MAX_NAMED], loc="upper left", bbox_to_anchor=(1.0, 1.02))
    else:
        legend = ax.legend(handles, names, loc="best")
    for text in legend.get_texts():
        text.set_parse_math(False)


def _label(given: str, otherwise: str) -> str:
    return given or (otherwise if "/" in otherwise or " " in otherwise else words(otherwise))


def write(table: Table, study: Study, target: str | Path) -> Path:
    """Draw the plot of a study to a file: SVG, PNG or PDF. Equal tables give equal bytes."""
    path = Path(target)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise StudyError.of("plot.ending", where="plot", path=str(path), known=list(SUFFIXES))
    figure = draw(table, study)
    from carom.plots.style import style  # noqa: PLC0415  # an optional part

    told = {".svg": {"Date": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
    with style(), replacing(path) as file:
        figure.savefig(file, format=suffix[1:], metadata=told[suffix])
    return path
