"""How a scene wants to be solved, where it matters to what is seen; all of it can be left open."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from carom.scene.fields.base import Part
from carom.scene.fields.quantities import Positive, Word, one_of


class Stepping(Part):
    """Which solver, and wishes for the stepped one. The exact solver has no steps and takes no notice of those."""

    solver: Annotated[
        Literal["auto", "exact", "stepped"],
        BeforeValidator(one_of("auto", "exact", "stepped")),
    ] = Field(default="auto", description="which solver; auto chooses: the exact one wherever it applies")
    step: Positive | None = Field(default=None, description="length of a step, in s; chosen if left out")
    integrator: Word | None = Field(default=None, description="name of the integrator; chosen if left out")
    contacts: Annotated[
        Literal["auto", "impacts", "pile"],
        BeforeValidator(one_of("auto", "impacts", "pile")),
    ] = Field(default="auto", description="impacts for gases and bounces, pile for what comes to rest; auto chooses")
