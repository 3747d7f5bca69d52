"""`carom check`: is a scene file valid, and if not, why?"""

from pathlib import Path

from carom.cli.summary import count
from carom.cli.terminal import complain, output
from carom.errors import SceneError
from carom.scene.io.files import load
from carom.scene.model import Scene
from carom.scene.placement.check import problems
from carom.solvers.stepped.integrators import cards


def check(files: list[Path], *, quiet: bool) -> int:
    """Check every file; 1 if any has a problem."""
    return max(check_one(file, quiet=quiet) for file in files)


def check_one(file: Path, *, quiet: bool) -> int:
    """Print `valid`, or one line a problem."""
    try:
        scene = load(file)
        require_sound(scene, str(file))
    except SceneError as error:
        complain(str(error))
        return 1
    if not quiet:
        output().print(f"{file}: valid ({count(len(scene.balls), 'ball')}, {scene.dimension}D)")
    return 0


def require_sound(scene: Scene, source: str) -> None:
    """SceneError, which names every problem, if the scene could not be run."""
    found = problems(scene)
    if scene.stepping.integrator is not None:
        found += cards.problems(scene.stepping.integrator, "stepping.integrator")
    if found:
        raise SceneError(found, source=source)
