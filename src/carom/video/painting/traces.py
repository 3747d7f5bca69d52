"""Traces of balls: a bounded memory of their latest places."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from carom.observe.frame import Frame
from carom.scene import Scene
from carom.video.source import FrameSource

Floats = NDArray[np.float64]

MAX_ALL_TRACED, MAX_TRACED = 20, 400
"""Largest number of balls that all leave traces; with more, only named ones, if any. Largest number of traces."""
MIN_POINTS, MAX_POINTS, MAX_TOTAL_POINTS = 48, 240, 24_000
"""Limits for the points of a trace, and of all traces together."""


class Traces:
    """Stores the places of balls over the last `length` seconds."""

    def __init__(self, scene: Scene, length: float) -> None:
        self.length = length
        self.count = len(self.traced_balls(scene))
        points = min(max(MAX_TOTAL_POINTS // max(self.count, 1), MIN_POINTS), MAX_POINTS)
        self.step = length / points
        self.last = -np.inf
        self.kept: deque[tuple[float, Floats]] = deque()
        box = scene.boundary.box
        pairs = () if box is None else zip(box.size, box.periodic, strict=True)
        self.jump = min((size / 2.0 for size, joined in pairs if joined), default=np.inf)

    def traced_balls(self, scene: Scene) -> NDArray[np.intp]:
        """Numbers of the balls that leave traces."""
        named = np.flatnonzero([bool(name) for name in scene.balls.name or ()])
        everybody = np.arange(len(scene.balls))
        return (named if len(everybody) > MAX_ALL_TRACED and len(named) else everybody)[:MAX_TRACED]

    def follow(self, source: FrameSource, until: float) -> None:
        """Read frames between the last picture and the next, often enough for smooth traces."""
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
        places = frame.positions[self.traced_balls(scene)]
        if self.kept and len(self.kept[-1][1]) != len(places):
            self.kept.clear()  # balls have merged: rows belong to other balls now
        self.kept.append((frame.time, places))
        self.last = frame.time

    def ways(self, scene: Scene, frame: Frame) -> tuple[Floats, Floats]:
        """Places (instants, balls, d) up to a frame, and their ages, from 1 (oldest) to 0."""
        now = frame.positions[self.traced_balls(scene)]
        kept = [(time, place) for time, place in self.kept if len(place) == len(now)]
        times = np.array([*(time for time, _ in kept), frame.time])
        places = np.stack([*(place for _, place in kept), now])
        return places, (frame.time - times) / (self.length or 1.0)
