"""Structures: ropes, cloths and the like, each a few options that become many balls and links when a scene is made."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field

from carom.scene.base import of_kind
from carom.scene.quantities import each, sequence
from carom.scene.structures.base import Pieces, Structure
from carom.scene.structures.lines import Chain, Hair, Rope
from carom.scene.structures.meshes import Cloth, SoftBody
from carom.scene.structures.water import Water

__all__ = ["AnyStructure", "Chain", "Cloth", "Hair", "Pieces", "Rope", "SoftBody", "Structure", "Water"]

KINDS = (Chain, Rope, Hair, Cloth, SoftBody, Water)
AnyStructure: TypeAlias = Annotated[Chain | Rope | Hair | Cloth | SoftBody | Water, Field(discriminator="kind")]


def as_structures(value: Any) -> tuple[Structure, ...]:
    """A list of structures, or of tables with their kinds; a structure of a user's own is one too."""
    return each(_structure, sequence(value, "structures"))


def _structure(value: Any) -> Structure:
    made: Structure = value if isinstance(value, Structure) else of_kind(value, KINDS, "structure")
    return made
