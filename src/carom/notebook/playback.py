"""Plays a recording: any instant, forwards and backwards, at any speed."""

from __future__ import annotations

import time as clocks
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError
from carom.lab.commands.arguments import indices as numbers
from carom.lab.commands.arguments import number, refusal
from carom.lab.commands.running import FASTEST, FRAME, SLOWEST, SPEEDS
from carom.lab.seen.look import MAX_TICKS
from carom.lab.seen.samples import Sample, Samples
from carom.lab.seen.view import Inspector, Message, Meters, Solving, Upcoming, View
from carom.observe.collisions import KINDS
from carom.observe.frame import Frame
from carom.simulation.simulation import Simulation
from carom.solvers.collision_record import NOBODY
from carom.solvers.registry import CARDS
from carom.storage.recording import Recording
from carom.views import region

Floats = NDArray[np.float64]
Rows = NDArray[Any]

MAX_INDEXED = 2_000_000
"""Collisions whose times are in memory; later ones cannot be stepped through."""
COLLISIONS_PER_READ = 4096
"""Collisions that are read together."""
MAX_CHART_ROWS = 1_000_000
"""Rows of balls that are read for the chart."""
REFRESH_INTERVAL = 1.0
"""s between two refreshes of a file that is being written."""


class RecordingPlayer:
    """Plays a recording from its own open file."""

    def __init__(self, recording: Recording, clock: Callable[[], float] = clocks.monotonic) -> None:
        self.clock = clock
        self.recording = Recording(recording.path)
        if not len(self.recording):
            raise refusal("playback.no-frame-yet", where="recording", path=str(recording.path))
        self.running = False
        self.speed = 1.0
        self.pace = region.pace(self.recording.scene)
        self.arrow_time = region.arrow_time(self.recording.scene)
        self.selected: tuple[int, ...] = ()
        self.seq = self.said = 0
        self.message: Message | None = None
        self.refreshed = clock()
        self._block: tuple[int, Rows] | None = None
        self._shown: tuple[float, Frame] | None = None
        self._samples: Samples | None = None
        self._read_file()
        self.now = self.start

    # Time.

    def _read_file(self) -> None:
        """Read times and collisions of the file."""
        recording = self.recording
        self.start, self.end = recording.span
        found = recording.collisions
        self.count = None if found is None else len(found)
        self.collision_times: Floats = np.zeros(0)
        if self.count:
            self.collision_times = recording.column("carom/collisions/time")[: min(self.count, MAX_INDEXED)]
        self._block = None

    @property
    def busy(self) -> bool:
        """Is it running?"""
        return self.running

    def advance(self, seconds: float) -> None:
        """Advance by wall-clock time, s; at the end of the recording it stops, unless more is being written."""
        if not self.running:
            return
        whole = self.recording.complete
        if not whole and self.clock() - self.refreshed >= REFRESH_INTERVAL:
            self.refreshed = self.clock()
            self.recording.refresh()
            self._read_file()
        self.now = min(self.now + seconds * self.pace * self.speed, self.end)
        if self.now >= self.end and whole:
            self.running = False

    @property
    def exact(self) -> bool:
        """Can any instant be reconstructed, or only stored frames be shown?"""
        return self.recording.exact

    def _frame(self) -> Frame:
        """The frame that is shown: the instant itself, or the stored frame before it."""
        if self._shown is not None and self._shown[0] == self.now:
            return self._shown[1]
        recording = self.recording
        if self.exact:
            frame = recording.at(self.now)
        else:
            frame = recording[max(int(np.searchsorted(recording.times, self.now, side="right")) - 1, 0)]
        self._shown = (self.now, frame)
        return frame

    # Commands.

    def do(self, command: str, seq: int = 0, **arguments: Any) -> Message | None:
        """Do a command; return a message if it fails."""
        if seq:
            self.seq = seq
        try:
            DOES[command](self, **arguments)
        except (CaromError, TypeError) as error:
            self._say("error", str(error))
            return self.message
        return None

    def _say(self, kind: str, words: str) -> None:
        self.said += 1
        self.message = Message(kind, words, "", self.said)

    def run(self) -> None:
        """Start to play; from the beginning if it is at the end."""
        if self.now >= self.end and self.recording.complete:
            self.now = self.start
        self.running = True

    def pause(self) -> None:
        """Pause."""
        self.running = False

    def toggle(self) -> None:
        """Run or pause."""
        (self.pause if self.running else self.run)()

    def step(self) -> None:
        """Advance by 1/60 s of wall-clock time, or to the next stored frame."""
        self.running = False
        if self.exact:
            self.now = min(self.now + FRAME * self.pace, self.end)
            return
        times = self.recording.times
        self.now = float(times[min(int(np.searchsorted(times, self.now, side="right")), len(times) - 1)])

    def collision(self) -> None:
        """Go to the next collision."""
        self.running = False
        after = int(np.searchsorted(self.collision_times, self.now, side="right"))
        if after < len(self.collision_times):
            self.now = min(float(self.collision_times[after]), self.end)
        else:
            self._say("info", "no later collision is listed in this recording.")

    def collision_back(self) -> None:
        """Go back to the last collision before now."""
        self.running = False
        before = int(np.searchsorted(self.collision_times, self.now, side="left")) - 1
        self.now = max(float(self.collision_times[before]), self.start) if before >= 0 else self.start

    def hasten(self, factor: Any) -> None:
        """Set the playback speed."""
        value = number("factor", factor)
        if not SLOWEST <= value <= FASTEST:
            raise refusal("range.from-to", where="factor", value=value, low=SLOWEST, high=FASTEST)
        self.speed = value

    def faster(self) -> None:
        """Increase the speed to the next of 1, 2, 5, 10 and so on."""
        self.speed = min((each for each in SPEEDS if each > self.speed * 1.0001), default=FASTEST)

    def slower(self) -> None:
        """Decrease the speed to the previous of 1, 2, 5, 10 and so on."""
        self.speed = max((each for each in SPEEDS if each < self.speed * 0.9999), default=SLOWEST)

    def scrub(self, time: Any) -> None:
        """Go to an instant of the recording."""
        self.now = min(max(number("time", time), self.start), self.end)

    def to_start(self) -> None:
        """Go to the beginning."""
        self.now = self.start

    def to_end(self) -> None:
        """Go to the end."""
        self.now = self.end

    def select(self, indices: Any, mode: Any = "only") -> None:
        """Select balls: only these, or these in addition."""
        given = tuple(numbers("indices", indices, len(self.recording.masses)))
        before = self.selected if mode in {"add", "toggle"} else ()
        stay = tuple(k for k in before if k not in given)
        self.selected = (*stay, *(k for k in given if not (mode == "toggle" and k in before)))

    def walk(self, by: int) -> None:
        """Select the next or previous ball."""
        count = len(self.recording.masses)
        if count:
            here = self.selected[-1] if self.selected else (-1 if by > 0 else 0)
            self.selected = ((here + by) % count,)

    # Looking.

    def view(self, *, forces: bool = False) -> View:
        """What is shown; forces are not recorded."""
        del forces
        frame, recording = self._frame(), self.recording
        there = np.isfinite(frame.positions[:, 0])
        coming = self._upcoming(frame.time)
        return View(
            epoch=1, scene=recording.scene, entry="", time=frame.time, end=self.end,
            running=self.running, held=False, speed=self.speed, pace=self.pace, arrow_time=self.arrow_time,
            rate=1.0, working=None,
            positions=frame.positions, velocities=np.nan_to_num(frame.velocities), forces=None,
            born=None if there.all() else there,
            selected=self.selected,
            marks=tuple(dict.fromkeys(ball for each in coming for ball in each.partners)),
            companions=(), meters=self._meters(frame, coming), inspector=self._inspector(frame),
            solving=Solving(recording.solver, "auto"), steering="place", can_undo=None, can_redo=None,
            message=self.message, collision_times=self._ticks(), seq=self.seq,
        )  # fmt: skip

    def _ticks(self) -> tuple[float, ...]:
        """Times of collisions for the time line."""
        step = max(-(-len(self.collision_times) // MAX_TICKS), 1)
        return tuple(self.collision_times[::step].tolist())

    def _meters(self, frame: Frame, coming: tuple[Upcoming, ...]) -> Meters:
        kinetic, potential, momentum, motion = self._measured(frame)
        met = None if self.count is None else int(np.searchsorted(self.collision_times, frame.time, side="right"))
        unknown: Any = float("nan")  # becomes null in JSON
        return Meters(
            collisions=unknown if met is None or met == MAX_INDEXED else met,
            upcoming=coming, kinetic=kinetic, potential=potential, total=kinetic + potential, momentum=momentum,
            motion=motion,
        )  # fmt: skip

    def _measured(self, frame: Frame) -> tuple[float, float, tuple[float, ...], float]:
        """Kinetic energy, potential energy (NaN with forces other than gravity), momentum and Σ m |v|."""
        scene, masses = self.recording.scene, self.recording.masses
        there = np.isfinite(frame.positions[:, 0])
        mass, velocity = masses[there], frame.velocities[there]
        kinetic = float(0.5 * (mass * (velocity**2).sum(axis=1)).sum())
        potential = float("nan")
        if not CARDS[self.recording.solver].has_forces:
            falls = there & ~scene.balls.fixed
            potential = float(-(masses[falls] * (frame.positions[falls] @ np.array(scene.gravity))).sum())
        motion = float(mass @ np.linalg.norm(velocity, axis=1))
        return kinetic, potential, tuple((mass[:, None] * velocity).sum(axis=0).tolist()), motion

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """Energies and momentum at stored frames, as many as can be read quickly."""
        if self._samples is None:
            recording = self.recording
            most = max(MAX_CHART_ROWS // max(len(recording.masses), 1), 2)
            samples = Samples()
            for k in range(0, len(recording), max(-(-len(recording) // min(most, 1000)), 1)):
                frame = recording[k]
                kinetic, potential, momentum, motion = self._measured(frame)
                row = Sample(frame.time, kinetic, potential, kinetic + potential, momentum, (), motion)
                samples = samples.extended(row)
            self._samples = samples
        return self._samples.message(since)

    # Collisions.

    def _rows(self, block: int) -> Rows:
        """Collisions of a block and the adjacent ones."""
        if self._block is None or self._block[0] != block:
            found = self.recording.collisions
            first = max(block - 1, 0) * COLLISIONS_PER_READ
            rows = np.zeros(0) if found is None else found[first : (block + 2) * COLLISIONS_PER_READ]
            self._block = (block, rows)
        return self._block[1]

    def _around(self, time: float) -> tuple[Rows, Rows]:
        """Collisions shortly before or at a time, and shortly after it."""
        if not self.count:
            return np.zeros(0), np.zeros(0)
        rows = self._rows(int(np.searchsorted(self.collision_times, time, side="right")) // COLLISIONS_PER_READ)
        k = int(np.searchsorted(rows["time"], time, side="right")) if len(rows) else 0
        return rows[:k], rows[k:]

    def _upcoming(self, time: float) -> tuple[Upcoming, ...]:
        """The next collision, and all at the same time."""
        _, after = self._around(time)
        if not len(after):
            return ()
        together = after[after["time"] == after["time"][0]][:32]
        d = self.recording.dimension
        return tuple(
            Upcoming(
                float(row["time"]), KINDS[int(row["kind"])], _partners(row), None, tuple(row["place"][:d].tolist())
            )
            for row in together
        )

    def _inspector(self, frame: Frame) -> Inspector | None:
        if not self.selected:
            return None
        index, recording = self.selected[-1], self.recording
        ball = recording.scene.balls[index]
        velocity, mass = frame.velocities[index], float(recording.masses[index])
        before, after = self._around(frame.time)
        return Inspector(
            index=index,
            name=ball.name,
            position=tuple(frame.positions[index].tolist()),
            velocity=tuple(velocity.tolist()),
            speed=float(np.linalg.norm(velocity)),
            force=(),
            momentum=tuple((mass * velocity).tolist()),
            kinetic=float(0.5 * mass * velocity @ velocity),
            mass=mass,
            radius=float(recording.radii[index]),
            fixed=ball.fixed,
            material=ball.material,
            age=max(frame.time - ball.born, 0.0),
            last_collision=self._describe_collision(_of_ball(before, index)[-1:], index),
            next_collision=self._describe_collision(_of_ball(after, index)[:1], index),
        )

    def _describe_collision(self, rows: Rows, index: int) -> str | None:
        """Describe a collision of a ball without words of a language: its time and partner."""
        for row in rows:
            others = [str(ball) for ball in _partners(row) if ball != index]
            walls = self.recording.walls
            wall = walls[int(row["wall"])] if 0 <= int(row["wall"]) < len(walls) else "cloth"
            return f"{float(row['time']):.6g} s · {others[0] if others else wall}"
        return None

    # For the widget.

    def about(self) -> dict[str, Any]:
        """Metadata for the page."""
        return {"kind": "recording", "start": self.start, "exact": self.exact}

    def simulation(self) -> Simulation:
        """A simulation that continues from what is shown; for a stepped run, from the stored frame."""
        found: Simulation = self.recording.simulation(self._frame().time)
        return found

    def release(self) -> None:
        """Close the file."""
        self.running = False
        self.recording.close()


def _partners(row: Any) -> tuple[int, ...]:
    return tuple(int(ball) for ball in (row["a"], row["b"]) if ball != NOBODY)


def _of_ball(rows: Rows, ball: int) -> Rows:
    """The collisions of a ball."""
    if not len(rows):
        return rows
    found: Rows = rows[(rows["a"] == ball) | (rows["b"] == ball)]
    return found


DOES: dict[str, Callable[..., None]] = {
    "run": RecordingPlayer.run,
    "pause": RecordingPlayer.pause,
    "toggle": RecordingPlayer.toggle,
    "step": RecordingPlayer.step,
    "collision": RecordingPlayer.collision,
    "collision-back": RecordingPlayer.collision_back,
    "speed": RecordingPlayer.hasten,
    "faster": RecordingPlayer.faster,
    "slower": RecordingPlayer.slower,
    "scrub": RecordingPlayer.scrub,
    "to-start": RecordingPlayer.to_start,
    "to-end": RecordingPlayer.to_end,
    "select": RecordingPlayer.select,
    "select-next": lambda player: player.walk(1),
    "select-previous": lambda player: player.walk(-1),
    "select-none": lambda player: player.select([]),
}
