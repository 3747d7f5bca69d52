"""Sample views, and the golden frames that Python and the browser read: `python -m lab.samples` writes them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from carom.lab.seen.frames import frame
from carom.lab.seen.view import Companion, Meters, Solving, View
from carom.scene import library

GOLDEN = Path(__file__).with_name("frames.bin")
MEANING = Path(__file__).with_name("frames.json")


def view(**changes: Any) -> View:
    """The view of a paused bench with two balls; `changes` replace its fields."""
    plain: dict[str, Any] = {
        "epoch": 1,
        "scene": library.load("empty"),
        "entry": "empty",
        "time": 0.0,
        "end": 0.0,
        "running": False,
        "held": False,
        "speed": 1.0,
        "pace": 1.0,
        "arrow_time": 0.5,
        "rate": 1.0,
        "working": None,
        "positions": np.array([[0.25, -0.5], [1.5, 2.0]]),
        "velocities": np.array([[1.0, 0.0], [0.0, -2.0]]),
        "forces": None,
        "born": None,
        "selected": (),
        "marks": (),
        "companions": (),
        "meters": Meters(),
        "inspector": None,
        "solving": Solving("exact", "auto"),
        "steering": "place",
        "can_undo": None,
        "can_redo": None,
        "message": None,
        "collision_times": (),
        "seq": 0,
    }
    return View(**(plain | changes))


def golden() -> list[bytes]:
    """One frame of each kind: plain, with everything in 2D, in 3D with a ball not born yet, and empty."""
    rich = view(
        epoch=7,
        time=1.25,
        end=2.5,
        running=True,
        rate=0.5,
        seq=42,
        forces=np.array([[0.0, -9.75], [3.5, 0.125]]),
        marks=(0, 1),
        companions=(
            Companion("euler", np.array([[0.5, -0.5], [1.5, 2.25]]), 1.0, 0.0),
            Companion("verlet", np.array([[0.25, -0.25], [1.75, 2.0]]), 1.0, 0.0),
        ),
    )
    solid = view(
        epoch=4294967295,
        time=-1e-9,
        end=-1e-9,
        held=True,
        positions=np.array([[1.0e9 + 0.5, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
        velocities=np.array([[0.5, 0.25, 0.125], [0.0, 0.0, 0.0], [-1.0, -2.0, -3.0]]),
        born=np.array([True, False, True]),
        marks=(2,),
    )
    none = view(epoch=3, positions=np.zeros((0, 2)), velocities=np.zeros((0, 2)), seq=4294967295)
    return [
        frame(view(), 1, (0.0, 0.0)),
        frame(rich, 2, (0.25, -0.5), velocities=True, forces=True),
        frame(solid, 3, (1.0e9, 0.0, 0.0), velocities=True, forces=True),
        frame(none, 4294967295, (0.0, 0.0)),
    ]


def meaning() -> list[dict[str, Any]]:
    """The golden frames decoded by independent code, in the terms of docs/lab.md; null is NaN."""
    from lab.reading import read_frame  # noqa: PLC0415  # it reads what this module writes

    said, offset = [], 0
    for data in golden():
        said.append({"offset": offset, "length": len(data), **read_frame(data)})
        offset += len(data)
    return said


if __name__ == "__main__":
    GOLDEN.write_bytes(b"".join(golden()))
    MEANING.write_text(json.dumps(meaning(), indent=1) + "\n", encoding="utf-8", newline="\n")
