"""What an event will read, asked of memory before it is needed."""

from typing import Any

from carom.kernels.jit import Index, inline, prefetch, select
from carom.solvers.exact.kinds import BALL, partner_kind
from carom.solvers.exact.neighbours import interface


@inline
def fetch(hood: Any, balls: Any, streak: Any, lossy: bool, i: Index) -> None:
    """Fetch what an event of ball i reads first."""
    prefetch(balls, i, 0)
    prefetch(balls, i, 64)
    if lossy:
        prefetch(streak, i, 0)
    interface.warm(hood, balls, i, 0, False)


@inline
def fetch_both(hood: Any, balls: Any, streak: Any, lossy: bool, i: Index, ball: Any) -> None:
    """Fetch the same for ball i, whose event is at hand already, and for its partner."""
    fetch(hood, balls, streak, lossy, i)
    fetch(hood, balls, streak, lossy, partner_of(ball, i))


@inline
def partner_of(ball: Any, i: Index) -> Index:
    """The ball that ball i will touch, or ball i itself if it is none."""
    return select(partner_kind(ball) == BALL, ball.partner, i)
