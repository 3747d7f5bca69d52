"""The hot records of the exact solver: one for a ball, one for a wall, one for the clock.

A ball's record is two cache lines. The first is its anchor (all that predicting a contact with it needs); the second
is its next event.
"""

import numpy as np

ball_record = np.dtype(
    [
        # In pairs as they are read (`lanes.columns`), the last one in space only.
        ("x", "f8"), ("y", "f8"),  # place at the anchor, m
        ("vx", "f8"), ("vy", "f8"),  # velocity just after it, m/s
        ("t", "f8"),  # time of the anchor, s after the origin
        ("r", "f8"),  # radius, m
        ("z", "f8"), ("vz", "f8"),  # the third components
        ("te", "f8"),  # time of the next event of any sort: the key in the calendar
        ("tc", "f8"),  # time of the next contact
        ("m", "f8"),  # mass, kg
        ("hit", "f8"),  # time of the last collision
        ("partner", "u4"),  # whom it will touch: a ball or a wall
        ("planned", "u4"),  # the last event of the epoch when that was predicted: later moves of the partner undo it
        ("moved", "u4"),  # the event of the epoch that last moved the anchor
        ("id", "u4"),  # the ball's number in the scene
        ("cx", "i4"), ("cy", "i4"), ("cz", "i4"),  # the cell it is filed in
        ("material", "u1"),
        ("kind", "u1"),  # the kind of that contact, and the image of the ball that it is with (`kinds.packed`)
        ("exit", "u1"),
        ("rest", "u1"),  # 1 while the ball rests on a wall
    ]
)  # fmt: skip

# The solver's scalars; one record, passed by reference.
clock_record = np.dtype(
    [
        ("now", "f8"),  # time of the last event looked at, s after the origin
        ("base", "f8"), ("width", "f8"), ("rate", "f8"),  # calendar: start of the year, width of a bucket, its inverse
        ("span", "f8"),  # the number of buckets, as a float
        ("bucket", "i8"), ("buckets", "i8"),  # the current bucket, and how many there are
        ("heap", "i8"),  # entries in the heap of the current bucket
        ("free", "u4"), ("free_cell", "u4"),  # heads of the lists of free blocks
        ("waiting", "i8"), ("soonest", "i8"),  # entries that have waited to be filed; a bucket that none is before
        ("pool", "i8"),  # how much of the pool of neighbour lists is used
        ("looked", "i8"), ("turned", "i8"),  # entries looked at since the last turn; turns
        ("events", "i8"),  # anchors moved since the epoch began
        ("epoch", "i8"),  # how many make an epoch
        ("epoch_end", "f8"),  # an epoch also ends at this time, s, once it has had a 64th of these
        ("ball_ball", "i8"), ("ball_wall", "i8"), ("seams", "i8"), ("rests", "i8"), ("softened", "i8"),
        ("still", "i8"),  # events in a row that found time standing still
        ("chore", "f8"), ("chores", "i8"),  # time of the last renewal of a neighbourhood; renewals in a row at it
        ("idle", "i8"),  # seams crossed in a row without a collision
        ("crowded", "i8"),  # 1: the neighbourhood is to be built anew
        ("quota", "i8"),  # collisions still to be done
        ("left", "i8"),  # entries still to be looked at before the run pauses
        ("logged", "i8"),  # collisions written down
        ("noted", "i8"),  # events written down for a history; -1 when nobody remembers
        ("culprit_a", "u4"), ("culprit_b", "u4"),  # who is to blame when the run stops with an error
    ]
)  # fmt: skip
