"""The common style of all plots, as a context manager that leaves other plots as they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from carom.extras import require
from carom.views.palette import Palette, palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (6.4, 4.0)
"""The size of a figure, inches."""
_loaded: list[str] = []
"""The backend of the notebook, once loaded."""


@contextmanager
def style(theme: str = "light") -> Iterator[Palette]:
    """Draw in carom's style within this context; yields the colours of the theme, "light" or "dark"."""
    colours = palette(theme)
    require("plots", "a plot")
    import matplotlib as mpl  # noqa: PLC0415  # an optional part

    settings: Any = _settings(colours)
    _load_notebook_backend()
    with mpl.rc_context(settings):
        yield colours


def _load_notebook_backend() -> None:
    """Load the backend of a notebook before settings are changed temporarily.

    It is loaded with the first figure and sets `interactive`, which shows figures below their cells. If this happened
    within `rc_context`, it would be undone at its end, and later figures would not be shown.
    """
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        return
    import matplotlib.pyplot as plt  # noqa: PLC0415  # an optional part

    if not _loaded:
        _loaded.append(plt.get_backend())
        plt.switch_backend(_loaded[0])


def _settings(colours: Palette) -> dict[str, Any]:
    from cycler import cycler  # noqa: PLC0415  # comes with matplotlib

    return {
        "figure.figsize": SIZE, "figure.dpi": 110.0, "savefig.dpi": 160.0, "figure.constrained_layout.use": True,
        "figure.constrained_layout.w_pad": 0.12, "figure.constrained_layout.h_pad": 0.1,
        "figure.facecolor": colours.ground, "axes.facecolor": colours.field, "savefig.facecolor": "auto",
        "font.family": "DejaVu Sans", "font.size": 10.0, "axes.titlesize": 11.0, "axes.titleweight": "bold",
        "axes.titlelocation": "left", "axes.titlepad": 9.0, "axes.labelsize": 10.0, "axes.labelpad": 5.0,
        "text.color": colours.ink, "axes.labelcolor": colours.ink, "axes.titlecolor": colours.ink,
        "axes.edgecolor": colours.soft, "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False,
        "xtick.color": colours.soft, "ytick.color": colours.soft, "xtick.labelcolor": colours.ink,
        "ytick.labelcolor": colours.ink, "xtick.labelsize": 9.0, "ytick.labelsize": 9.0,
        "axes.grid": True, "axes.axisbelow": True, "grid.color": colours.faint, "grid.linewidth": 0.6,
        "axes.prop_cycle": cycler(color=list(colours.series)), "lines.linewidth": 1.6,
        "legend.frameon": False, "legend.fontsize": 9.0, "legend.handlelength": 1.6, "axes.unicode_minus": True,
        "axes.formatter.useoffset": False, "svg.fonttype": "path", "svg.hashsalt": "carom",
    }  # fmt: skip


def axes(ax: Axes | None, **options: Any) -> Axes:
    """The given axes, or those of a new figure; call it within `style`."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt  # noqa: PLC0415  # an optional part

    made: Axes = plt.subplots(**options)[1]
    return made


def mark(times: Any) -> str:
    """The marker of a line: only a line of a single point needs one."""
    return "o" if len(times) == 1 else ""


def note(ax: Axes, text: str) -> None:
    """Write a note in small letters above the plot, at its left end."""
    ax.set_title(text, loc="left", fontsize=8.5, fontweight="normal")


def legend(ax: Axes, count: int) -> None:
    """Draw a legend in one row above the plot, at its right end, where it hides nothing."""
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=count, borderaxespad=0.2, columnspacing=1.4)
