"""The base class of generators of scenes, and their options with units and bounds."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
from pydantic import BeforeValidator, Field

from carom.scene.fields.base import Part, fault, shown
from carom.scene.fields.changes import SceneChanges
from carom.scene.model import Scene

__all__ = ["MOST_BALLS", "Dimension", "Generator", "Whole", "option"]

MOST_BALLS = 10_000_000
"""Largest number of balls of a generator: beyond it a scene would take gigabytes and minutes."""


def option(default: Any, unit: str, meaning: str, **bounds: Any) -> Any:
    """A field with its default, its unit ("" for a pure number) and a short description."""
    description = f"{meaning}, in {unit}" if unit else meaning
    return Field(
        default=default, description=description, json_schema_extra={"unit": unit, "meaning": meaning}, **bounds
    )


def _whole(value: object) -> int:
    """Check a whole number; booleans and floats such as 3.0 are refused."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise fault("whole.not-one", value=shown(value))
    return int(value)


def _dimension(value: object) -> int:
    result = _whole(value)
    if result not in {2, 3}:
        raise fault("generator.dimension", value=shown(value))
    return result


Whole = Annotated[int, BeforeValidator(_whole)]
Dimension = Annotated[int, BeforeValidator(_dimension), Field(ge=2, le=3)]


class Generator(Part):
    """Base class of generators: options that make a scene. Equal options, with an equal seed, give equal bits."""

    group: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]

    @property
    def expected(self) -> int:
        """Approximate number of balls, known before the scene is made."""
        return int(getattr(self, "count", 1))

    @abstractmethod
    def scene(self) -> Scene:
        """The scene of these options."""

    def _scene(self, **parts: Unpack[SceneChanges]) -> Scene:
        """A scene with the title and the sentence of the generator."""
        parts["name"], parts["look_at"] = self.title, self.sentence
        return Scene(**parts)
