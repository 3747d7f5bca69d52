"""carom: exact simulation of colliding balls.

Describe what exists (`Scene`, `Ball`, `Box`, …), run it (`Simulation`), look at it (`draw`). Importing carom is light:
a name is loaded when it is first used, and nothing is compiled before something runs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Ball",
    "Balls",
    "Box",
    "CaromError",
    "Circle",
    "Collision",
    "EndlessError",
    "NotExactError",
    "Open",
    "Pair",
    "Polygon",
    "Restitution",
    "Scene",
    "SceneError",
    "Simulation",
    "SolverError",
    "StackError",
    "View",
    "draw",
    "dump",
    "library",
    "load",
]

if TYPE_CHECKING:
    from carom.errors import CaromError, EndlessError, NotExactError, SceneError, SolverError, StackError
    from carom.scene import Ball, Balls, Box, Circle, Open, Pair, Polygon, Restitution, Scene, View, library
    from carom.scene.files import dump, load
    from carom.simulation import Collision, Simulation
    from carom.views.svg import draw

_HOMES = {
    "carom.errors": ("CaromError", "EndlessError", "NotExactError", "SceneError", "SolverError", "StackError"),
    "carom.scene.files": ("dump", "load"),
    "carom.simulation": ("Collision", "Simulation"),
    "carom.views.svg": ("draw",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'carom' has no attribute {name!r}")
    if name == "library":
        return import_module("carom.scene.library")
    return getattr(import_module(_HOME.get(name, "carom.scene")), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
