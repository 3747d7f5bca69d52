"""What exists: the declarative description of a scene, immutable and validated.

A scene says what there is, never how it is solved.
"""

from carom.scene.balls import Ball, Balls
from carom.scene.boundary import Boundary, Box, Obstacle, Open
from carom.scene.columns import Materials
from carom.scene.materials import Pair, Restitution
from carom.scene.model import Scene, View
from carom.scene.polygon import Circle, Polygon

__all__ = [
    "Ball",
    "Balls",
    "Boundary",
    "Box",
    "Circle",
    "Materials",
    "Obstacle",
    "Open",
    "Pair",
    "Polygon",
    "Restitution",
    "Scene",
    "View",
]
