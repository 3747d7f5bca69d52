"""Scenes: immutable, validated descriptions of what exists.

A scene does not say how it is solved.
"""

from carom.scene.balls import Ball, Balls
from carom.scene.fields.columns import Materials
from carom.scene.forces import Attraction, Drag, Planet
from carom.scene.friction import Coulomb, Friction, FrictionPair
from carom.scene.links import Bend, Bends, Link, Links
from carom.scene.materials import Pair, Restitution
from carom.scene.model import Scene, View
from carom.scene.shapes.base import Boundary, Obstacle
from carom.scene.shapes.box import Box, Open
from carom.scene.shapes.polygon import Polygon
from carom.scene.shapes.round import Circle, Cylinder
from carom.scene.shapes.solids import Block, HalfSpace, Wedge
from carom.scene.stepping import Stepping
from carom.scene.structures import Chain, Cloth, Hair, Pieces, Rope, SoftBody, Structure, Water

__all__ = [
    "Attraction",
    "Ball",
    "Balls",
    "Bend",
    "Bends",
    "Block",
    "Boundary",
    "Box",
    "Chain",
    "Circle",
    "Cloth",
    "Coulomb",
    "Cylinder",
    "Drag",
    "Friction",
    "FrictionPair",
    "Hair",
    "HalfSpace",
    "Link",
    "Links",
    "Materials",
    "Obstacle",
    "Open",
    "Pair",
    "Pieces",
    "Planet",
    "Polygon",
    "Restitution",
    "Rope",
    "Scene",
    "SoftBody",
    "Stepping",
    "Structure",
    "View",
    "Water",
    "Wedge",
]
