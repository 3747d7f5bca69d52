"""Commands of running: run, pause, speed, going to instants."""

from __future__ import annotations

from typing import Any

from carom.errors import Problem
from carom.lab.bench.session import Does, Session
from carom.lab.commands.arguments import number, refusal
from carom.solvers.registry import CARDS

SLOWEST, FASTEST = 0.01, 100.0
SPEEDS = (*(float(f"{digit}e{power}") for power in range(-2, 2) for digit in (1, 2, 5)), FASTEST)
FRAME = 1.0 / 60.0


def run(session: Session) -> None:
    """Run."""
    session.running = True
    session.rate = 1.0


def pause(session: Session) -> None:
    """Pause."""
    session.running, session.hunting = False, None


def toggle(session: Session) -> None:
    """Run or pause; end the search for the next collision."""
    (pause if session.running or session.hunting is not None else run)(session)


def step(session: Session) -> None:
    """Advance by one step, or by 1/60 s of wall-clock time."""
    session.settle()
    session.running = False
    track = session.track
    steps = CARDS[track.sim.solver].has_steps
    goal = track.time + (track.sim.method.step if steps else FRAME * session.pace)
    track.toward(goal, asked=session.cancelled)
    for each in session.beside:
        each.toward(track.time, 1.0)
    session.recount()


def collision(session: Session) -> None:
    """Go to the next collision; does nothing if the search is already running."""
    if session.hunting is not None:
        return
    session.settle()
    session.hunt()


def collision_back(session: Session) -> None:
    """Go back to the last collision before now."""
    session.running = False
    now = session.track.time if session.goal is None else session.goal
    log = session.track.log
    found = log.before(now)
    if found is None and log.oldest < now:
        session.say("info", Problem("log.too-many"))
        return
    if found is None:
        session.scrub(0.0)
        session.say("info", Problem("log.at-start"))
        return
    session.scrub(found)


def speed(session: Session, factor: Any) -> None:
    """Set the speed, in units of the pace."""
    value = number("factor", factor)
    if not SLOWEST <= value <= FASTEST:
        raise refusal("range.from-to", where="factor", value=value, low=SLOWEST, high=FASTEST)
    session.speed = value


def faster(session: Session) -> None:
    """Increase the speed to the next of 1, 2, 5, 10 and so on."""
    session.speed = min((each for each in SPEEDS if each > session.speed * 1.0001), default=FASTEST)


def slower(session: Session) -> None:
    """The one before."""
    session.speed = max((each for each in SPEEDS if each < session.speed * 0.9999), default=SLOWEST)


def scrub(session: Session, time: Any) -> None:
    """Go to an instant of the past."""
    session.scrub(number("time", time))


def to_end(session: Session) -> None:
    """Go to the end of the run so far."""
    session.scrub(session.track.end)


def hold(session: Session) -> None:
    """Hold the run while a person aims."""
    session.held = True


def unhold(session: Session) -> None:
    """Go on."""
    session.held = False


def cancel(session: Session) -> None:
    """Cancel what is being done, and pause."""
    session.running, session.goal, session.hunting = False, None, None


DOES: Does = {
    "run": run,
    "pause": pause,
    "toggle": toggle,
    "step": step,
    "collision": collision,
    "collision-back": collision_back,
    "speed": speed,
    "faster": faster,
    "slower": slower,
    "scrub": scrub,
    "to-end": to_end,
    "hold": hold,
    "unhold": unhold,
    "cancel": cancel,
}
