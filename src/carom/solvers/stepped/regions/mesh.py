"""How fine the mesh of a cloth is beside what it may lie on, and the feelers that it needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.errors import StepWarning
from carom.scene import Scene
from carom.solvers.stepped.regions.feelers import Feelers
from carom.thread_warnings import warn_caller

MOST = 6
"""Pieces into which feelers cut an edge of the mesh, at most: with 25 feelers a triangle."""


def feelers_of(scene: Scene, row: NDArray[np.intp]) -> Feelers | tuple[()]:
    """The feelers that the cloth of a scene needs; empty where no obstacle is narrower than its mesh."""
    widths = [obstacle.half_width for obstacle in scene.obstacles]
    if not len(scene.triangles) or not widths:
        return ()
    pieces = np.clip(np.ceil(longest_edges(scene) / min(widths)), 1, MOST).astype(int)
    places: dict[tuple[tuple[int, float], ...], None] = {}  # in their order, each once: an edge has two triangles
    for corners, many in zip(scene.triangles.tolist(), pieces.tolist(), strict=True):
        for i in range(many + 1):
            for j in range(many + 1 - i):
                parts = (i, j, many - i - j)
                if max(parts) < many:  # the corners feel by themselves
                    weighed = [(corner, part / many) for corner, part in zip(corners, parts, strict=True) if part]
                    places[tuple(sorted(weighed))] = None
    if not places:
        return ()
    corners = np.array([[row[corner] for corner, _ in (*place, place[0])[:3]] for place in places], np.uint32)
    shares = np.array([[share for _, share in (*place, (0, 0.0))[:3]] for place in places])
    return Feelers(corners, shares, start=np.zeros((len(scene.balls), 4)))


def longest_edges(scene: Scene) -> NDArray[np.float64]:
    """The longest edge of each triangle, m: the length of the link there without force, or as it is now."""
    a, b = scene.triangles, np.roll(scene.triangles, -1, axis=1)
    now = np.linalg.norm(scene.balls.position[a] - scene.balls.position[b], axis=2)
    lengths = {
        (min(i, j), max(i, j)): length
        for (i, j), length in zip(scene.links.between.tolist(), scene.links.length.tolist(), strict=True)
    }
    edges = zip(a.ravel().tolist(), b.ravel().tolist(), now.ravel().tolist(), strict=True)
    rest = [lengths.get((min(i, j), max(i, j)), length) for i, j, length in edges]
    longest: NDArray[np.float64] = np.array(rest).reshape(-1, 3).max(axis=1)
    return longest


def warn_if_coarse(scene: Scene) -> None:
    """Say so beforehand if an obstacle is so narrow that it may slip through the mesh of a cloth."""
    if not len(scene.triangles):
        return
    mesh = float(longest_edges(scene).max())
    for k, obstacle in enumerate(scene.obstacles):
        width = obstacle.half_width
        if mesh > MOST * width:
            message = (
                f"obstacles[{k}]: {2.0 * width:.3g} m wide is narrow beside the mesh of the cloth, {mesh:.3g} m, and "
                f"may slip through it. Use {2.0 * mesh / MOST:.3g} m or more, or a cloth of more points."
            )
            warn_caller(message, StepWarning)
