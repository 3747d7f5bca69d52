"""The state of the stepped solver: rows for the bodies, and a record of its scalars.

place    x, y, z, radius                 m; z is 0 in two dimensions
velocity vx, vy, vz, 1/mass              m/s, 1/kg; 1/mass is 0 for what is held
accel    ax, ay, az, mass                m/s², kg

A row is 32 bytes: half a cache line, and one vector register.
"""

from typing import Final

import numpy as np

# Why the loop came back.
GO: Final = -1  # it goes on
DONE: Final = 0  # the steps are made
FULL: Final = 1  # the log of collisions has no room for another step
BLOWN: Final = 2  # a body flew off to infinity, or is nowhere
CROWDED: Final = 3  # the pile has more contacts than there is room for
FAILED: Final = 4  # a custom force raised an error: its step is not counted, and not to be used

NO_LIMIT: Final = 2**62  # of collisions, or of steps

clock_record = np.dtype(
    [
        ("begin", "f8"),  # the origin of time, s
        ("steps", "i8"),  # made since then
        ("begun", "i8"),  # 1 after the first step with the present method
        ("bodies", "i8"),  # born so far: the first rows of the arrays
        ("ball_ball", "i8"), ("ball_wall", "i8"), ("ball_cloth", "i8"),  # collisions
        ("broken", "i8"),  # links
        ("restitution", "f8"), ("friction", "f8"), ("contacts", "f8"),  # energy lost so far, J; the last in piles
        ("drag", "f8"), ("damping", "f8"), ("breaking", "f8"), ("merging", "f8"),
        ("work", "f8"),  # put in by hands, motors, what is driven, and births, J
        ("fastest", "f8"),  # the largest v² of the step before contacts, m²/s²
        ("logged", "i8"),  # collisions written down
        ("culprit", "i8"),  # the body that flew off
        ("fresh", "i8"),  # 1 when `accel` is that of the present places
    ]
)  # fmt: skip
