"""Who looks: pictures of a scene. A view knows scenes, and nothing of how they are run."""

from carom.views.svg import draw

__all__ = ["draw"]
