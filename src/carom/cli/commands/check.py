"""`carom check`: are scene files valid, and if not, why?"""

from pathlib import Path

from carom.cli.summary import count
from carom.cli.terminal import complain, output
from carom.errors import SceneError
from carom.scene.io.files import load
from carom.scene.model import Scene
from carom.scene.placement.check import problems
from carom.solvers.stepped.integrators import cards


def check(files: list[Path], *, quiet: bool) -> int:
    """Check every file; exit code 1 if any has a problem."""
    return max(check_one(file, quiet=quiet) for file in files)


def check_one(file: Path, *, quiet: bool) -> int:
    """Print `valid`, or one line per problem."""
    try:
        scene = load(file)
        require_runnable(scene, str(file))
    except SceneError as error:
        complain(str(error))
        return 1
    if not quiet:
        output().print(f"{file}: valid ({count(len(scene.balls), 'ball')}, {scene.dimension}D)")
    return 0


def require_runnable(scene: Scene, source: str) -> None:
    """SceneError with every problem if the scene cannot be run."""
    found = problems(scene)
    if scene.stepping.integrator is not None:
        found += cards.problems(scene.stepping.integrator, "stepping.integrator")
    if found:
        raise SceneError(found, source=source)
