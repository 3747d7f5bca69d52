"""The clock: one record of all numbers that change while kernels run."""

import numpy as np

clock_record = np.dtype(
    [
        ("now", "f8"),  # time of the last event looked at, s after the origin
        ("limit", "f8"),  # the run goes on up to this time (included), s after the origin
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
        ("afresh", "i8"),  # 1: the next events of all balls are to be predicted before the run goes on
        ("left", "i8"),  # entries still to be looked at before the run pauses
        ("logged", "i8"), ("told", "i8"),  # collisions written down; of these, so many with absolute times
        ("noted", "i8"),  # events written down for a history; -1 when nobody remembers
        ("culprit_a", "u4"), ("culprit_b", "u4"),  # who is to blame when the run stops with an error
    ]
)  # fmt: skip
