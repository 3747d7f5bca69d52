"""Films and stills of a run, with the look of the laboratory."""

from carom.video.options import Look, Timing
from carom.video.render import film, picture, still

__all__ = ["Look", "Timing", "film", "picture", "still"]
