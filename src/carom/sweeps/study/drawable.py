"""Checks, before anything runs, that the plot of a study can be drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import StudyError
from carom.sweeps.results.ledger import sheet_of
from carom.sweeps.results.points import PlotLine, spec_of
from carom.sweeps.running.task import Job
from carom.sweeps.study.against import Known, curve
from carom.sweeps.study.laws import LAWS

if TYPE_CHECKING:
    from carom.sweeps.study.study import PlotSpec, Study

__all__ = ["check"]


@dataclass(frozen=True)
class _Promised:
    """The columns of a table before the study has run."""

    columns: tuple[str, ...]


def check(study: Study) -> None:
    """StudyError for a [plot] with missing columns, or with a law that cannot be drawn."""
    spec = study.plot
    if spec is None:
        return
    kinds = sheet_of(study, Job.of(study).columns).kinds
    promised: Any = _Promised(tuple(kinds))
    spec_of(study, promised)
    for key, name in (("y", spec.y), ("per", spec.per)):
        if name is not None and kinds[name] == "text":
            raise StudyError.of("plot.words", where=f"plot.{key}", name=repr(name))
    if spec.law is not None and kinds[spec.x] != "text":
        _check_law(study, spec, spec.law)


def _check_law(study: Study, spec: PlotSpec, name: str) -> None:
    """Try the law at both ends of the plan, for each series."""
    law, ends = LAWS[name], [study.run_at(0).parameters, study.run_at(len(study) - 1).parameters]
    series: list[Any] = [None]
    if (values := study.parameters.get(spec.series or "")) is not None:
        series = [values.value(k) for k in range(values.count_of)]
    x = np.array([float(end.get(spec.x, 1.0)) for end in ends])
    try:
        for value in series:
            curve(replace(law, free=""), study, PlotLine("", value, []), x)
        for end in ends:  # parameters other than x and the series must suit the law too
            law.value(Known(study, end))
    except StudyError:
        raise
    except (ArithmeticError, ValueError, TypeError) as error:
        raise StudyError.of("law.no-value", where="plot.law", name=repr(name), error=str(error)) from None
