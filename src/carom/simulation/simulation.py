"""What a user holds: a scene, and its run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from carom.errors import SceneError, SolverWarning
from carom.kernels.progress import announce
from carom.observe import triggers
from carom.observe.collisions import Collision, Report
from carom.observe.follower import Measurements
from carom.observe.measures.mechanics import built_height
from carom.scene import Links, Scene
from carom.scene.io.find import scene_of
from carom.scene.placement import check as placement
from carom.simulation.advance import Advance, Runner, number_of_seconds
from carom.simulation.collect import Collector
from carom.simulation.editor import Editor
from carom.simulation.live_balls import Identities, LiveBalls
from carom.simulation.readonly import check_settable, shown_only
from carom.simulation.record import Plan, begin_recording, continue_recording, forget, new_history, remember
from carom.simulation.run import Run
from carom.simulation.save import check_repeatable, checkpoint_of, rebuilt_run, resumed_run, warn_of_differences
from carom.simulation.steer import Steering
from carom.solvers import choose
from carom.solvers.protocol import steerable
from carom.storage.checkpoint import find_checkpoint, read, recording_of
from carom.storage.recorder import Recorder
from carom.storage.recording import Recording
from carom.thread_warnings import warn_caller
from carom.views.svg import MOST_BALLS, draw

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History
    from carom.solvers.protocol import Solver
    from carom.solvers.stepped.energy.account import Account
    from carom.solvers.stepped.forces.custom import Force
    from carom.solvers.stepped.integrators.method import Method

Floats = NDArray[np.float64]
P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class Handed(Protocol[P, R_co]):
    """How a type checker sees a method that `handed` makes: bound when it is read from a simulation."""

    @overload
    def __get__(self, sim: None, owner: type[Simulation]) -> Callable[Concatenate[Simulation, P], R_co]: ...
    @overload
    def __get__(self, sim: Simulation, owner: type[Simulation]) -> Callable[P, R_co]: ...


def handed(part: str, method: Callable[Concatenate[Any, P], R_co]) -> Handed[P, R_co]:
    """A method of a simulation that one of its parts does, with the signature and the text of that part's."""

    @wraps(method)
    def call(sim: Simulation, /, *args: P.args, **named: P.kwargs) -> R_co:
        return method(getattr(sim, part), *args, **named)

    call.__qualname__, call.__module__ = f"Simulation.{method.__name__}", __name__
    return cast("Handed[P, R_co]", call)


class Simulation:
    """A scene that runs.

    `run` goes on to a time or for a number of collisions; everything else reads. Reading never changes the motion.
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
        """Begin at the scene's start.

        scene       what exists; or the name of a scene of the library, or the path of a scene file.
        solver      "exact", "stepped", or "auto": the exact one wherever it applies, but the stepped one for balls
                    that fall, lose energy, and so come to rest on each other.
        step        of the stepped solver, s; a sensible one if left out. A `SolverWarning` says so where a step, an
                    integrator or contacts make it do a scene that the exact one could; not where solver is said.
        integrator  of the stepped solver: "verlet" if left out; `carom solvers` lists them.
        contacts    how balls meet in steps: "impacts" (each at its instant; energy is exact at e = 1), "pile" (for
                    balls that come to rest on each other), or "auto".
        forces      of one's own, made with `carom.force`.
        check       looks for overlapping and misplaced balls first.
        neighbours  how the exact solver finds partners ("cells", "lists", or "auto" for the faster): it changes the
                    speed, and no bit of the motion.
        """
        announce()
        scene = scene_of(scene)
        given: Any = forces
        own = tuple(given) if isinstance(given, Iterable) else (given,)
        wish = choose.Wish(solver, step, integrator, contacts, own, neighbours)
        chosen = choose.solver_for(scene, wish)
        if switch := choose.switched(scene, wish):
            message = (
                f"the run goes in steps because of {' and '.join(switch)}; the exact solver could do this scene. "
                "Leave that out for exact collisions, or say solver='stepped' (--solver stepped)."
            )
            warn_caller(message, SolverWarning)
        if check:
            problems = placement.problems(scene)
            if problems:
                raise SceneError(problems)
        self._compose(Run(scene, choose.start(scene, chosen, wish), wish))

    def _compose(self, run: Run) -> None:
        """Make the parts that work on a run."""
        self._run = run
        self._editor = Editor(run)
        self._steering = Steering(run, self._editor)
        advance = Advance(run, self._editor)
        self._runner = Runner(run, advance)
        self._collector = Collector(run, advance, self._runner)

    @classmethod
    def _of(cls, run: Run) -> Self:
        """The simulation of a run that is under way."""
        sim = cls.__new__(cls)
        sim.__setstate__({"_run": run})
        return sim

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: the run, but not who records or measures it; and what a user has added."""
        parts = ("_editor", "_steering", "_runner", "_collector")
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
        """Go on to the time `until` (s), or for so many more `collisions`, whichever comes first.

        `progress` is called now and then with the part that is done, from 0 to 1.
        """
        self._runner.run(until, collisions, progress)
        return self

    def advance(self, dt: float) -> Self:
        """Go on by dt seconds, as a picture at any rate of frames asks for: steps keep their own size."""
        return self.run(until=self.time + number_of_seconds("dt", dt))

    def step(self) -> Collision | None:
        """Go on to the next collision, and give it; None if there will be no more."""
        return next(self.events(collisions=1), None)

    events = handed("_collector", Collector.events)
    collide = handed("_collector", Collector.collide)

    def measure(  # each is one choice, and has a default
        self,
        observables: Any,
        *,
        until: float | None = None,
        collisions: int | None = None,
        every: float | triggers.Every | triggers.Collisions | None = None,
        at: Any = None,
        settle: float = 0.0,
        progress: Callable[[float], object] | None = None,
    ) -> Measurements:
        """Run, and measure on the way, in memory.

        observables  names, or observables.
        until        run to this time, s; or for so many more `collisions`, whichever comes first.
        every        a sample every so many seconds, now included; or a trigger, such as `Collisions(100)`.
        at           samples at these times, s.
        settle       s from the start of measuring that are left out of means: the run comes to equilibrium.
        progress     is called now and then with the part that is done, from 0 to 1.

        Measuring changes no bit of the run, and samples are those of a recording.
        """
        return self._collector.measure(
            self, observables, until=until, collisions=collisions, every=every, at=at, settle=settle, progress=progress
        )

    # Recording and saving.

    def record(  # each is one choice, and has a default
        self,
        path: str | Path,
        *,
        every: float | triggers.Every | triggers.Collisions | None = None,
        at: Any = None,
        events: bool = True,
        observables: Any = (),
        checkpoint: float | None = None,
        force: bool = False,
        source: str = "",
    ) -> Recorder:
        """Record the run from now on, until `close`; or use it in a `with`.

        every        a frame every so many seconds, now included; or a trigger, such as `Collisions(100)`.
        at           frames at these times, s.
        events       keep all collisions; of the exact solver also what rebuilds any instant bit for bit.

        observables  names, or observables, measured with each frame.
        checkpoint   seconds of waiting time between two checkpoints, from which a killed run can be resumed.
        force        take the place of a file that is there.
        source       a word on where the scene comes from, kept in the file.

        With neither every nor at, one frame is kept, of now. Of the exact solver with events, `Recording.at` rebuilds
        any other instant; otherwise a `StorageWarning` says that there is no other.

        Recording changes no bit of the run.
        """
        plan = Plan(every, at, events, observables, checkpoint, force, source)
        return begin_recording(self._run, self, Path(path), plan)

    @property
    def recorder(self) -> Recorder | None:
        """Who records the run, if anyone does."""
        return self._run.recorder

    def remember(self) -> History:
        """Keep the history in memory from now on: any instant since, bit for bit, by `history.at(t)`."""
        history = new_history(self._run)
        remember(self._run, history)
        return history

    def forget(self, history: History) -> None:
        """Write no more into a history that `remember` gave."""
        forget(self._run, history)

    def save(self, path: str | Path) -> None:
        """Save the run as it is, to go on later with `Simulation.resume`, to the same bits."""
        self._run.check_between_steps("save")
        checkpoint_of(self._run).write(Path(path))

    @classmethod
    def resume(
        cls, path: str | Path, forces: Sequence[Force] = (), *, observables: Any = (), record: bool = True
    ) -> Self:
        """Go on with a saved run, or with a recorded one from its last checkpoint; recording goes on too.

        path         a checkpoint, or a recording that has one beside it. The recording that goes on is the file that
                     is named; of a checkpoint, the file beside it with the same name without `.checkpoint`.
        forces       of one's own, the same as before: code is not saved.
        observables  of one's own, if some were recorded.
        record       False to go on without recording.
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
        """The recorded run as it was at a time (at its end, if none is said), to go on from there."""
        time = recording.span[1] if t is None else t
        if recording.exact:
            return cls._of(rebuilt_run(recording, time))
        check_repeatable(recording, time)
        told = {name: recording.wish[name] for name in ("step", "integrator", "contacts", "neighbours")}
        solver = cast("choose.SolverChoice", recording.solver)
        return cls(recording.scene, solver=solver, check=False, **told).run(until=time)

    def snapshot(self) -> Scene:
        """The scene as it is now, as the start of another run; `copy` is the same run.

        Births to come are counted from now. Hands, motors, hooks and forces of one's own are not part of a scene.
        """
        velocities = np.where(self.scene.balls.fixed[:, None], 0.0, self.velocities)  # a fixed one may be driven
        born = np.maximum(self.scene.balls.born - self.time, 0.0)
        now = self.scene.balls.replace(position=self.positions, velocity=velocities, born=born)
        return self._run.surviving.replace(balls=now)

    def copy(self) -> Simulation:
        """A second simulation in the same state, which goes its own way; hooks stay with the first."""
        return copy.deepcopy(self)

    # Reading.

    @property
    def scene(self) -> Scene:
        """What exists; the balls as they were at the start (or when they were last edited)."""
        return self._run.scene

    @property
    def solver(self) -> str:
        """Which solver runs it: "exact" or "stepped"."""
        return self._solver.card.name

    @property
    def time(self) -> float:
        """Now, s."""
        return self._run.time

    @property
    def collisions(self) -> int:
        """How many collisions there have been."""
        return self._solver.collisions

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """The same by kind."""
        return self._solver.collisions_by_kind

    @property
    def balls(self) -> LiveBalls:
        """The balls as they are now: `balls[3]`, `balls["cue"]`, or one by one. What it gives stays with its ball."""
        return LiveBalls(self)

    def __len__(self) -> int:
        """How many balls there are."""
        return len(self._run.scene.balls)

    def __bool__(self) -> bool:
        """True, also without balls."""
        return True

    @property
    def positions(self) -> Floats:
        """Where the balls are, m: an array of N rows, to be read only; `change` moves a ball."""
        return shown_only(self._solver.places(self._run.time)[:, : self._run.scene.dimension], "positions")

    @property
    def velocities(self) -> Floats:
        """How fast they are, m/s: an array of N rows, to be read only; `change` gives a ball another velocity."""
        return shown_only(self._solver.velocities(self._run.time)[:, : self._run.scene.dimension], "velocities")

    @property
    def forces(self) -> Floats:
        """On the balls, N: an array of N rows. What they bear at contacts is not in it."""
        accelerations = self._solver.accelerations(self._run.time)[:, : self._run.scene.dimension]
        return shown_only(self._run.scene.balls.mass[:, None] * accelerations, "forces")

    @property
    def masses(self) -> Floats:
        """Of each ball, kg."""
        return shown_only(self._run.scene.balls.mass, "masses")

    @property
    def radii(self) -> Floats:
        """Of each ball, m."""
        return shown_only(self._run.scene.balls.radius, "radii")

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many times each ball has gone round each periodic axis; places unwrapped are positions + turns × size."""
        return shown_only(self._solver.turns[:, : self._run.scene.dimension].copy(), "turns")

    @property
    def kinetic_energy(self) -> float:
        """Of all balls that are born, J."""
        return float(0.5 * (self._masses_there * (self.velocities**2).sum(axis=1)).sum())

    @property
    def potential_energy(self) -> float:
        """Of all forces, J; that of gravity is zero at the origin of coordinates (fixed balls left out)."""
        return float(sum(self._solver.potential(self._run.time).values()))

    @property
    def energy(self) -> float:
        """Kinetic and potential, J."""
        return self.kinetic_energy + self.potential_energy

    @property
    def momentum(self) -> Floats:
        """Of all balls that are born, kg m/s."""
        return shown_only((self._masses_there[:, None] * self.velocities).sum(axis=0), "momentum")

    @property
    def _masses_there(self) -> Floats:
        """Masses, kg; 0 of those that are not born yet."""
        masses = self._run.scene.balls.mass
        return np.where(self._solver.born, masses, 0.0) if self._run.scene.balls.born.any() else masses

    @property
    def upcoming(self) -> list[Collision]:
        """The next collision, with all that fall together with it, as if each came first; empty if there is none."""
        return self._collector.upcoming()

    @property
    def resting(self) -> tuple[int, ...]:
        """The balls that rest: on a wall, or in steps, all that do not move at all."""
        return self._solver.resting

    @property
    def report(self) -> Report:
        """Who rests, and what the contact time has done."""
        return Report(self.resting, self._solver.softened, self._solver.contact_time)

    def wall_name(self, wall: int) -> str:
        """What a wall is called that `collide` gives by its number."""
        return self._solver.wall_name(wall)

    def look(self) -> tuple[Floats, Floats]:
        """Positions and velocities together, which is faster than one after the other."""
        x, v = self._solver.look(self.time)
        d = self.scene.dimension
        return x[:, :d], v[:, :d]

    @property
    def unborn(self) -> NDArray[np.bool_] | None:
        """Which balls are not born yet; None if all are born from the start."""
        return ~self._solver.born if self.scene.balls.born.any() else None

    @property
    def identities(self) -> Identities:
        """Which ball is which: for `balls`."""
        return self._run.identities

    @property
    def _solver(self) -> Solver:
        return self._run.solver

    # Editing.

    add = handed("_editor", Editor.add)
    remove = handed("_editor", Editor.remove)
    change = handed("_editor", Editor.change)
    change_balls = handed("_editor", Editor.change_balls)
    change_scene = handed("_editor", Editor.change_scene)
    change_walls = handed("_editor", Editor.change_walls)

    # Forces, hands and links, for which the solver must know forces.

    before_step = handed("_steering", Steering.before_step)
    prepared = handed("_steering", Steering.prepared)
    after_step = handed("_steering", Steering.after_step)
    change_force = handed("_steering", Steering.change_force)  # type: ignore[arg-type]  # `values` may have any names
    pull = handed("_steering", Steering.pull)
    drive = handed("_steering", Steering.drive)
    release = handed("_steering", Steering.release)
    push = handed("_steering", Steering.push)
    link = handed("_steering", Steering.link)
    unlink = handed("_steering", Steering.unlink)

    @property
    def held(self) -> frozenset[int]:
        """The numbers of the balls that are pulled or driven."""
        return self._steering.held

    @property
    def links(self) -> Links:
        """The links that have not broken."""
        return self._run.surviving.links

    @property
    def height(self) -> float:
        """How high what is linked has been built, m: the score of a tower. Against gravity, else along y; 0 if nothing.

        From the lowest to the highest ball that has a link.
        """
        return built_height(self.scene, self.links, self._run.motion.places)

    @property
    def account(self) -> Account:
        """Energies: kinetic, stored by each force, lost in each way, and the integrator's own error.

        At the end of the last step: what is lost within a step is not known before.
        """
        solver = steerable(self._solver, "account")
        return solver.account(solver.time)

    @property
    def method(self) -> Method:
        """The step, the integrator, and how balls meet."""
        return steerable(self._solver, "method").method

    @property
    def custom_forces(self) -> tuple[Force, ...]:
        """The custom forces, with the present values of their parameters."""
        return steerable(self._solver, "custom_forces").extra if self._solver.card.has_forces else ()

    # How it is shown.

    def __repr__(self) -> str:
        name = f" of {self.scene.name}" if self.scene.name else ""
        balls = f"{len(self)} ball{'' if len(self) == 1 else 's'} in {self.scene.dimension}D"
        met = f"{self.collisions} collision{'' if self.collisions == 1 else 's'}"
        return f"<Simulation{name}: {balls}, {self.solver}, t = {self.time:.6g} s, {met}>"

    def __setattr__(self, name: str, value: Any) -> None:
        check_settable(type(self), name)
        super().__setattr__(name, value)

    def _repr_svg_(self) -> str | None:
        """How a notebook shows it: a picture to scale, unless there are too many balls for one."""
        return draw(self, scale="fit") if len(self.scene.balls) <= MOST_BALLS else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:  # noqa: ARG002  # as notebooks call it
        """How a notebook shows it: a live widget where one can be, and always a picture."""
        notebook: Any = import_module("carom.notebook")  # a later stage, known by name alone
        return notebook.bundle(self)
