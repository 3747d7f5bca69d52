"""Options of a scene and its solver, as one table for forms, texts and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from carom.lab.commands.arguments import choice_of, flag, number, refusal
from carom.scene import Attraction, Coulomb, Drag, Planet, Scene
from carom.scene.fields.base import shown
from carom.solvers.registry import CARDS
from carom.solvers.stepped.integrators.cards import INTEGRATORS

PLANETS: dict[str, Planet] = {
    "earth": Planet(),
    "moon": Planet(M=7.346e22, R=1.7374e6),
    "mars": Planet(M=6.417e23, R=3.3895e6),
    "jupiter": Planet(M=1.8981e27, R=6.9911e7),
}
"""Masses, kg: planetary fact sheets of NASA's NSSDCA. Mean radii, m: report of the IAU's working group of 2015
(Archinal et al., 2018)."""

NONE, OWN = "none", "own"
NUMBER, CHOICE, FLAG = "number", "choice", "flag"


@dataclass(frozen=True)
class Option:
    """An option. Its texts have the keys `option.<name>` and, for choices, `option.<name>.<choice>`."""

    name: str
    group: str
    """"planet", "forces", "contacts" or "solver"."""
    kind: str
    """"number", "choice" or "flag"."""
    read: Callable[[Scene], Any]
    """Its value in a scene; None where it has no meaning."""
    write: Callable[[Scene, Any], dict[str, Any]]
    """The changes of a scene that set it."""
    unit: str = ""
    low: float = -inf
    high: float = inf
    choices: tuple[str, ...] = ()

    def checked(self, value: Any) -> Any:
        """Check a value; ArgumentError with the name of the option if it is invalid."""
        if self.kind == FLAG:
            return flag(self.name, value)
        if self.kind == CHOICE:
            return choice_of(self.name, value, self.choices)
        made = number(self.name, value)
        if not self.low <= made <= self.high:
            problem = "option.range" if self.high < inf else "option.at-least"
            raise refusal(problem, where=self.name, value=shown(value), low=self.low, high=self.high)
        return made


def _down(scene: Scene) -> str:
    """The axis that points down on the screen. In 3D the camera's up is against gravity, or z without gravity."""
    if scene.dimension == 2:
        return "y" if scene.view.y_down else "-y"
    axis = max(range(3), key=lambda k: abs(scene.gravity[k]))
    if scene.gravity[axis] == 0.0:
        return "-z"
    return ("" if scene.gravity[axis] > 0.0 else "-") + "xyz"[axis]


def _planet(scene: Scene) -> str:
    if scene.planet is None:
        return OWN if any(scene.gravity) else NONE
    sizes = scene.planet.replace(down="-y")
    return next((name for name, planet in PLANETS.items() if planet == sizes), OWN)


def _set_planet(scene: Scene, name: str) -> dict[str, Any]:
    if name == NONE:
        return {"gravity": (0.0,) * scene.dimension}
    if name == OWN:
        return {"gravity": scene.planet or scene.gravity}
    return {"gravity": PLANETS[name].replace(down=_down(scene))}


def _of_planet(field: str) -> Callable[[Scene], Any]:
    return lambda scene: None if scene.planet is None else getattr(scene.planet, field)


def _to_planet(field: str) -> Callable[[Scene, Any], dict[str, Any]]:
    return lambda scene, value: {"gravity": (scene.planet or Planet(down=_down(scene))).replace(**{field: value})}


def _gravity(axis: int) -> Callable[[Scene], Any]:
    return lambda scene: scene.gravity[axis] if axis < scene.dimension else None


def _set_gravity(axis: int) -> Callable[[Scene, Any], dict[str, Any]]:
    def write(scene: Scene, value: float) -> dict[str, Any]:
        if axis >= scene.dimension:
            raise refusal("plane.use-gravity-xy", where="gravity_z")
        return {"gravity": tuple(value if k == axis else pull for k, pull in enumerate(scene.gravity))}

    return write


def _restitution(field: str) -> Callable[[Scene, Any], dict[str, Any]]:
    return lambda scene, value: {"restitution": scene.restitution.replace(**{field: value})}


def _friction(field: str, part: str) -> tuple[Callable[[Scene], Any], Callable[[Scene, Any], dict[str, Any]]]:
    """Static or dynamic friction; setting one adjusts the other where necessary."""

    def write(scene: Scene, value: float) -> dict[str, Any]:
        old: Coulomb = getattr(scene.friction, field)
        static = max(old.static, value) if part == "dynamic" else value
        dynamic = min(old.dynamic, value) if part == "static" else value
        return {"friction": scene.friction.replace(**{field: Coulomb(static=static, dynamic=dynamic)})}

    return (lambda scene: getattr(getattr(scene.friction, field), part)), write


def _drag(part: str) -> tuple[Callable[[Scene], Any], Callable[[Scene, Any], dict[str, Any]]]:
    def write(scene: Scene, value: float) -> dict[str, Any]:
        drag = (scene.drag or Drag()).replace(**{part: value})
        return {"drag": drag if drag.linear or drag.quadratic else None}

    return (lambda scene: getattr(scene.drag, part) if scene.drag else 0.0), write


def _attracts(scene: Scene, value: bool) -> dict[str, Any]:
    return {"attraction": (scene.attraction or Attraction(touch="bounce")) if value else None}


def _attraction(field: str) -> tuple[Callable[[Scene], Any], Callable[[Scene, Any], dict[str, Any]]]:
    return (
        lambda scene: None if scene.attraction is None else getattr(scene.attraction, field),
        lambda scene, value: {"attraction": (scene.attraction or Attraction(touch="bounce")).replace(**{field: value})},
    )


_STATIC_BALLS, _DYNAMIC_BALLS = _friction("ball_ball", "static"), _friction("ball_ball", "dynamic")
_STATIC_WALLS, _DYNAMIC_WALLS = _friction("ball_wall", "static"), _friction("ball_wall", "dynamic")

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("planet", "planet", CHOICE, _planet, _set_planet, choices=(NONE, *PLANETS, OWN)),
        Option("G", "planet", NUMBER, _of_planet("G"), _to_planet("G"), "m³/(kg s²)", 0.0, 1e150),
        Option("M", "planet", NUMBER, _of_planet("M"), _to_planet("M"), "kg", 0.0, 1e150),
        Option("R", "planet", NUMBER, _of_planet("R"), _to_planet("R"), "m", 1e-150, 1e150),
        Option("gravity_x", "planet", NUMBER, _gravity(0), _set_gravity(0), "m/s²", -1e6, 1e6),
        Option("gravity_y", "planet", NUMBER, _gravity(1), _set_gravity(1), "m/s²", -1e6, 1e6),
        Option("gravity_z", "planet", NUMBER, _gravity(2), _set_gravity(2), "m/s²", -1e6, 1e6),
        Option(
            "restitution_balls",
            "contacts",
            NUMBER,
            lambda s: s.restitution.ball_ball,
            _restitution("ball_ball"),
            "",
            0.0,
            1.0,
        ),
        Option(
            "restitution_walls",
            "contacts",
            NUMBER,
            lambda s: s.restitution.ball_wall,
            _restitution("ball_wall"),
            "",
            0.0,
            1.0,
        ),
        Option("static_friction_balls", "contacts", NUMBER, *_STATIC_BALLS, "", 0.0, 100.0),
        Option("dynamic_friction_balls", "contacts", NUMBER, *_DYNAMIC_BALLS, "", 0.0, 100.0),
        Option("static_friction_walls", "contacts", NUMBER, *_STATIC_WALLS, "", 0.0, 100.0),
        Option("dynamic_friction_walls", "contacts", NUMBER, *_DYNAMIC_WALLS, "", 0.0, 100.0),
        Option("drag", "forces", NUMBER, *_drag("linear"), "kg/s", 0.0, 1e150),
        Option("drag_quadratic", "forces", NUMBER, *_drag("quadratic"), "kg/m", 0.0, 1e150),
        Option("attraction", "forces", FLAG, lambda s: s.attraction is not None, _attracts),
        Option("attraction_G", "forces", NUMBER, *_attraction("G"), "m³/(kg s²)", 0.0, 1e150),
        Option("softening", "forces", NUMBER, *_attraction("softening"), "m", 0.0, 1e150),
        Option("touch", "forces", CHOICE, *_attraction("touch"), choices=("pass", "bounce", "merge")),
    )
}
"""Options by name."""


@dataclass(frozen=True)
class Choice:
    """A solver or integrator to choose, with texts of its card."""

    name: str
    title: str
    equation: str
    cost: str
    source: str
    remark: str = ""


def values(scene: Scene) -> dict[str, Any]:
    """The values of all options in a scene; None for options without meaning in it."""
    return {name: option.read(scene) for name, option in OPTIONS.items()}


def solvers() -> tuple[Choice, ...]:
    """The solvers to choose from."""
    return tuple(
        Choice(card.name, card.title, card.advances, card.cost, "; ".join(card.sources)) for card in CARDS.values()
    )


def integrators() -> tuple[Choice, ...]:
    """The integrators to choose from."""
    return tuple(
        Choice(
            one.name,
            one.title,
            one.equation,
            f"{one.evaluations} × forces per step, order {one.order}" + (", symplectic" if one.symplectic else ""),
            one.source,
            one.remark,
        )
        for one in INTEGRATORS.values()
    )


CONTACTS = ("auto", "impacts", "pile")
SOLVERS = ("auto", *CARDS)
