"""`Simulation`: a scene and its run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from carom.observe.collisions import Collision, Report
from carom.observe.measures.mechanics import built_height
from carom.scene import Links, Scene
from carom.scene.io.find import scene_of
from carom.simulation.advance import Advance, RunLoop, number_of_seconds
from carom.simulation.collect import Collector
from carom.simulation.delegate import delegate
from carom.simulation.editor import Editor
from carom.simulation.live_balls import Identities, LiveBalls
from carom.simulation.readonly import check_settable, read_only_result
from carom.simulation.record import RunStorage, continue_recording
from carom.simulation.run import ActiveRun
from carom.simulation.start import as_tuple, new_run, replayed_run, resumed_run, warn_of_differences
from carom.simulation.steer import Steering
from carom.solvers import choose
from carom.solvers.protocol import steerable
from carom.storage.checkpoint import find_checkpoint, read, recording_of
from carom.storage.recorder import Recorder
from carom.storage.recording import Recording
from carom.views.svg import MOST_BALLS, draw

if TYPE_CHECKING:
    from carom.solvers.protocol import Solver
    from carom.solvers.stepped.energy.account import Account
    from carom.solvers.stepped.forces.custom import Force
    from carom.solvers.stepped.integrators.method import Method

Floats = NDArray[np.float64]


class Simulation:
    """A scene that runs.

    `run` advances it to a time or by a number of collisions. Reading never changes the motion.
    """

    def __init__(  # each is one choice, and has a default
        self,
        scene: Scene | str | Path,
        *,
        solver: choose.SolverChoice = "auto",
        step: float | None = None,
        integrator: str | None = None,
        contacts: choose.Contacts | None = None,
        forces: Sequence[Force] = (),
        check: bool = True,
        neighbours: choose.Neighbours = "auto",
    ) -> None:
        """Start at time 0 of the scene.

        scene       a scene, the name of a scene of the library, or the path of a scene file.
        solver      "exact", "stepped", or "auto": the exact solver wherever it applies, except for balls that fall,
                    lose energy, and so come to rest on each other.
        step        size of the stepped solver's steps, s; chosen from the scene by default. With solver="auto", a
                    step, an integrator or contacts select the stepped solver; a `SolverWarning` tells if the exact
                    solver could run the scene.
        integrator  of the stepped solver: "verlet" by default; `carom solvers` lists them.
        contacts    how the stepped solver treats collisions: "impacts" (each at its instant; energy is exact at
                    e = 1), "pile" (for balls that come to rest on each other), or "auto".
        forces      custom forces, made with `carom.force`.
        check       True: refuse overlapping and misplaced balls.
        neighbours  how the exact solver finds neighbours ("cells", "lists", or "auto" for the faster): it changes the
                    speed, and no bit of the motion.
        """
        wish = choose.Wish(solver, step, integrator, contacts, as_tuple(forces), neighbours)
        self._compose(new_run(scene_of(scene), wish, check=check))

    def _compose(self, run: ActiveRun) -> None:
        """Make the parts that work on a run."""
        self._run = run
        self._editor = Editor(run)
        self._steering = Steering(run, self._editor)
        self._advance = Advance(run, self._editor)
        self._run_loop = RunLoop(run, self._advance)

    @property
    def _collector(self) -> Collector:  # made for each call, as it refers to the simulation: no cycle of references
        return Collector(self._run, self._advance, self._run_loop, self)

    @property
    def _storage(self) -> RunStorage:  # made for each call, as above
        return RunStorage(self._run, self)

    @classmethod
    def _of(cls, run: ActiveRun) -> Self:
        """A simulation that continues a run."""
        sim = cls.__new__(cls)
        sim.__setstate__({"_run": run})
        return sim

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy: the run without its recorder and measurement, and attributes that a user has added."""
        parts = ("_editor", "_steering", "_advance", "_run_loop")
        own = {name: value for name, value in self.__dict__.items() if name not in parts}
        return {**own, "_run": copy.copy(self._run)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compose(self._run)

    # Running.

    def run(
        self,
        until: float | None = None,
        collisions: int | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> Self:
        """Run to the time `until` (s), or for this number of further `collisions`, whichever comes first.

        `progress` is called several times per second with the part that is done, from 0 to 1.
        """
        self._run_loop.run(until, collisions, progress)
        return self

    def advance(self, dt: float) -> Self:
        """Run for dt seconds. The size of the stepped solver's steps does not depend on dt."""
        return self.run(until=self.time + number_of_seconds("dt", dt))

    def step(self) -> Collision | None:
        """Run to the next collision and return it; None if there will be no more."""
        return next(self.events(collisions=1), None)

    events = delegate("_collector", Collector.events)
    collide = delegate("_collector", Collector.collide)

    measure = delegate("_collector", Collector.measure)

    # Recording and saving.

    record = delegate("_storage", RunStorage.record)
    remember = delegate("_storage", RunStorage.remember)
    forget = delegate("_storage", RunStorage.forget)
    save = delegate("_storage", RunStorage.save)

    @property
    def recorder(self) -> Recorder | None:
        """The recorder of the run; None if it is not being recorded."""
        return self._run.recorder

    @classmethod
    def resume(
        cls, path: str | Path, forces: Sequence[Force] = (), *, observables: Any = (), record: bool = True
    ) -> Self:
        """Continue a saved run, or a recorded run from its last checkpoint, and its recording.

        path         a checkpoint, or a recording with a checkpoint beside it. The recording that continues is `path`;
                     if `path` is a checkpoint, the file beside it with the same name without `.checkpoint`.
        forces       the custom forces of the run: a file does not hold their code.
        observables  the custom observables that were recorded.
        record       False: do not continue the recording.
        """
        source = find_checkpoint(Path(path))
        saved = read(source)
        target = recording_of(source, saved) if record and saved.recording else None
        run = resumed_run(saved, forces)
        sim = cls._of(run)
        warn_of_differences(source, saved)
        if target is not None:
            continue_recording(run, sim, target, saved, observables)
        return sim

    @classmethod
    def replayed(cls, recording: Recording, t: float | None = None) -> Self:
        """A simulation in the state of a recorded run at the time t, s (default: its end); it can run on from there."""
        return cls._of(replayed_run(recording, recording.span[1] if t is None else t))

    def snapshot(self) -> Scene:
        """The present state as a scene, from which another run can start; `copy` copies the whole run.

        Births to come are counted from now. Interactive forces, hooks and custom forces are not part of a scene.
        """
        return self._run.snapshot()

    def copy(self) -> Simulation:
        """An independent copy in the same state, without recorder and hooks."""
        return copy.deepcopy(self)

    # Reading.

    @property
    def scene(self) -> Scene:
        """The scene; its balls are as they were at the start, or when they were last edited."""
        return self._run.scene

    @property
    def solver(self) -> str:
        """The name of the solver: "exact" or "stepped"."""
        return self._solver.card.name

    @property
    def time(self) -> float:
        """The present time, s."""
        return self._run.time

    @property
    def collisions(self) -> int:
        """Number of collisions so far."""
        return self._solver.collisions

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """Number of collisions so far, by kind."""
        return self._solver.collisions_by_kind

    @property
    def balls(self) -> LiveBalls:
        """Handles of the balls: `balls[3]`, `balls["cue"]`, or iterate. A handle stays with its ball through edits."""
        return LiveBalls(self)

    def __len__(self) -> int:
        """Number of balls."""
        return len(self._run.scene.balls)

    def __bool__(self) -> bool:
        """Always True, also without balls."""
        return True

    @property
    def positions(self) -> Floats:
        """Positions of the balls, m: a read-only array with one row per ball; `change` moves a ball."""
        return read_only_result(self._solver.places(self._run.time)[:, : self._run.scene.dimension], "positions")

    @property
    def velocities(self) -> Floats:
        """Velocities of the balls, m/s: a read-only array with one row per ball; `change` sets a velocity."""
        return read_only_result(self._solver.velocities(self._run.time)[:, : self._run.scene.dimension], "velocities")

    @property
    def forces(self) -> Floats:
        """Forces on the balls, N: an array with one row per ball. Contact forces are not included."""
        accelerations = self._solver.accelerations(self._run.time)[:, : self._run.scene.dimension]
        return read_only_result(self._run.scene.balls.mass[:, None] * accelerations, "forces")

    @property
    def masses(self) -> Floats:
        """Masses of the balls, kg."""
        return read_only_result(self._run.scene.balls.mass, "masses")

    @property
    def radii(self) -> Floats:
        """Radii of the balls, m."""
        return read_only_result(self._run.scene.balls.radius, "radii")

    @property
    def turns(self) -> NDArray[np.int64]:
        """Image counts: how often each ball has crossed each periodic axis; unwrapped: positions + turns × box size."""
        return read_only_result(self._solver.turns[:, : self._run.scene.dimension].copy(), "turns")

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of all balls that are born, J."""
        return float(0.5 * (self._born_masses * (self.velocities**2).sum(axis=1)).sum())

    @property
    def potential_energy(self) -> float:
        """Potential energy of all forces, J, without fixed balls; that of gravity is 0 at the origin of coordinates."""
        return float(sum(self._solver.potential(self._run.time).values()))

    @property
    def energy(self) -> float:
        """Kinetic and potential energy, J."""
        return self.kinetic_energy + self.potential_energy

    @property
    def momentum(self) -> Floats:
        """Momentum of all balls that are born, kg m/s."""
        return read_only_result((self._born_masses[:, None] * self.velocities).sum(axis=0), "momentum")

    @property
    def _born_masses(self) -> Floats:
        """Masses, kg; 0 for balls that are not born yet."""
        masses = self._run.scene.balls.mass
        return np.where(self._solver.born, masses, 0.0) if self._run.scene.balls.born.any() else masses

    @property
    def upcoming(self) -> list[Collision]:
        """The next collision, and all at the same instant, each as if it came first; empty if there will be none."""
        return self._collector.upcoming()

    @property
    def resting(self) -> tuple[int, ...]:
        """Numbers of the resting balls: on a wall (exact solver), or without any motion (stepped solver)."""
        return self._solver.resting

    @property
    def report(self) -> Report:
        """The resting balls, and the effect of the contact time."""
        return Report(self.resting, self._solver.softened, self._solver.contact_time)

    def wall_name(self, wall: int) -> str:
        """The name of a wall by its number, as `collide` returns it."""
        return self._solver.wall_name(wall)

    def look(self) -> tuple[Floats, Floats]:
        """Positions, m, and velocities, m/s; faster than reading both properties."""
        x, v = self._solver.look(self.time)
        d = self.scene.dimension
        return x[:, :d], v[:, :d]

    @property
    def unborn(self) -> NDArray[np.bool_] | None:
        """Mask of the balls that are not born yet; None if no ball of the scene is born later."""
        return ~self._solver.born if self.scene.balls.born.any() else None

    @property
    def identities(self) -> Identities:
        """The identities of the balls, as used by `balls`."""
        return self._run.identities

    @property
    def _solver(self) -> Solver:
        return self._run.solver

    # Editing.

    add = delegate("_editor", Editor.add)
    remove = delegate("_editor", Editor.remove)
    change = delegate("_editor", Editor.change)
    change_balls = delegate("_editor", Editor.change_balls)
    change_scene = delegate("_editor", Editor.change_scene)
    change_walls = delegate("_editor", Editor.change_walls)

    # Hooks, interactive forces and links: for solvers with forces.

    before_step = delegate("_steering", Steering.before_step)
    prepared = delegate("_steering", Steering.prepared)
    after_step = delegate("_steering", Steering.after_step)
    change_force = delegate("_steering", Steering.change_force)  # type: ignore[arg-type]  # `values` may have any names
    pull = delegate("_steering", Steering.pull)
    drive = delegate("_steering", Steering.drive)
    release = delegate("_steering", Steering.release)
    push = delegate("_steering", Steering.push)
    link = delegate("_steering", Steering.link)
    unlink = delegate("_steering", Steering.unlink)

    @property
    def held(self) -> frozenset[int]:
        """Numbers of the balls that are pulled or driven."""
        return self._steering.held

    @property
    def links(self) -> Links:
        """The unbroken links."""
        return self._run.surviving.links

    @property
    def height(self) -> float:
        """Height from the lowest to the highest linked ball, m, against gravity, else along y; 0 without links."""
        return built_height(self.scene, self.links, self._run.motion.places)

    @property
    def account(self) -> Account:
        """Energies at the end of the last step: kinetic, stored by each force, lost, and the integrator's error."""
        solver = steerable(self._solver, "account")
        return solver.account(solver.time)

    @property
    def method(self) -> Method:
        """The step, the integrator, and the treatment of contacts, of the stepped solver."""
        return steerable(self._solver, "method").method

    @property
    def custom_forces(self) -> tuple[Force, ...]:
        """The custom forces, with the present values of their parameters."""
        return steerable(self._solver, "custom_forces").extra if self._solver.card.has_forces else ()

    # Display.

    def __repr__(self) -> str:
        name = f" of {self.scene.name}" if self.scene.name else ""
        balls = f"{len(self)} ball{'' if len(self) == 1 else 's'} in {self.scene.dimension}D"
        met = f"{self.collisions} collision{'' if self.collisions == 1 else 's'}"
        return f"<Simulation{name}: {balls}, {self.solver}, t = {self.time:.6g} s, {met}>"

    def __setattr__(self, name: str, value: Any) -> None:
        check_settable(type(self), name)
        super().__setattr__(name, value)

    def _repr_svg_(self) -> str | None:
        """A picture to scale for notebooks; None if there are too many balls."""
        return draw(self, scale="fit") if len(self.scene.balls) <= MOST_BALLS else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:  # noqa: ARG002  # as notebooks call it
        """A live widget for notebooks, where possible, and a picture."""
        notebook: Any = import_module("carom.notebook")  # a later stage, known by name alone
        return notebook.bundle(self)
