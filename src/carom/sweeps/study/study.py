"""A study: a scene with ranges of parameters, and what is measured in each run.

    study = Study.load("study.toml")
    study = Study(
        scene="gas",
        parameters={"generator.packing_fraction": {"linear": [0.1, 0.7], "count": 7}},
        run={"until": 10.0, "every": 0.1},
        observables=["compressibility"],
        repeats=4,
    )
    len(study), study.run_at(3)

A run is computed from its number alone; its id depends on what it does, not on its place in the study.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from carom.errors import InputError, Problem, SceneError, StudyError, first_problems
from carom.observe.observable import Observable
from carom.scene import Scene, library
from carom.scene.fields.base import Part, fault, nearest, shown
from carom.scene.fields.quantities import Label, Text, Whole, each, not_empty, sequence, whole
from carom.scene.io import files as scene_files
from carom.sweeps.study import paths
from carom.sweeps.study.agreement import disagreements, quoted
from carom.sweeps.study.bases import as_document, physical_part
from carom.sweeps.study.plan import (
    RUN,
    SEED,
    SWEPT,
    RunPlan,
    RunSpec,
    digest_of,
    draw_value,
    has_seed,
    hashable,
    plan_of,
    scene_of,
    seed_of,
)
from carom.sweeps.study.ranges import MAX_RUNS, AnyRange, Kind, Range, Value, as_range
from carom.sweeps.study.wanted import PlotSpec, Wanted, as_wanted

__all__ = [
    "MAX_RUNS",
    "SCHEMA_VERSION",
    "PlotSpec",
    "RunPlan",
    "RunSpec",
    "Study",
    "Value",
    "Wanted",
    "plan_of",
    "scene_of",
    "schema",
]

SCHEMA_VERSION = 1
"""Version of the format of study files, in their key `schema`."""
MAX_PARAMETERS = 1000
"""Parameters of a study."""
_MAX_CACHED = 10_000
"""Values of longer ranges are not cached."""


@dataclass(frozen=True)
class StudyAxis:
    """Parameters that change together, and the number of points that they make."""

    paths: tuple[str, ...]
    length: int


def _as_parameters(value: Any) -> dict[str, Range]:
    """Make ranges by path; report the problems of all together."""
    if not isinstance(value, Mapping):
        raise fault("parameters.not-a-table", value=shown(value))
    _check_number(len(value), "parameters")
    ranges: dict[str, Range] = {}
    problems: list[Problem] = []
    for path, given in value.items():
        try:
            ranges[not_empty(path)] = as_range(given)
        except InputError as error:
            problems += [problem.inside(quoted(path)) for problem in error.problems]
    if problems:
        raise SceneError(first_problems(problems))
    return ranges


def _as_groups(value: Any) -> tuple[tuple[str, ...], ...]:
    def group(given: Any) -> tuple[str, ...]:
        members = each(not_empty, sequence(given, "paths"))
        if len(members) < 2:
            raise fault("zip.not-groups", value=shown(given))
        return members

    groups = each(group, sequence(value, "groups of paths"))
    _check_number(sum(map(len, groups)), "paths")
    return groups


def _check_number(count: int, noun: str) -> None:
    if count > MAX_PARAMETERS:
        raise fault("study.too-many", count=count, noun=noun, most=MAX_PARAMETERS)


def _as_repeats(value: Any) -> int:
    repeats = whole(value)
    if not 1 <= repeats <= MAX_RUNS:
        raise fault("study.repeats", value=repeats, most=MAX_RUNS)
    return repeats


class Study(Part):
    """A scene with ranges of parameters. Mistakes raise `StudyError`. `len` counts its runs, `run_at` returns one.

    `check` builds some of its scenes to find invalid values, and looks up the names of observables and integrators;
    a sweep calls it first.
    """

    name: Label = Field(default="", description="title of the study")
    description: Text = Field(default="", description="what the study is about")
    scene: Annotated[dict[str, Any], BeforeValidator(as_document)] = Field(
        description="the scene: a name of the library, the path of a scene file, or a whole scene"
    )
    parameters: Annotated[
        Mapping[str, Range], BeforeValidator(_as_parameters, json_schema_input_type=dict[str, AnyRange])
    ] = Field(default={}, description="ranges by path; points are all combinations, the first changes slowest")
    zip: Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_as_groups)] = Field(
        default=(), description="groups of paths whose values go together"
    )
    repeats: Annotated[int, Field(ge=1), BeforeValidator(_as_repeats)] = Field(
        default=1, description="runs of each point, each with its own seed"
    )
    seed: Whole = Field(default=0, description="seed of all the study's randomness")
    run: Annotated[RunPlan, BeforeValidator(RunPlan.of)] = Field(
        default=RunPlan(), description="the end of runs, their solver, and their samples"
    )
    observables: Annotated[
        tuple[Wanted, ...], BeforeValidator(as_wanted, json_schema_input_type=list[str | Wanted])
    ] = Field(default=(), description="what is measured in each run: names, or tables of name and take")
    plot: Annotated[PlotSpec | None, BeforeValidator(lambda given: given if given is None else PlotSpec.of(given))] = (
        Field(default=None, description="the plot of the results")
    )

    _source: str = PrivateAttr(default="")

    if TYPE_CHECKING:  # arguments may have more types than the fields

        def __init__(  # noqa: PLR0913  # a study has these parts
            self,
            *,
            scene: Scene | Mapping[str, Any] | str | Path,
            parameters: Mapping[str, Any] = ...,
            zip: Sequence[Sequence[str]] = ...,  # noqa: A002  # the key of the study file
            repeats: int = ...,
            seed: int = ...,
            run: RunPlan | Mapping[str, Any] = ...,
            observables: Sequence[str | Observable | Wanted | Mapping[str, Any]] = ...,
            plot: PlotSpec | Mapping[str, Any] | None = ...,
            name: str = ...,
            description: str = ...,
        ) -> None: ...

    else:

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except InputError as error:
                raise StudyError(error.problems, error.source) from None

    # Files.

    @classmethod
    def load(cls, source: str | Path, *, observables: Sequence[Observable] = ()) -> Study:
        """Load a study from a file, a results folder, or the ready studies; custom observables must be given again."""
        path = Path(source)
        try:
            if not path.suffix and not path.exists() and len(path.parts) == 1:
                return cls.loads(_ready(path.name), name=f"{path.name}.toml", observables=observables)
            path = path / "study.toml" if path.is_dir() else path
            return cls._of_content(scene_files.read(path), str(path), path.parent, observables)
        except InputError as error:
            raise StudyError(error.problems, error.source or str(path)) from None
        except (OSError, ValueError) as error:  # an impossible file name
            raise StudyError.of(
                "study.unreadable", source=shown(source), reason=getattr(error, "strerror", error)
            ) from None

    @classmethod
    def loads(
        cls, text: str, *, name: str = "", folder: str | Path | None = None, observables: Sequence[Observable] = ()
    ) -> Study:
        """Read a study from a text of TOML. Errors begin with `name`; paths of scenes are relative to `folder`."""
        try:
            return cls._of_content(scene_files.parse(text, "toml"), name, Path(folder or "."), observables)
        except InputError as error:
            raise StudyError(error.problems, error.source or name) from None

    @classmethod
    def of(cls, value: Any, *, observables: Sequence[Observable] = ()) -> Study:
        """Make a study from a study, a table of its fields, a file, a results folder, or the name of a ready one."""
        if isinstance(value, Study):
            return value.with_own(observables)
        if isinstance(value, str | Path):
            return cls.load(value, observables=observables)
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise StudyError.of("study.not-one", value=shown(value))
        return cls._of_content(dict(value), "", Path(), observables)

    @classmethod
    def _of_content(cls, content: dict[str, Any], name: str, folder: Path, own: Sequence[Observable]) -> Study:
        scene_files.check_version(content.pop("schema", SCHEMA_VERSION))
        scene = content.get("scene")
        if isinstance(scene, str) and scene not in library.names():
            content["scene"] = folder / scene
        return cls(**content).with_own(own, name)

    def with_own(self, observables: Sequence[Observable], source: str | None = None) -> Study:
        """Return the study with custom observables in place of their names."""
        by_name = {one.name: one for one in observables}
        study = self
        if any(one.name in by_name for one in self.observables):
            wanted = [one.replace(own=by_name.get(one.name, one.own)) for one in self.observables]
            study = self.replace(observables=wanted)
        if study.__pydantic_private__ is not None:
            study.__pydantic_private__["_source"] = self._source if source is None else source
        return study

    def dumps(self) -> str:
        """Write the study as TOML that includes the scene; reading it gives the same runs, bit for bit."""
        content: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "name": self.name,
            "description": self.description,
            "repeats": self.repeats,
            "seed": self.seed,
            "zip": [list(group) for group in self.zip],
            "observables": [one.table() for one in self.observables],
            "run": self.run.table(),
            "parameters": {path: one.table() for path, one in self.parameters.items()},
            "plot": self.plot.table() if self.plot else {},
        }
        kept = {key: value for key, value in content.items() if value not in ("", [], {})}
        return scene_files.as_toml({**kept, "scene": self.scene})

    # Parts.

    @model_validator(mode="after")
    def _agrees(self) -> Study:
        problems = disagreements(self)
        if problems:
            raise SceneError(first_problems(problems))
        return self

    @cached_property
    def axes(self) -> tuple[StudyAxis, ...]:
        """The axes of the points, the slowest first; a group is at the place of its first parameter."""
        group_of = {path: group for group in self.zip for path in group}
        axes: dict[tuple[str, ...], None] = {}
        for path, one in self.parameters.items():
            if not one.drawn:
                axes.setdefault(group_of.get(path, (path,)))
        return tuple(StudyAxis(together, self.parameters[together[0]].count_of) for together in axes)

    @cached_property
    def points(self) -> int:
        """The number of points."""
        return math.prod(axis.length for axis in self.axes)

    @cached_property
    def types(self) -> dict[str, Kind]:
        """The type of each parameter."""
        return {path: one.kind for path, one in self.parameters.items()}

    @cached_property
    def base(self) -> dict[str, Any]:
        """The document of the scene with the places of all parameters made, as workers need it."""
        content = self.scene
        for path in self.parameters:
            steps = paths.steps_of(path)
            content = content if steps[0] == "run" else paths.prepare(content, steps)
        return content

    @property
    def random(self) -> bool:
        """Does anything depend on the seed of a run?"""
        return any(one.drawn for one in self.parameters.values()) or (
            SEED not in self.parameters and has_seed(self.scene)
        )

    @cached_property
    def digest(self) -> str:
        """A hash of what all runs share: scene, run plan, observables, seed."""
        shared = {
            "scene": physical_part(self.scene),
            "run": {name: value for name, value in self.run.table().items() if name in SWEPT},
            "observables": [(one.name, one.take) for one in self.observables],
            "seed": self.seed,
        }
        return digest_of(shared)

    # Runs.

    def __len__(self) -> int:
        return self.points * self.repeats

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[RunSpec]:  # type: ignore[override]  # pydantic iterates over fields, a study over runs
        return (self.run_at(k) for k in range(len(self)))

    def run_at(self, k: int) -> RunSpec:
        """The run with this number: the first parameter changes slowest, repeats fastest."""
        if not 0 <= k < len(self):
            raise IndexError(f"there is no run {k} among {len(self)}")
        point, repeat = divmod(k, self.repeats)
        values: dict[str, Value] = {}
        rest = point
        for axis in reversed(self.axes):
            rest, at = divmod(rest, axis.length)
            values |= {path: self._value(path, at) for path in axis.paths}
        fixed = {path: hashable(values[path]) for path in self._sorted if path in values}
        start = {path: value for path, value in fixed.items() if not path.startswith(RUN)}
        seed = seed_of(digest_of([self.seed, start, repeat]))
        parameters = {
            path: draw_value(one, seed, path) if one.drawn else values[path] for path, one in self.parameters.items()
        }
        return RunSpec(k, digest_of([self.digest, fixed, self._laws, repeat])[:16], point, repeat, seed, parameters)

    def _value(self, path: str, index: int) -> Value:
        known = self._cached_values.get(path)
        return self.parameters[path].value(index) if known is None else known[index]

    @cached_property
    def _cached_values(self) -> dict[str, list[Value]]:
        """The cached values of ranges that are not long."""
        ranges = {path: one for path, one in self.parameters.items() if one.count_of <= _MAX_CACHED}
        return {path: [one.value(k) for k in range(one.count_of)] for path, one in ranges.items()}

    @cached_property
    def _sorted(self) -> tuple[str, ...]:
        return tuple(sorted(self.parameters))

    @cached_property
    def _laws(self) -> dict[str, Any]:
        """The distributions of drawn parameters."""
        return {path: self.parameters[path].table() for path in self._sorted if self.parameters[path].drawn}

    # Checks and changes.

    def check(self) -> None:
        """StudyError for invalid values, found by building some of the scenes; nothing runs."""
        from carom.sweeps.study.checks import problems  # noqa: PLC0415  # only who runs a study needs it

        found = problems(self)
        if found:
            raise StudyError(first_problems(found), self._source)

    def changes(self, other: Study) -> list[str]:
        """The changes from another study to this one, one line each."""
        from carom.sweeps.study.checks import changes  # noqa: PLC0415  # only who resumes a study needs it

        return changes(other, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self.dumps() == other.dumps()

    __hash__ = None  # type: ignore[assignment]  # tables cannot be hashed

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {self.points} points × {self.repeats}>"

    __str__ = __repr__


def schema() -> dict[str, Any]:
    """The JSON Schema of study files."""
    generated = Study.model_json_schema()
    scene = scene_files.schema()
    definitions = generated.pop("$defs") | scene.pop("$defs")
    scene.pop("$schema")
    version = {"const": SCHEMA_VERSION, "default": SCHEMA_VERSION, "description": "version of the format of this file"}
    properties = {"schema": version, **generated.pop("properties")}
    properties["scene"] = {
        "anyOf": [{"type": "string", "minLength": 1}, {"$ref": "#/$defs/Scene"}],
        "description": properties["scene"]["description"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {**definitions, "Scene": scene},
        **generated,
        "title": "carom study",
        "properties": properties,
    }


def _ready(name: str) -> str:
    """Read the text of a ready study."""
    from carom.sweeps import ready  # noqa: PLC0415  # only where one is asked for

    if name not in ready.names():
        raise fault("study.unknown", name=repr(name), hint=nearest(name, ready.names(), "studies"))
    return ready.text(name)
