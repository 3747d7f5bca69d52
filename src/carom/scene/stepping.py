"""Preferences of a scene for its solver; all of them are optional."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from carom.scene.fields.base import Part
from carom.scene.fields.quantities import Positive, Word, one_of


class Stepping(Part):
    """The solver, and preferences for the stepped one, which the exact solver ignores."""

    solver: Annotated[
        Literal["auto", "exact", "stepped"],
        BeforeValidator(one_of("auto", "exact", "stepped")),
    ] = Field(default="auto", description="the solver; auto chooses: the exact one wherever it applies")
    step: Positive | None = Field(default=None, description="size of a step, in s; chosen by default")
    integrator: Word | None = Field(default=None, description="name of the integrator; chosen by default")
    contacts: Annotated[
        Literal["auto", "impacts", "pile"],
        BeforeValidator(one_of("auto", "impacts", "pile")),
    ] = Field(
        default="auto", description="impacts for gases and bounces, pile for balls that come to rest; auto chooses"
    )
