"""A canvas for matplotlib's artists: static artists are drawn once, moving ones for every picture."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.extras import require

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

DPI = 96.0
"""Pixels per inch, as in browsers: a document is as large as the picture."""
POINT = 72.0 / DPI
"""Points per pixel; matplotlib measures lines and fonts in points."""
STYLE: Any = {"svg.hashsalt": "carom", "svg.fonttype": "path", "path.simplify": False}


def require_matplotlib() -> None:
    """Raise an error that names the install command if matplotlib is not installed."""
    require("video", "drawing pictures and films", "matplotlib")


class Canvas:
    """A figure without axes, measured in pixels from the lower left."""

    def __init__(self, size: tuple[int, int], ground: str) -> None:
        require_matplotlib()
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  # an optional part
        from matplotlib.figure import Figure  # noqa: PLC0415
        from matplotlib.transforms import Affine2D  # noqa: PLC0415

        self.size = size
        self.figure: Figure = Figure(figsize=(size[0] / DPI, size[1] / DPI), dpi=DPI, facecolor=ground)
        self.agg: Any = FigureCanvasAgg(self.figure)
        self.transform: Any = Affine2D().scale(1.0 / DPI) + self.figure.dpi_scale_trans
        self._static_pixels: Any = None

    def add_static(self, artists: Sequence[Artist]) -> None:
        """Add artists that do not move."""
        for artist in artists:
            self.figure.add_artist(artist, clip=False)
        self._static_pixels = None

    def pixels(self, moving: Sequence[Artist]) -> Pixels:
        """Pixels with the moving artists: rows from the top, of red, green, blue and opacity."""
        if self._static_pixels is None:
            self.agg.draw()
            self._static_pixels = self.agg.copy_from_bbox(self.figure.bbox)
        self.agg.restore_region(self._static_pixels)
        renderer = self.agg.get_renderer()
        for artist in moving:
            artist.set_figure(self.figure)
            artist.draw(renderer)
        return np.array(self.agg.buffer_rgba())

    def document(self, moving: Sequence[Artist], ending: str) -> bytes:
        """The content of a file with the moving artists: SVG or PNG."""
        import matplotlib as mpl  # noqa: PLC0415  # an optional part

        for artist in moving:
            self.figure.add_artist(artist, clip=False)
        made = BytesIO()
        metadata = {"svg": {"Date": None, "Creator": "carom"}, "png": {"Software": "carom"}}[ending]
        with mpl.rc_context(STYLE):
            self.figure.savefig(made, format=ending, dpi=DPI, metadata=metadata)
        for artist in moving:
            artist.remove()
        return made.getvalue()
