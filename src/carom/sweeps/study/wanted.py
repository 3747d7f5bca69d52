"""What a study asks for: observables of each run, and a plot of the results."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from carom.observe.observable import Observable, observable
from carom.scene.fields.base import Part, fault, nearest, shown
from carom.scene.fields.quantities import Flag, Label, Number, Word, each, one_of, sequence

__all__ = ["TAKES", "PlotSpec", "Wanted", "as_wanted"]

TAKES = ("mean", "last", "first", "min", "max", "drift")
"""Statistics of the samples of a run."""


def _own(value: object) -> object:
    if value is not None and not isinstance(value, Observable):
        raise fault("observables.not-observable", value=shown(value))
    return value


class Wanted(Part):
    """An observable of a study, and a statistic of its samples."""

    name: Word = Field(description="name of the observable")
    take: Annotated[Literal["mean", "last", "first", "min", "max", "drift"], BeforeValidator(one_of(*TAKES))] = Field(
        default="mean", description="statistic of the samples of a run"
    )
    own: SkipJsonSchema[Annotated[Any, BeforeValidator(_own)]] = Field(
        default=None, exclude=True, repr=False, description="the observable itself, if it is a custom one"
    )

    def observable(self) -> Observable:
        """Make an observable: a copy of the custom one, or a new one by name."""
        return copy.deepcopy(self.own) if isinstance(self.own, Observable) else observable(self.name)

    def table(self) -> str | dict[str, str]:
        """The form in a study file."""
        return self.name if self.take == "mean" else {"name": self.name, "take": self.take}

    def __str__(self) -> str:
        return self.name if self.take == "mean" else f"{self.name} ({self.take})"


def as_wanted(value: Any) -> tuple[Wanted, ...]:
    """Make the observables of a study from names, tables with `name` and `take`, or custom observables."""
    wanted = each(_one, sequence(value, "observables"))
    seen: set[tuple[str, str]] = set()
    for index, one in enumerate(wanted):
        if (one.name, one.take) in seen:
            raise fault("observables.repeated", where=f"[{index}]", name=repr(str(one)))
        seen.add((one.name, one.take))
    return wanted


def _one(value: Any) -> Wanted:
    if isinstance(value, str):
        return Wanted(name=value)
    if isinstance(value, type) and issubclass(value, Observable):
        raise fault("observables.class", name=value.__name__)
    if isinstance(value, Observable):
        return Wanted(name=value.name, own=value)
    if isinstance(value, Mapping) and isinstance(value.get("observable"), Observable):
        others = {key: given for key, given in value.items() if key != "observable"}
        return Wanted(**{"name": value["observable"].name, "own": value["observable"], **others})
    return Wanted.of(value)


def _axes(value: object) -> tuple[str, ...]:
    return each(one_of("x", "y"), sequence(value, "axes"))


def _law(value: object) -> object:
    from carom.sweeps.study.laws import LAWS  # noqa: PLC0415  # only where one is named

    if value is not None and (not isinstance(value, str) or value not in LAWS):
        raise fault("law.unknown", value=shown(value), hint=nearest(str(value)[:60], LAWS, "laws"))
    return value


class PlotSpec(Part):
    """The plot of the results."""

    x: Word = Field(description="path of a parameter, or a column of the table")
    y: Word = Field(description="column of the table")
    series: Word | None = Field(default=None, description="path of a parameter; each of its values has its own line")
    log: Annotated[tuple[Literal["x", "y"], ...], BeforeValidator(_axes)] = Field(
        default=(), description="axes that are logarithmic"
    )
    law: Annotated[str | None, BeforeValidator(_law)] = Field(default=None, description="name of a law to compare with")
    per: Word | None = Field(default=None, description="path or column by which y of each run is divided")
    above: Number | None = Field(
        default=None, description="draws the share of runs whose y is above this, instead of y"
    )
    compare: Flag = Field(default=False, description="true adds a panel with y/law - 1")
    title: Label = Field(default="", description="title; default: the name of the study")
    x_label: Label = Field(default="", description="label of the x axis")
    y_label: Label = Field(default="", description="label of the y axis")

    def table(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as in a study file."""
        fields = type(self).model_fields
        given = {name: getattr(self, name) for name in fields if getattr(self, name) != fields[name].default}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
