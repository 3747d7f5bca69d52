"""The table of all commands of a bench, which browsers send and buttons and keys call."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Command:
    """A command. `undoable` if it changes the scene or the solver."""

    name: str
    arguments: tuple[str, ...] = ()
    """Names of arguments; those that end in ? are optional."""
    undoable: bool = False


CANCEL = "cancel"
"""The command that does not wait for earlier ones."""

COMMANDS = MappingProxyType(
    {
        command.name: command
        for command in (
            # Running.
            Command("run"),
            Command("pause"),
            Command("toggle"),
            Command("step"),  # the smallest advance that shows: one step, or 1/60 s of pace
            Command("collision"),  # on to the next collision
            Command("collision-back"),  # back to the last one before now, at its very instant; again, to the one before
            Command("speed", ("factor",)),  # 0.01 to 100
            Command("faster"),
            Command("slower"),
            Command(
                "restart", (), undoable=True
            ),  # to the start, with all edits of the start and the options of now; what came later is let go
            Command("scrub", ("time",)),  # to any instant of the past
            Command("to-end"),  # back to where the run has come
            Command("hold"),  # while aiming; released by launch or unhold
            Command("unhold"),
            Command(CANCEL),  # let go of what takes long, and of what waits for it; a compilation goes to its end
            # What exists. Numbers may come as text from a field; a wrong one names the field.
            Command("open", ("entry", "parameters?"), undoable=True),  # a scene of the library
            Command("load", ("text", "filename?"), undoable=True),  # a scene file, TOML or JSON
            Command("next-scene"),  # PageDown
            Command("previous-scene"),
            Command("clear", (), undoable=True),  # no balls, default options
            Command(
                "add", ("position?", "velocity?", "mass?", "radius?", "material?", "name?", "fixed?"), undoable=True
            ),
            Command("launch", ("position", "velocity", "radius?", "mass?"), undoable=True),
            Command("change", ("index", "field", "value"), undoable=True),  # field: x y z vx vy vz mass radius …
            Command("change-selected", ("field", "value"), undoable=True),
            Command(
                "nudge", ("field", "steps"), undoable=True
            ),  # the selected ones, by keys: x y z vx vy vz mass radius
            Command("move", ("by", "indices?"), undoable=True),
            Command("place", ("index", "position"), undoable=True),
            Command("throw", ("index", "velocity"), undoable=True),
            Command("duplicate", (), undoable=True),
            Command("remove", ("indices?",), undoable=True),
            Command(
                "drag-corner", ("shape", "corner", "position"), undoable=True
            ),  # shape: "boundary" or an obstacle's number
            Command("select", ("indices", "mode?")),  # mode: "only" (default), "add", "toggle"
            Command("select-next"),
            Command("select-previous"),
            Command("extend", ("steps",)),  # the next ball too, or the one before, with those that are selected
            Command("select-corner", ("steps",)),  # of a wall; arrow keys then move it
            Command("select-all"),
            Command("select-none"),
            Command("undo"),
            Command("redo"),
            # By the hand; in steps.
            Command("pull", ("index", "target")),
            Command("release", ("index?",)),
            Command("steer", ("direction",)),  # arrow keys in running scenes: a vector of -1, 0, 1; zero lets go
            Command("steering", ("mode",)),  # "place", "velocity" or "acceleration"
            Command("link", ("i", "j"), undoable=True),
            Command("build", ("position",), undoable=True),  # goo: a new point there, linked to those near it
            Command("unlink", ("i", "j"), undoable=True),
            Command("link-selected", (), undoable=True),  # each with the next, in the order of selecting
            Command("unlink-selected", (), undoable=True),
            # Options.
            Command("option", ("name", "value"), undoable=True),  # see options.py
            Command("solve", ("solver?", "integrator?", "step?", "contacts?"), undoable=True),
            Command("compare", ("names",)),  # companions: "exact", "euler", "verlet", …; an empty list ends it
        )
    }
)
"""By name."""
