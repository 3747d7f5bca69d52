"""How long may a step be? The largest that is stable, and one that is sensible."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from carom.scene import Attraction, Scene
from carom.solvers.stepped.attraction.closest_approach import passage_time
from carom.solvers.stepped.integrators.amplification import bearable_oscillation, stable_damping
from carom.solvers.stepped.integrators.cards import INTEGRATORS, Integrator
from carom.solvers.stepped.rows import separation

Floats = NDArray[np.float64]
Grips = Mapping[int, tuple[float, float]]
"""The stiffness of the hand, N/m, and its damping, N s/m, by the number of the ball that it pulls."""
NOBODY: Grips = MappingProxyType({})

VERLET = INTEGRATORS["verlet"]
SPRINGS, SPEED, SHOWN, ATTRACTION, PASSAGE = "springs", "speed", "shown", "attraction", "passage"
"""What limits a step: springs and damping; small fast balls; a picture per frame; attraction now; a close approach."""
FRAME = 1.0 / 60.0  # s: where nothing asks for less, a step is a frame (Sphere Drop)
PER_PERIOD = 20.0  # steps in the fastest oscillation of springs
PER_ORBIT = 200.0  # steps in the fastest orbit
PER_PASSAGE = 100.0  # steps in which two bodies turn once about each other, as fast as where they will be nearest
CLOSEST = 1e4  # times shorter a closest approach may make a step: what comes closer, steps of one length cannot follow
PER_RADIUS = 10.0  # steps in which a ball of mean speed moves by its radius
PER_CROSSING = 20.0  # steps in which the fastest ball crosses a room, or the pull on a ball changes by all of itself
MANY = 3000  # bodies whose orbits are looked at, at most


def largest_stable_step(scene: Scene, hands: Grips = NOBODY, integrator: Integrator = VERLET) -> float:
    """A bound below the largest stable step, s: of velocity Verlet 2/ω of the fastest mode, less where it is damped.

    ω² is bounded by the rows of the matrix of accelerations (Gershgorin). Infinite where there are no springs. Hands
    that pull are springs too. Of an integrator with which every oscillation grows, it is the step with which one gains
    as much energy as it has in a period.
    """
    squares, rates = row_sums(scene)
    for ball, (stiffness, damping) in hands.items():
        w = 0.0 if scene.balls.fixed[ball] else 1.0 / scene.balls.mass[ball]
        squares[ball] += stiffness * w
        rates[ball] += damping * w
    fastest = float(squares.max(initial=0.0))
    damped = float(rates.max(initial=0.0))
    # Stable are the steps with (ω dt / z)² + γ dt / g ≤ 1, where z and g are the limits without damping and without
    # springs. Of Verlet, whose force is asked with v + a dt, z = 2 and g = 1 is the limit itself: a motion that turns
    # round in each step (x, v, a become -x, -v, -a) has v = 0, a dt² = -4 x, and so 4 = 4 γ dt + (ω dt)².
    squared = fastest / bearable_oscillation(integrator) ** 2
    rate = damped / stable_damping(integrator)
    bound = rate + math.sqrt(rate * rate + 4.0 * squared)
    return 2.0 / bound if bound > 0.0 else math.inf


def row_sums(scene: Scene) -> tuple[Floats, Floats]:
    """For each ball: the sum of |d a / d x| over all balls, 1/s², and of |d a / d v|, 1/s."""
    n = len(scene.balls)
    squares, rates = np.zeros(n), np.zeros(n)
    w = np.where(scene.balls.fixed, 0.0, 1.0 / scene.balls.mass)
    links = scene.links
    if len(links):
        for one, two in (links.between.T, links.between.T[::-1]):
            # The row of a ball in the matrix made symmetric by the masses: its own entry, and that of the other end.
            both = w[one] + np.sqrt(w[one] * w[two])
            np.add.at(squares, one, links.stiffness * both)
            np.add.at(rates, one, links.damping * both)
    if len(scene.bends):
        _add_bends(scene, w, squares)
    if scene.drag is not None:
        speed = float(np.sqrt((scene.balls.velocity**2).sum(axis=1)).max(initial=0.0))
        rates += (scene.drag.linear + scene.drag.quadratic * speed) * w
    return squares, rates


def _add_bends(scene: Scene, w: Floats, squares: Floats) -> None:
    """A bend pulls its ends by k/l and its middle by both: the angle changes by 1/l for a metre of an end."""
    one, middle, two = scene.bends.corner.T
    lengths = [np.sqrt((separation(scene, middle, end) ** 2).sum(axis=1)) for end in (one, two)]
    with np.errstate(divide="ignore"):
        levers = [1.0 / lengths[0], 1.0 / lengths[0] + 1.0 / lengths[1], 1.0 / lengths[1]]
    weighted = sum(lever * np.sqrt(w[body]) for lever, body in zip(levers, (one, middle, two), strict=True))
    for lever, body in zip(levers, (one, middle, two), strict=True):
        np.add.at(squares, body, scene.bends.stiffness * lever * np.sqrt(w[body]) * weighted)


def sensible_step(scene: Scene) -> float:
    """A step that shows the motion well, s: a frame, or less where springs, orbits or small fast balls ask for it.

    Where attraction alone sets the pace, as among planets, it may be more. Of a few bodies that attract each other, the
    step also resolves the closest approach to come.
    """
    limit = min(step_limits(scene).values())
    return _round_below(limit) if math.isfinite(limit) and limit != FRAME else FRAME


def step_limits(scene: Scene) -> dict[str, float]:
    """What each thing in a scene makes of its step at most, s."""
    limits = {
        SPRINGS: largest_stable_step(scene) * math.pi / PER_PERIOD,
        SPEED: _crossing_time(scene) / PER_RADIUS,
        SHOWN: _longest(scene),
    }
    if scene.attraction is not None:
        orbit, change = _attraction_times(scene, scene.attraction)
        limits[ATTRACTION] = min(orbit / PER_ORBIT, change / PER_CROSSING)
        passage = 2.0 * math.pi * passage_time(scene, scene.attraction) / PER_PASSAGE
        if passage * CLOSEST >= min(limits.values()):
            limits[PASSAGE] = passage
    return limits


def _longest(scene: Scene) -> float:
    """The longest step that a scene bears whatever its forces, s: a frame, unless attraction sets the pace.

    A box that holds attracting bodies may be as large as their orbits: there the fastest of them is given time to cross
    it. Uniform gravity, and walls without a size of their own, are of the scale of a laboratory.
    """
    if scene.attraction is None or any(scene.gravity) or scene.obstacles:
        return FRAME
    if not scene.boundary.bounded:
        return math.inf
    fastest = float(np.sqrt((scene.balls.velocity**2).sum(axis=1)).max(initial=0.0))
    room = min(scene.boundary.box.size) if scene.boundary.box is not None else 0.0
    return max(FRAME, room / fastest / PER_CROSSING) if fastest > 0.0 else FRAME


def _round_below(value: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above."""
    power = math.floor(math.log10(value))
    return max(
        float(f"{digit}e{exponent}")
        for exponent in (power - 1, power)
        for digit in (1, 2, 5)
        if float(f"{digit}e{exponent}") <= value
    )


def _crossing_time(scene: Scene) -> float:
    """The time in which a ball of mean speed moves by the mean radius, s."""
    balls = scene.balls
    moving = ~balls.fixed & (balls.radius > 0.0)
    passing = scene.attraction is not None and scene.attraction.touch == "pass"
    if not moving.any() or len(balls) < 2 or passing:
        return math.inf
    speed = float(np.sqrt((balls.velocity[moving] ** 2).sum(axis=1).mean()))
    return float(balls.radius[moving].mean()) / speed if speed > 0.0 else math.inf


def _attraction_times(scene: Scene, attraction: Attraction) -> tuple[float, float]:
    """The shortest period of two balls about each other as far apart as they are now, and of a change of pull, s.

    A period is 2π √(r³ / G (m + m')). The pull on a ball changes by all of itself in the time Σ G m/r² / Σ G m u/r³
    with the relative speeds u, which counts where balls are too fast for orbits: of a bound pair, r/u is never less
    than √(r³ / 2 G (m + m')).
    """
    x, v, m = scene.balls.position[:MANY], scene.balls.velocity[:MANY], scene.balls.mass[:MANY]
    period, change = math.inf, math.inf
    for k in range(len(x) if attraction.G > 0.0 else 0):
        rr = ((x - x[k]) ** 2).sum(axis=1) + attraction.softening**2
        rr[k] = 0.0
        apart = rr > 0.0  # at one place they do not pull
        pull, uu, both = m[apart] / rr[apart], ((v[apart] - v[k]) ** 2).sum(axis=1), attraction.G * (m[apart] + m[k])
        period = min(period, float((rr[apart] * np.sqrt(rr[apart]) / both).min(initial=math.inf)))
        changing = float((pull * np.sqrt(uu / rr[apart])).sum())
        change = min(change, float(pull.sum()) / changing) if changing > 0.0 else change
    return 2.0 * math.pi * math.sqrt(period), change
