"""Registry of the library: names, entries, and loading of scenes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from carom.scene.fields.base import fault, nearest
from carom.scene.library.atmosphere import GasUnderGravity
from carom.scene.library.billiards import BilliardTest, PoolBreak, Sinai
from carom.scene.library.falling import GravityField, Pour, Slope
from carom.scene.library.gas import Brownian, Gas
from carom.scene.library.options import Generator
from carom.scene.library.orbits import InnerPlanets, PlanetarySystem, Satellite, TwoBodies
from carom.scene.library.points import ClothOnABall, CoupledOscillators, GooTower, SoftBodyDropped
from carom.scene.library.rows import GalperinPi, NewtonsCradle
from carom.scene.model import Scene

__all__ = ["Entry", "Parameter", "catalogue", "generate", "generators", "load", "names"]

# A group stands for a fixed scene in scenes/<name>.toml. The six systems of the elastic-collision document come first.
_SCENES: Mapping[str, str | type[Generator]] = MappingProxyType(
    {
        "empty": "Empty",
        "central-horizontal": "Collisions",
        "central-vertical": "Collisions",
        "oblique": "Collisions",
        "three-bodies": "Collisions",
        "break": "Billiards",
        "billiard-test": BilliardTest,
        "newtons-cradle": NewtonsCradle,
        "galperin-pi": GalperinPi,
        "bouncing-ball": "Gravity field",
        "gravity-field": GravityField,
        "pour": Pour,
        "gas-under-gravity": GasUnderGravity,
        "gas": Gas,
        "brownian": Brownian,
        "sinai": Sinai,
        "stadium": "Billiards",
        "polygon-table": "Billiards",
        "pool-break": PoolBreak,
        "planetary-system": PlanetarySystem,
        "inner-planets": InnerPlanets,
        "two-bodies": TwoBodies,
        "figure-eight": "Planetary system",
        "satellite": Satellite,
        "slope": Slope,
        "coupled-oscillators": CoupledOscillators,
        "rope": "Material points",
        "hair": "Material points",
        "cloth-on-a-ball": ClothOnABall,
        "soft-body": SoftBodyDropped,
        "water-on-a-ball": "Material points",
        "metal-on-a-ball": "Material points",
        "water-on-cloth": "Material points",
        "goo-tower": GooTower,
    }
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a generator. `unit` is empty for a pure number."""

    name: str
    default: int | float | bool | str | None
    unit: str
    meaning: str


@dataclass(frozen=True)
class Entry:
    """A scene of the library. `sentence` says what to look at; a fixed scene has no parameters."""

    name: str
    group: str
    title: str
    sentence: str
    parameters: tuple[Parameter, ...] = ()


def names() -> tuple[str, ...]:
    """The names of all scenes, the six classic systems first."""
    return tuple(_SCENES)


@cache
def catalogue() -> tuple[Entry, ...]:
    """All scenes, in the order of `names`, without building any."""
    return tuple(_entry(name, made_by) for name, made_by in _SCENES.items())


def generators() -> dict[str, type[Generator]]:
    """The generators by kind; each is a class whose fields are its parameters."""
    return {name: made_by for name, made_by in _SCENES.items() if not isinstance(made_by, str)}


def load(name: str, /, **parameters: Any) -> Scene:
    """A scene of the library by its name; `parameters` are those of a generator."""
    if name not in _SCENES:
        raise fault("scene.unknown-name", name=repr(name), hint=nearest(name, _SCENES, "scenes"))
    if not isinstance(_SCENES[name], str):
        return generate(name, parameters)
    if parameters:
        key = next(iter(parameters))
        raise fault("scene.no-parameters", where=key, name=repr(name))
    return _fixed(name)


def generate(kind: str, parameters: Mapping[str, Any]) -> Scene:
    """The scene of a generator with parameters."""
    known = generators()
    if kind not in known:
        raise fault("generator.unknown", where="kind", kind=repr(kind), hint=nearest(kind, known, "kinds"))
    made = known[kind].of(parameters)
    return _with_origin(made.scene(), kind, made.model_dump(mode="json"))


@cache
def _fixed(name: str) -> Scene:
    from carom.scene.io.files import loads  # files reads [generator] tables, and so knows this library  # noqa: PLC0415

    return _with_origin(loads(_text(name), name=f"{name}.toml"), name, {})


def _with_origin(scene: Scene, kind: str, parameters: Mapping[str, Any]) -> Scene:
    """Note in a scene which entry made it."""
    scene.__dict__["origin"] = {"kind": kind, **parameters}  # as its cached_property would
    return scene


@cache
def _text(name: str) -> str:
    return resources.files(__package__).joinpath("scenes", f"{name}.toml").read_text(encoding="utf-8")


def _entry(name: str, made_by: str | type[Generator]) -> Entry:
    if isinstance(made_by, str):
        texts = tomllib.loads(_text(name))
        return Entry(name, made_by, texts["name"], texts["look_at"])
    return Entry(name, made_by.group, made_by.title, made_by.sentence, _parameters(made_by))


def _parameters(generator: type[Generator]) -> tuple[Parameter, ...]:
    """The parameters of a generator: its own before inherited ones."""
    own = generator.__annotations__
    found = []
    for name in sorted(generator.model_fields, key=lambda name: name not in own):
        field = generator.model_fields[name]
        texts = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        found.append(Parameter(name, field.default, str(texts["unit"]), str(texts["meaning"])))
    return tuple(found)
