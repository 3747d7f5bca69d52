"""Prefetching: what an event will read is fetched from memory before it is needed."""

from typing import Any

from carom.kernels.jit import Index, inline, prefetch, select
from carom.solvers.exact.kinds import BALL, partner_kind
from carom.solvers.exact.neighbours import interface


@inline
def fetch(bodies: Any, rules: Any, hood: Any, i: Index) -> None:
    """Fetch what an event of ball i reads first."""
    prefetch(bodies.balls, i, 0)
    prefetch(bodies.balls, i, 64)
    if rules.contact.time > 0.0:
        prefetch(bodies.streak, i, 0)
    interface.warm(hood, bodies.balls, i, 0, False)


@inline
def fetch_both(bodies: Any, rules: Any, hood: Any, i: Index, ball: Any) -> None:
    """Fetch what the next event of `ball`, which is ball i, reads first of it and of its partner."""
    fetch(bodies, rules, hood, i)
    fetch(bodies, rules, hood, partner_of(ball, i))


@inline
def partner_of(ball: Any, i: Index) -> Index:
    """The ball that ball i will touch, or ball i itself if it will touch no ball."""
    return select(partner_kind(ball) == BALL, ball.partner, i)
