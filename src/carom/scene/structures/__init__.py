"""Structures such as ropes and cloths: a few options that become many balls and links when a scene is made."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field

from carom.scene.fields.base import fault, of_kind
from carom.scene.fields.quantities import each, sequence
from carom.scene.structures.base import MAX_POINTS, Pieces, Structure
from carom.scene.structures.lines import Chain, Hair, Rope
from carom.scene.structures.meshes import Cloth, SoftBody
from carom.scene.structures.water import Water

__all__ = ["AnyStructure", "Chain", "Cloth", "Hair", "Pieces", "Rope", "SoftBody", "Structure", "Water"]

KINDS = (Chain, Rope, Hair, Cloth, SoftBody, Water)
AnyStructure: TypeAlias = Annotated[Chain | Rope | Hair | Cloth | SoftBody | Water, Field(discriminator="kind")]


def as_structures(value: Any) -> tuple[Structure, ...]:
    """Check a list of structures, or of tables with their kinds; custom structures are allowed."""
    total = 0.0

    def counted(given: Any) -> Structure:
        nonlocal total
        made: Structure = given if isinstance(given, Structure) else of_kind(given, KINDS, "structure")
        total += made.expected
        if total > MAX_POINTS:
            raise TooManyError
        return made

    try:
        return each(counted, sequence(value, "structures"))
    except TooManyError:
        raise fault("structures.too-many", most=MAX_POINTS) from None


class TooManyError(Exception):
    """The structures have more points than a scene allows."""
