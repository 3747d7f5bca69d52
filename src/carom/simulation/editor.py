"""Apply edits to a live run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Ball, Balls, Restitution, Scene
from carom.scene.fields.changes import BallChanges, BallsChanges, SurroundingsChanges
from carom.simulation import edit
from carom.simulation.live_balls import BallIndex, numbers_of
from carom.simulation.run import ActiveRun


class Editor:
    """Edits a run; balls that an edit does not name keep their motion to the last bit."""

    def __init__(self, run: ActiveRun) -> None:
        self._run = run

    def add(self, balls: Ball | Balls | Sequence[Ball | Balls]) -> range:
        """Add balls from now on; returns their numbers."""
        count = len(self._run.scene.balls)
        self.apply(edit.addition(self._run.surviving, balls))
        return range(count, len(self._run.scene.balls))

    def remove(self, indices: BallIndex | Sequence[BallIndex]) -> None:
        """Remove balls; the numbers of later balls decrease. Handles from `balls` stay with their balls."""
        self.apply(edit.removal(self._run.surviving, numbers_of(self._run, indices)))

    def change(self, index: BallIndex, **changes: Unpack[BallChanges]) -> None:
        """Change a ball from now on: position, velocity, mass, radius, material, fixed or name.

        `index` is its number, its name, or a handle from `balls`.
        """
        run = self._run
        self.apply(edit.ball_change(run.surviving, run.number(index), run.motion, dict(changes)))

    def change_balls(self, indices: Sequence[BallIndex], **columns: Unpack[BallsChanges]) -> None:
        """Change several balls at once: only the result must be free of overlaps.

        The columns are those of `Balls`; each is one value for all, or one per ball in the order of the indices.
        """
        run = self._run
        self.apply(edit.balls_change(run.surviving, numbers_of(run, indices), run.motion, dict(columns)))

    def change_scene(self, **changes: Unpack[SurroundingsChanges]) -> None:
        """Change anything but balls from now on: boundary, obstacles, gravity, friction, links and so on."""
        self.apply(edit.scene_change(self._run.surviving, dict(changes)))

    def change_walls(self, restitution: float | Restitution | None = None, material: Any = None) -> None:
        """Change the restitution or the material of the walls from now on."""
        self.apply(edit.wall_change(self._run.surviving, restitution, material))

    def merge(self, pairs: NDArray[np.intp]) -> None:
        """Merge the balls of each pair into one."""
        self.apply(*edit.merger(self._run.surviving, pairs, self._run.motion))

    def apply(self, change: edit.Edit, left: NDArray[np.intp] | None = None) -> None:
        """Apply an edit, or change nothing if the new scene is invalid.

        left  for a merger: the balls that remain, by their numbers before; None for an edit by the user.
        """
        run = self._run
        run.check_between_steps("an edit")
        self._check_recordable(change, merger=left is not None)
        has_steps = run.solver.card.has_steps
        scene = change.checked_scene(run.motion, run.surviving if has_steps else None)
        follower, by_user = run.follower, left is None
        stay = self._rows_before(change) if left is None else left
        solver = run.solver.edited(change.scene, change.origin, run.time, around=change.around)
        try:
            run.solver, run.scene, run.identities = solver, scene, run.identities.after(stay)
            if follower is not None:
                follower.keep_only(stay)
                if by_user and not solver.card.keeps_history:
                    follower.note_edit()  # repeating the run from its start would not reproduce this edit
        except BaseException:
            if follower is not None:
                follower.invalidate()
            raise

    def _check_recordable(self, change: edit.Edit, *, merger: bool) -> None:
        """Refuse an edit that the present recording cannot hold."""
        follower = self._run.follower
        if follower is None:
            return
        follower.sampler.check_row_count(len(change.origin))
        old, new = self._run.scene, change.scene
        changed = [name for name in ("attraction", "obstacles") if getattr(old, name) != getattr(new, name)]
        if _without_material(old) != _without_material(new):
            changed.append("boundary")
        if not merger:
            rows = self._rows_before(change)
            changed += ["mass"] if (old.balls.mass[rows] != new.balls.mass).any() else []
            changed += ["radius"] if (old.balls.radius[rows] != new.balls.radius).any() else []
        if changed:
            raise ArgumentError.of("record.no-change", where="record", changed=list(changed))

    def _rows_before(self, change: edit.Edit) -> NDArray[np.intp]:
        """The numbers before an edit, other than a merger, of the balls after it."""
        count = len(self._run.scene.balls)
        return np.arange(count) if len(change.origin) == count else change.origin


def _without_material(scene: Scene) -> Any:
    """The boundary with a default material, for comparisons of its shape."""
    wall: Any = scene.boundary
    return wall.replace(material="wall") if hasattr(wall, "material") else wall
