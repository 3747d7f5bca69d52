"""Pixels behind all else, as an artist of matplotlib: at screen resolution, or finer in a document."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.transforms import Affine2D

from carom.video.painting.canvas import Pixels


class Backdrop(Artist):
    """A picture that fills the figure."""

    def __init__(self, pixels: Pixels, size: tuple[int, int]) -> None:
        super().__init__()
        self.pixels = pixels
        self.size = size
        self.set_zorder(-1.0)

    def draw(self, renderer: Any) -> None:
        """Draw the pixels; the first row is at the top."""
        context = renderer.new_gc()
        if renderer.option_scale_image():
            width, height = renderer.get_canvas_width_height()
            renderer.draw_image(context, 0.0, 0.0, self.pixels[::-1], Affine2D().scale(width, height))
        else:
            renderer.draw_image(context, 0.0, 0.0, self.pixels[::-1])
        context.restore()
