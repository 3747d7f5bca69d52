"""carom: simulation of colliding balls and material points.

Describe a scene (`Scene`, `Ball`, `Box`, …), run it (`Simulation`), record it (`Simulation.record`, `Recording`),
show it (`draw`, `plots`, `video`), run it many times (`Study`, `sweep`). Importing carom is fast: a name is loaded
when it is first used, and kernels are compiled when something runs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

__all__ = [
    "Account",
    "ArgumentError",
    "Attraction",
    "Ball",
    "Balls",
    "Bend",
    "Bends",
    "Block",
    "BlowUpError",
    "Box",
    "CaromError",
    "Chain",
    "Circle",
    "Cloth",
    "ClusterError",
    "Collision",
    "CollisionArray",
    "Coulomb",
    "Cylinder",
    "Drag",
    "EndlessError",
    "Force",
    "ForceError",
    "Friction",
    "FrictionPair",
    "Hair",
    "HalfSpace",
    "InputError",
    "Integrator",
    "Link",
    "Links",
    "LiveBall",
    "LiveBalls",
    "NotExactError",
    "Observable",
    "Open",
    "Pair",
    "Planet",
    "Polygon",
    "Recording",
    "Restitution",
    "Rope",
    "Scene",
    "SceneError",
    "Simulation",
    "SoftBody",
    "SolverError",
    "SolverWarning",
    "StackError",
    "StepWarning",
    "Stepping",
    "StorageError",
    "Study",
    "StudyError",
    "Table",
    "View",
    "Water",
    "Wedge",
    "draw",
    "dump",
    "force",
    "library",
    "load",
    "plots",
    "register",
    "sweep",
    "verify",
    "video",
]

if TYPE_CHECKING:
    from carom import plots, video
    from carom.errors import (
        ArgumentError,
        BlowUpError,
        CaromError,
        ClusterError,
        EndlessError,
        ForceError,
        InputError,
        NotExactError,
        SceneError,
        SolverError,
        SolverWarning,
        StackError,
        StepWarning,
        StorageError,
        StudyError,
    )
    from carom.observe.collisions import Collision, CollisionArray
    from carom.observe.observable import Observable
    from carom.scene import (
        Attraction,
        Ball,
        Balls,
        Bend,
        Bends,
        Block,
        Box,
        Chain,
        Circle,
        Cloth,
        Coulomb,
        Cylinder,
        Drag,
        Friction,
        FrictionPair,
        Hair,
        HalfSpace,
        Link,
        Links,
        Open,
        Pair,
        Planet,
        Polygon,
        Restitution,
        Rope,
        Scene,
        SoftBody,
        Stepping,
        View,
        Water,
        Wedge,
        library,
    )
    from carom.scene.io.files import dump, load
    from carom.simulation.live_balls import LiveBall, LiveBalls
    from carom.simulation.simulation import Simulation
    from carom.solvers.stepped.energy.account import Account
    from carom.solvers.stepped.forces.custom import Force, force
    from carom.solvers.stepped.integrators.cards import Integrator, register
    from carom.solvers.stepped.integrators.verify import verify
    from carom.storage.recording import Recording
    from carom.sweeps.results.table import Table
    from carom.sweeps.running.driver import sweep
    from carom.sweeps.study.study import Study
    from carom.views.svg import draw

_HOMES = {
    "carom.errors": (
        "ArgumentError",
        "BlowUpError",
        "CaromError",
        "ClusterError",
        "EndlessError",
        "ForceError",
        "InputError",
        "NotExactError",
        "SceneError",
        "SolverError",
        "SolverWarning",
        "StackError",
        "StepWarning",
        "StorageError",
        "StudyError",
    ),
    "carom.observe.observable": ("Observable",),
    "carom.simulation.live_balls": ("LiveBall", "LiveBalls"),
    "carom.observe.collisions": ("Collision", "CollisionArray"),
    "carom.scene.io.files": ("dump", "load"),
    "carom.simulation.simulation": ("Simulation",),
    "carom.solvers.stepped.energy.account": ("Account",),
    "carom.solvers.stepped.forces.custom": ("Force", "force"),
    "carom.solvers.stepped.integrators.cards": ("Integrator", "register"),
    "carom.solvers.stepped.integrators.verify": ("verify",),
    "carom.storage.recording": ("Recording",),
    "carom.sweeps.running.driver": ("sweep",),
    "carom.sweeps.study.study": ("Study",),
    "carom.sweeps.results.table": ("Table",),
    "carom.views.svg": ("draw",),
}
_MODULES = {"library": "carom.scene.library", "plots": "carom.plots", "video": "carom.video"}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'carom' has no attribute {name!r}")
    if name in _MODULES:
        return import_module(_MODULES[name])
    return getattr(import_module(_HOME.get(name, "carom.scene")), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
