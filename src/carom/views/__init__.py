"""Draw scenes as SVG. Views depend on scenes, not on simulations."""

from carom.views.svg import draw

__all__ = ["draw"]
