"""Steps of which two threads do a part together: the search for partners, or the sum of attraction over all pairs.

The bits are those of one thread: the order of pairs, and of sums, is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import NDArray

from carom.kernels.interrupts import defer_interrupts
from carom.solvers.stepped import build, loop
from carom.solvers.stepped.attraction import tree
from carom.solvers.stepped.attraction.direct import Direct
from carom.solvers.stepped.contacts import partners
from carom.solvers.stepped.records import DONE

if TYPE_CHECKING:
    from carom.solvers.stepped.contacts.partners import Pairs
    from carom.solvers.stepped.engine import Engine

Step = Callable[[ThreadPoolExecutor], int]

HEARING = 0.1
"""Seconds after which the thread that waits for others listens whether somebody pressed Ctrl-C."""


def shares_search(engine: Engine) -> bool:
    """Are there so many balls that two threads look for partners?"""
    return bool(engine.pairs and engine.pairs.other.size and not engine.pile_setup and not engine.hooks)


def shares_attraction(engine: Engine) -> bool:
    """Is the sum over all pairs long enough for two threads, asked for once per step, and is there a second core?"""
    pull = engine.forces.attraction
    once = engine.method.integrator.kind in ("verlet", "stormer") and not engine.pile_setup and not engine.hooks
    return bool(pull) and isinstance(pull, Direct) and pull.rest.size > 0 and once and build.CORES > 1


def search(engine: Engine, steps: int, goal: int, logs: NDArray[Any]) -> int:
    """Make steps in which two threads look for partners; gives why they ended."""
    return _run(engine, steps, goal, lambda threads: _search_once(engine, threads, goal, logs))


def attract(engine: Engine, steps: int, goal: int, logs: NDArray[Any]) -> int:
    """Make steps in which two threads sum up the attraction; gives why they ended."""
    return _run(engine, steps, goal, lambda threads: _attract_once(engine, threads, goal, logs))


def _run(engine: Engine, steps: int, goal: int, step: Step) -> int:
    """Make steps, each by a function.

    Another thread leads, and the first one listens: Ctrl-C stops the run after a whole step.
    """

    def lead() -> int:
        reason = DONE
        for _ in range(steps):
            reason = step(threads)
            if reason != DONE or engine.collisions >= goal or pending.received:
                break
        return reason

    with defer_interrupts() as pending, ThreadPoolExecutor(2) as threads:
        run = threads.submit(lead)
        while not wait([run], HEARING).done:
            pass
        return run.result()


def _search_once(engine: Engine, threads: ThreadPoolExecutor, goal: int, logs: NDArray[Any]) -> int:
    """A step in which two threads look for partners."""
    pairs, periods = cast("Pairs", engine.pairs), engine.forces.periods
    engine.make_steps(1, goal, logs, loop.PREPARE)
    n = int(engine.clock["bodies"][0])
    half, ready = n // 2, pairs.ready
    if n > 1:
        partners.sort_bodies(engine.dim, engine.method.step, engine.clock[0], engine.bodies, pairs)
        task = threads.submit(partners.search, engine.dim, half, n, periods, pairs, pairs.other)
        ready[[partners.FOUND, partners.UP_TO]] = partners.search(engine.dim, 0, half, periods, pairs, pairs.close)
        ready[[partners.FOUND_TOO, partners.UP_TO_TOO]] = task.result()
        ready[partners.HALF], ready[partners.SEARCHED] = half, 1
    return engine.make_steps(1, goal, logs, loop.FINISH)


def _attract_once(engine: Engine, threads: ThreadPoolExecutor, goal: int, logs: NDArray[Any]) -> int:
    """A step in which two threads sum up the attraction; one alone sums in two parts too."""
    pull = engine.forces.attraction
    engine.make_steps(1, goal, logs, loop.MEET)
    n = int(engine.clock["bodies"][0])
    full = tree.line_up(engine.dim, pull, engine.bodies.place, engine.bodies.accel, n)
    task = threads.submit(tree.sum_part, engine.dim, pull, full, True)
    tree.sum_part(engine.dim, pull, full, False)
    task.result()
    pull.ready[0] = 1
    return engine.make_steps(1, goal, logs, loop.PULL)
