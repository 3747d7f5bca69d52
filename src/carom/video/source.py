"""Where the instants of a film come from: a recording, or a scene that is run meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from carom.errors import CaromError
from carom.observe.frame import Frame
from carom.scene import Scene

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation

MANY = 1e15
"""More pictures than there can be."""
ROUNDING = 1e-9
"""Times that differ by less than this part of the run are the same."""


class Source(Protocol):
    """A run that can be looked at, in the order of time."""

    @property
    def scene(self) -> Scene:
        """What exists."""

    @property
    def start(self) -> float:
        """The first instant that can be seen, s."""

    @property
    def end(self) -> float | None:
        """The last one, s; None if the run goes on as long as one looks."""

    def frame(self, time: float) -> Frame:
        """An instant."""


class Recorded:
    """A recording: exact instants if the file has what is needed for them, else the stored frame that is nearest."""

    def __init__(self, recording: Any) -> None:
        self.recording = recording
        self.scene: Scene = recording.scene
        self.times = np.asarray(recording.times, dtype=np.float64)
        self.exact = bool(recording.exact)
        if not len(self.times):
            raise CaromError(f"{recording.path}: holds no frame yet. Look again later, or record longer.")
        self.start = float(self.times[0])
        self.end: float | None = float(recording.span[1] if self.exact else self.times[-1])

    def frame(self, time: float) -> Frame:
        """An instant."""
        if self.exact:
            found: Frame = self.recording.at(min(max(time, self.start), self.end or 0.0))
            return found
        k = int(np.searchsorted(self.times, time))
        if k == len(self.times) or (k and time - self.times[k - 1] < self.times[k] - time):
            k -= 1
        self._look_at_sizes(k)
        stored: Frame = self.recording[k]
        return stored

    def _look_at_sizes(self, k: int) -> None:
        """How large balls are at a frame: those that have merged with others are larger."""
        attraction = self.recording.scene.attraction
        if attraction is None or attraction.touch != "merge":
            return
        _, radii = self.recording.bulk(k)
        radii = np.where(np.isnan(radii), self.recording.radii, radii)
        if not np.array_equal(radii, self.scene.balls.radius):
            self.scene = self.scene.replace(balls=self.scene.balls.replace(radius=radii))

    @property
    def apart(self) -> float:
        """How far stored frames are apart, s, where nothing is known between them; 0 where any instant is."""
        return 0.0 if self.exact or len(self.times) < 2 else float(np.median(np.diff(self.times)))


class Running:
    """A simulation that is run on as one looks; it begins now, and has no past."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.scene = simulation.scene
        self._seen = (simulation.scene, len(simulation.scene.links))
        self.start = simulation.time
        self.end: float | None = None
        self.told: Callable[[float], object] | None = None
        """Is told now and then on the way to an instant which time it is in the run, s."""

    def frame(self, time: float) -> Frame:
        """An instant, not before the last one."""
        simulation, told = self.simulation, self.told
        if time > simulation.time:
            simulation.run(until=time, progress=told and (lambda _: told(simulation.time)))
        if time < simulation.time - ROUNDING * max(abs(time), 1e-300):
            raise CaromError(f"{time:g} s is past: the run is at {simulation.time:g} s. Record it to look back.")
        self._look_at_links()
        places, velocities = np.array(simulation.positions), np.array(simulation.velocities)
        unborn = self.scene.balls.born > simulation.time
        places[unborn], velocities[unborn] = np.nan, np.nan
        return Frame(simulation.time, places, velocities, simulation.turns)

    def _look_at_links(self) -> None:
        """What exists now: links may have broken, and balls merged."""
        scene, links = self.simulation.scene, self.simulation.links
        if scene is not self._seen[0] or len(links) != self._seen[1]:
            self._seen = (scene, len(links))
            self.scene = scene if len(links) == len(scene.links) else scene.replace(links=links)


def film_times(start: float, end: float, step: float) -> Iterator[float]:
    """The instants of a film: start, start + step, ... up to the end."""
    for k in range(film_length(start, end, step)):
        yield start + k * step


def film_length(start: float, end: float, step: float) -> int:
    """How many pictures a film has: at least one."""
    steps = (end - start) / step if step > 0.0 else np.inf
    return int(np.floor(min(steps, MANY) * (1.0 + ROUNDING) + ROUNDING)) + 1
