"""Compares the points of a study with a law: the values that the law needs, and the parameters that are fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import StudyError
from carom.sweeps.study.laws import Law
from carom.sweeps.study.ranges import Normal, Uniform

if TYPE_CHECKING:
    from carom.sweeps.results.points import PlotLine
    from carom.sweeps.study.study import Study

__all__ = ["Known", "curve"]

FITTED_POINTS = 2
"""Free parameters of a law are fitted to this many points, those with the smallest x."""

Floats = NDArray[np.float64]


class Known(Mapping[str, Any]):
    """Values by path: given ones, else those of the run plan, the generator or the scene."""

    def __init__(self, study: Study, given: Mapping[str, Any]) -> None:
        self.study = study
        self.given = dict(given)

    def __getitem__(self, path: str) -> Any:
        if path not in self.given:
            self.given[path] = self._found(path)
        return self.given[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    def _found(self, path: str) -> Any:
        if path in self.study.parameters:
            return self._swept(path)
        part, _, name = path.partition(".")
        if part in {"run", "plot"}:
            found = getattr(getattr(self.study, part), name)
        elif part == "generator":
            found = self._of_generator(name)
        else:
            found = self._of_scene(path)
        if found is None:
            raise KeyError(path)
        return found

    def _swept(self, path: str) -> Any:
        """The value of a parameter with only one, which is not drawn."""
        values = self.study.parameters[path]
        if isinstance(values, Uniform | Normal) or values.count_of > 1:
            raise KeyError(path)  # it has several values
        return values.value(0)

    def _of_generator(self, name: str) -> Any:
        """An option of the generator as given, or its default."""
        from carom.scene import library  # noqa: PLC0415  # generators are many

        given = self.study.base.get("generator", {})
        kind = library.generators().get(given.get("kind"))
        option = kind.model_fields.get(name) if kind else None
        return given.get(name, option.default if option else None)

    def _of_scene(self, path: str) -> Any:
        """The value in the scene of the first run, defaults included."""
        from carom.sweeps.study.plan import scene_of  # noqa: PLC0415  # scenes are built only if a law asks

        found: Any = scene_of(self.study, self.study.run_at(0))
        for step in path.replace("[", ".[").split("."):
            try:
                found = found[int(step[1:-1])] if step.startswith("[") else getattr(found, step)
            except (AttributeError, IndexError):
                return None
        return found


def curve(law: Law, study: Study, line: PlotLine, x: Floats) -> Floats:
    """Evaluate the law along x for a series; free parameters are fitted to the first points of the series."""
    spec = study.plot
    assert spec is not None  # noqa: S101  # for the type checker: `lines` has checked it
    known = Known(study, {spec.series: line.value} if spec.series else {})

    def at(place: Floats) -> Floats:
        found = []
        for each in place:
            known.given[spec.x] = float(each)
            found.append(law.value(known))
        return np.array(found)

    try:
        along = at(x)
        if law.free:
            first, seen = at(line.x[:FITTED_POINTS]), line.y[:FITTED_POINTS]
            along = _fit(law, along, first, seen)
    except KeyError as missing:
        path = missing.args[0]
        problem = "law.needs-series" if path in study.parameters else "law.needs"
        raise StudyError.of(problem, where="plot.law", law=repr(spec.law), path=path) from None
    return along


def _fit(law: Law, along: Floats, first: Floats, seen: Floats) -> Floats:
    if law.free == "offset":
        return np.asarray(along + (seen - first).mean())
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.log(seen / first)
    return np.asarray(along * np.exp(np.median(apart[np.isfinite(apart)]) if np.isfinite(apart).any() else 0.0))
