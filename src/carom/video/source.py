"""Sources of the frames of a film: a recording, or a simulation that runs meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from carom.errors import CaromError
from carom.observe.frame import Frame
from carom.scene import Scene

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation

MAX_COUNT = 1e15
"""A number of pictures beyond every limit, which a float holds exactly."""
ROUNDING = 1e-9
"""Times that differ by less than this part of the run are equal."""


class FrameSource(Protocol):
    """A run whose frames are read in the order of time."""

    @property
    def scene(self) -> Scene:
        """The scene at the last frame."""

    @property
    def start(self) -> float:
        """The time of the first frame, s."""

    @property
    def end(self) -> float | None:
        """The time of the last frame, s; None if the run has no end."""

    def frame(self, time: float) -> Frame:
        """The frame at a time, s."""


class RecordingSource:
    """Frames of a recording: rebuilt exactly if the file has its history, else the nearest stored frame."""

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
        """The frame at a time, s."""
        if self.exact:
            found: Frame = self.recording.at(min(max(time, self.start), self.end or 0.0))
            return found
        k = int(np.searchsorted(self.times, time))
        if k == len(self.times) or (k and time - self.times[k - 1] < self.times[k] - time):
            k -= 1
        self._update_radii(k)
        stored: Frame = self.recording[k]
        return stored

    def _update_radii(self, k: int) -> None:
        """Set the radii of the balls at a frame: mergers change them."""
        attraction = self.recording.scene.attraction
        if attraction is None or attraction.touch != "merge":
            return
        _, radii = self.recording.bulk(k)
        radii = np.where(np.isnan(radii), self.recording.radii, radii)
        if not np.array_equal(radii, self.scene.balls.radius):
            self.scene = self.scene.replace(balls=self.scene.balls.replace(radius=radii))

    @property
    def apart(self) -> float:
        """Time between stored frames, s; 0 if any instant can be rebuilt."""
        return 0.0 if self.exact or len(self.times) < 2 else float(np.median(np.diff(self.times)))


class SimulationSource:
    """Frames of a simulation, which is advanced to each of them."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.scene = simulation.scene
        self._seen = (simulation.scene, len(simulation.scene.links))
        self.start = simulation.time
        self.end: float | None = None
        self.on_progress: Callable[[float], object] | None = None
        """Is called during a run to the next frame with the time in the run, s."""

    def frame(self, time: float) -> Frame:
        """The frame at a time, s, not before the last one."""
        simulation, on_progress = self.simulation, self.on_progress
        if time > simulation.time:
            simulation.run(until=time, progress=on_progress and (lambda _: on_progress(simulation.time)))
        if time < simulation.time - ROUNDING * max(abs(time), 1e-300):
            raise CaromError(f"{time:g} s is past: the run is at {simulation.time:g} s. Record it to look back.")
        self._update_scene()
        places, velocities = np.array(simulation.positions), np.array(simulation.velocities)
        unborn = self.scene.balls.born > simulation.time
        places[unborn], velocities[unborn] = np.nan, np.nan
        return Frame(simulation.time, places, velocities, simulation.turns)

    def _update_scene(self) -> None:
        """Update the scene if links have broken or balls have merged."""
        scene, links = self.simulation.scene, self.simulation.links
        if scene is not self._seen[0] or len(links) != self._seen[1]:
            self._seen = (scene, len(links))
            self.scene = scene if len(links) == len(scene.links) else scene.replace(links=links)


def film_times(start: float, end: float, step: float) -> Iterator[float]:
    """The times of the frames of a film: start, start + step, ... up to the end."""
    for k in range(film_length(start, end, step)):
        yield start + k * step


def film_length(start: float, end: float, step: float) -> int:
    """The number of pictures of a film: at least one."""
    steps = (end - start) / step if step > 0.0 else np.inf
    return int(np.floor(min(steps, MAX_COUNT) * (1.0 + ROUNDING) + ROUNDING)) + 1
