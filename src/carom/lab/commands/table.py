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
            Command("step"),  # one step, or 1/60 s of wall-clock time
            Command("collision"),  # go to the next collision
            Command("collision-back"),  # back to the instant of the last one before now
            Command("speed", ("factor",)),  # 0.01 to 100
            Command("faster"),
            Command("slower"),
            Command(
                "restart", (), undoable=True
            ),  # to the start, with its edits and the present options; what came later is dropped
            Command("scrub", ("time",)),  # go to any instant of the past
            Command("to-end"),  # go to the end of the run so far
            Command("hold"),  # while aiming; released by launch or unhold
            Command("unhold"),
            Command(CANCEL),  # stop long work and drop waiting commands; a compilation is finished
            # The scene. Numbers may be texts from a field; errors name the field.
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
            Command("extend", ("steps",)),  # add the next or previous ball to the selection
            Command("select-corner", ("steps",)),  # of a wall; arrow keys then move it
            Command("select-all"),
            Command("select-none"),
            Command("undo"),
            Command("redo"),
            # Interactive forces; they need a solver with forces.
            Command("pull", ("index", "target")),
            Command("release", ("index?",)),
            Command("steer", ("direction",)),  # arrow keys in running scenes: a vector of -1, 0, 1; zero releases
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
