"""Where balls have been: a bounded memory of their last places."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from carom.observe.frame import Frame
from carom.scene import Scene
from carom.video.source import Source

Floats = NDArray[np.float64]

CROWD, MOST_BALLS = 20, 400
"""In a crowd, those that have a name leave traces, if some have; and never more: nobody could follow them."""
FEWEST_POINTS, MOST_POINTS, ALL_POINTS = 48, 240, 24_000
"""Points of a trace, and of all together."""


class Traces:
    """Remembers the ways of balls over the last `length` seconds."""

    def __init__(self, scene: Scene, length: float) -> None:
        self.length = length
        self.count = len(self.whose(scene))
        points = min(max(ALL_POINTS // max(self.count, 1), FEWEST_POINTS), MOST_POINTS)
        self.step = length / points
        self.last = -np.inf
        self.kept: deque[tuple[float, Floats]] = deque()
        box = scene.boundary.box
        pairs = () if box is None else zip(box.size, box.periodic, strict=True)
        self.jump = min((size / 2.0 for size, joined in pairs if joined), default=np.inf)

    def whose(self, scene: Scene) -> NDArray[np.intp]:
        """The balls that leave traces."""
        named = np.flatnonzero([bool(name) for name in scene.balls.name or ()])
        everybody = np.arange(len(scene.balls))
        return (named if len(everybody) > CROWD and len(named) else everybody)[:MOST_BALLS]

    def follow(self, source: Source, until: float) -> None:
        """Look at the run between the last picture and the next, often enough for a smooth line."""
        if not self.length or not self.count:
            return
        time = max(until - self.length, source.start)
        if self.last >= time:
            time = self.last + self.step
        while time < until:
            frame = source.frame(time)
            self._keep(source.scene, frame)
            time += self.step
        while self.kept and self.kept[0][0] < until - self.length:
            self.kept.popleft()

    def _keep(self, scene: Scene, frame: Frame) -> None:
        if frame.time <= self.last:
            return
        places = frame.positions[self.whose(scene)]
        if self.kept and len(self.kept[-1][1]) != len(places):
            self.kept.clear()  # balls have merged: rows are others' now
        self.kept.append((frame.time, places))
        self.last = frame.time

    def ways(self, scene: Scene, frame: Frame) -> tuple[Floats, Floats]:
        """Places (instants, balls, d) up to a frame, and their ages, from 1 (oldest) to 0."""
        now = frame.positions[self.whose(scene)]
        kept = [(time, place) for time, place in self.kept if len(place) == len(now)]
        times = np.array([*(time for time, _ in kept), frame.time])
        places = np.stack([*(place for _, place in kept), now])
        return places, (frame.time - times) / (self.length or 1.0)
