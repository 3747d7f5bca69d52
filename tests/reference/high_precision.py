"""The motion in forty digits, from geometry alone: an independent reference for every kind of boundary.

Nothing is shared with the solvers: no anchors, no order of events, no front and back of walls, no seams. A ball's
flight is a polynomial; whatever it can touch is a point, a line, a circle or another ball, of which the roots of a
polynomial say when. What is touched is touched from any side. Periodic space is a lattice of copies around balls that
are never wrapped.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import mpmath
import numpy as np
from mpmath import mp, mpf

from carom import Box, Circle, Polygon, Scene

mp.dps = 40
TINY = mpf(10) ** -24  # roots nearer to now than this are now (relative to the time scale of the scene)
NEARLY_REAL = 1e-3  # what an imaginary part in double precision may be, if a closer look is to tell
Vector = tuple[Any, ...]


@dataclass(frozen=True)
class Hit:
    time: Any
    kind: str
    partners: tuple[int, ...]
    wall: str | None


@dataclass(frozen=True)
class Line:
    """A straight wall from p to q, or without end (q is then any second point)."""

    name: str
    point: Vector
    along: Vector  # unit
    normal: Vector  # unit
    length: Any  # None: without end


@dataclass(frozen=True)
class Round:
    """A circle or sphere; of an arc only directions within `cosine` of `middle` belong to it. Radius 0: a corner."""

    name: str
    centre: Vector
    radius: Any
    middle: Vector | None = None
    cosine: Any = None
    pin: int | None = None


def dot(a: Vector, b: Vector) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), mpf(0))


def plus(a: Vector, b: Vector, factor: Any = 1) -> Vector:
    return tuple(x + factor * y for x, y in zip(a, b, strict=True))


def exact(values: Any) -> Vector:
    return tuple(mpf(float(value)) for value in values)


def roots(coefficients: list[Any]) -> list[Any]:
    """The real roots of a polynomial, lowest power first."""
    c = list(coefficients)
    while c and c[-1] == 0:
        c.pop()
    if len(c) < 2:
        return []
    if len(c) == 2:
        return [-c[0] / c[1]]
    if len(c) == 3:
        disc = c[1] ** 2 - 4 * c[2] * c[0]
        if disc < 0:
            return []
        q = -(c[1] + (mpmath.sqrt(disc) if c[1] >= 0 else -mpmath.sqrt(disc))) / 2
        return [q / c[2], c[0] / q] if q != 0 else [mpf(0)]
    guesses = np.roots([float(each) for each in c[::-1]])
    return [polished(c, mpf(z.real)) for z in guesses if abs(z.imag) < NEARLY_REAL * (1 + abs(z)) and is_real(c, z)]


def is_real(c: list[Any], guess: complex) -> bool:
    return bool(abs(mpmath.im(polished(c, mpmath.mpc(guess)))) < mpf(10) ** -20)


def polished(c: list[Any], z: Any) -> Any:
    """A root near z, by Newton's steps until they vanish."""
    for _ in range(100):
        value, slope = mpf(0), mpf(0)
        for each in c[::-1]:
            slope = slope * z + value
            value = value * z + each
        if value == 0 or slope == 0:
            break
        z -= value / slope
        if abs(value / slope) < mpf(10) ** -36 * (1 + abs(z)):
            break
    return z


class HighPrecision:
    """Balls that fly and collide, in high precision."""

    def __init__(self, scene: Scene, nudge: float = 0.0) -> None:
        """`nudge` shifts the start by this fraction of the coordinates, to measure the growth of errors."""
        balls = scene.balls
        self.d = scene.dimension
        self.movers = [k for k in range(len(balls)) if not balls.fixed[k]]
        self.x: dict[int, Vector] = {}
        self.v: dict[int, Vector] = {}
        for k in self.movers:
            shift = [1 + mpf(nudge) * (-1) ** (k + axis) for axis in range(self.d)]
            self.x[k] = tuple(a * b for a, b in zip(exact(balls.position[k]), shift, strict=True))
            self.v[k] = exact(balls.velocity[k])
        self.m, self.r = exact(balls.mass), exact(balls.radius)
        self.g = exact(scene.gravity)
        self.e = mpf(scene.restitution.ball_ball), mpf(scene.restitution.ball_wall)
        self.periods = [mpf(0)] * self.d
        if isinstance(scene.boundary, Box):
            self.periods = [
                mpf(s) if p else mpf(0) for s, p in zip(scene.boundary.size, scene.boundary.periodic, strict=True)
            ]
        self.walls = list(features(scene))
        self.time = mpf(0)
        self.last: dict[int, Any] = {}
        fastest = max(max(abs(c) for c in v) for v in self.v.values())
        self.tiny = TINY * (max(max(abs(c) for c in x) for x in self.x.values()) / fastest if fastest else 1)
        self.found: dict[Any, Any] = {}

    # What comes next.

    def step(self) -> Hit | None:
        """Go on to the next collision."""
        while True:
            self.predict()
            key, (wait, what) = min(self.found.items(), key=lambda item: item[1][0], default=(None, (None, None)))
            horizon = self.horizon()
            if horizon is not None and (key is None or wait > horizon):
                self.fly(horizon)
                self.found = {}
                continue
            if key is None or wait == mp.inf:
                return None
            self.fly(wait)
            return self.collide(key, what)

    def predict(self) -> None:
        for n, i in enumerate(self.movers):
            for k in range(len(self.walls)):
                if (i, k, "wall") not in self.found:
                    self.found[i, k, "wall"] = self.meets_wall(i, k)
            for j in self.movers[n + 1 :]:
                if (i, j, "ball") not in self.found:
                    self.found[i, j, "ball"] = self.meets_ball(i, j)

    def horizon(self) -> Any:
        """So long no two balls move by more than half a period with respect to each other or to a fixed wall."""
        waits = []
        for axis, period in enumerate(self.periods):
            if period:
                speeds = [self.v[i][axis] for i in self.movers]
                widest = max(max(speeds) - min(speeds), *(abs(s) for s in speeds))
                if widest:
                    waits.append(period / widest / 2)
        return min(waits) if waits else None

    def images(self, d: Vector) -> Iterator[Vector]:
        """Shifts that bring d near the origin of the lattice, and those around them."""
        steps = []
        for x, period in zip(d, self.periods, strict=True):
            base = -mpmath.nint(x / period) if period else mpf(0)
            steps.append([(base + k) * period for k in (-1, 0, 1)] if period else [mpf(0)])
        yield from product(*steps)

    def meets_ball(self, i: int, j: int) -> Any:
        straight, u = plus(self.x[i], self.x[j], -1), plus(self.v[i], self.v[j], -1)
        sigma = self.r[i] + self.r[j]
        best: Any = (mp.inf, None)
        for shift in self.images(straight):
            d = plus(straight, shift)
            for t in roots([dot(d, d) - sigma**2, 2 * dot(d, u), dot(u, u)]):
                if t < best[0] and dot(plus(d, u, t), u) < 0 and self.counts(t, i, ("ball", j), sigma):
                    best = t, shift
        return best

    def meets_wall(self, i: int, k: int) -> Any:
        wall = self.walls[k]
        best: Any = (mp.inf, None)
        origin = wall.point if isinstance(wall, Line) else wall.centre
        for shift in self.images(plus(self.x[i], origin, -1)):
            d = plus(plus(self.x[i], origin, -1), shift)
            times = self.line_times(i, wall, d) if isinstance(wall, Line) else self.round_times(i, wall, d)
            t = min((t for t in times if self.counts(t, i, ("wall", k), self.r[i])), default=mp.inf)
            if t < best[0]:
                best = t, shift
        return best

    def counts(self, t: Any, i: int, what: Any, size: Any) -> bool:
        """A root that lies ahead; of points, which have no inside, not the one that they have just come from."""
        return t > self.tiny or (t > -self.tiny and not (size == 0 and self.last.get(i) == what))

    def line_times(self, i: int, wall: Line, d: Vector) -> Iterator[Any]:
        gap, v, a = dot(d, wall.normal), dot(self.v[i], wall.normal), dot(self.g, wall.normal)
        for side in (1, -1):
            for t in roots([gap - side * self.r[i], v, a / 2]):
                along = dot(self.flown(d, self.v[i], t), wall.along)
                if side * (v + a * t) < 0 and (wall.length is None or 0 <= along <= wall.length):
                    yield t

    def round_times(self, i: int, wall: Round, d: Vector) -> Iterator[Any]:
        v, g = self.v[i], self.g
        for rho, outside in ((wall.radius + self.r[i], True), (wall.radius - self.r[i], False)):
            if rho < 0 or (wall.radius == 0 and not outside):
                continue
            c = [dot(d, d) - rho**2, 2 * dot(d, v), dot(v, v) + dot(d, g), dot(v, g), dot(g, g) / 4]
            for t in roots(c):
                if not mpmath.isfinite(t):
                    continue
                at = self.flown(d, v, t)
                closing = dot(at, plus(v, g, t))
                if (closing < 0) == outside and closing != 0 and self.on_arc(wall, at):
                    yield t

    def on_arc(self, wall: Round, at: Vector) -> bool:
        return wall.middle is None or dot(at, wall.middle) >= wall.cosine * mpmath.sqrt(dot(at, at))

    # What happens.

    def flown(self, x: Vector, v: Vector, t: Any) -> Vector:
        return plus(plus(x, v, t), self.g, t * t / 2)

    def fly(self, t: Any) -> None:
        for i in self.movers:
            self.x[i], self.v[i] = self.flown(self.x[i], self.v[i], t), plus(self.v[i], self.g, t)
        self.time += t
        self.found = {key: (wait - t, what) for key, (wait, what) in self.found.items()}

    def collide(self, key: Any, shift: Vector) -> Hit:
        i, other, kind = key
        if kind == "wall":
            return self.hit_wall(i, other, shift)
        d = plus(plus(self.x[i], self.x[other], -1), shift)
        u = plus(self.v[i], self.v[other], -1)
        d = d if self.r[i] + self.r[other] > 0 else u
        impulse = -(1 + self.e[0]) * dot(u, d) / dot(d, d) / (1 / self.m[i] + 1 / self.m[other])
        self.v[i] = plus(self.v[i], d, impulse / self.m[i])
        self.v[other] = plus(self.v[other], d, -impulse / self.m[other])
        self.last[i], self.last[other] = ("ball", other), ("ball", i)
        self.forget(i, other)
        return Hit(self.time, "ball-ball", (i, other), None)

    def hit_wall(self, i: int, k: int, shift: Vector) -> Hit:
        wall = self.walls[k]
        if isinstance(wall, Line):
            n, e = wall.normal, self.e[1]
        else:
            n = plus(plus(self.x[i], wall.centre, -1), shift)
            n, e = plus(n, n, 1 / mpmath.sqrt(dot(n, n)) - 1), self.e[0 if wall.pin is not None else 1]
        self.v[i] = plus(self.v[i], n, -(1 + e) * dot(self.v[i], n))
        self.last[i] = ("wall", k)
        self.forget(i)
        if isinstance(wall, Round) and wall.pin is not None:
            return Hit(self.time, "ball-ball", tuple(sorted((i, wall.pin))), None)
        return Hit(self.time, "ball-wall", (i,), wall.name)

    def forget(self, *changed: int) -> None:
        self.found = {
            key: value
            for key, value in self.found.items()
            if key[0] not in changed and not (key[2] == "ball" and key[1] in changed)
        }


# The boundary as features.


def features(scene: Scene) -> Iterator[Line | Round]:
    boundary = scene.boundary
    if isinstance(boundary, Box):
        yield from faces(boundary)
    elif isinstance(boundary, Polygon):
        yield from outline(boundary, "")
        for k, hole in enumerate(boundary.holes):
            yield from solid(hole, f"hole {k}")
    elif isinstance(boundary, Circle):
        yield Round("circle", exact(boundary.centre), mpf(boundary.radius))
    for k, obstacle in enumerate(scene.obstacles):
        yield from solid(obstacle, f"obstacle {k}")
    for k, fixed in enumerate(scene.balls.fixed):
        if fixed:
            yield Round(f"ball {k}", exact(scene.balls.position[k]), mpf(float(scene.balls.radius[k])), pin=k)


def faces(box: Box) -> Iterator[Line]:
    d = box.dimension
    unit = [tuple(mpf(int(k == axis)) for k in range(d)) for axis in range(d)]
    for axis in range(d):
        for upper in () if box.periodic[axis] else (0, 1):
            point = plus((mpf(0),) * d, unit[axis], mpf(box.size[axis]) * upper)
            yield Line("xyz"[axis] + "-+"[upper], point, unit[axis], unit[axis], None)


def solid(shape: Circle | Polygon, name: str) -> Iterator[Line | Round]:
    if isinstance(shape, Circle):
        yield Round(name, exact(shape.centre), mpf(shape.radius))
    else:
        yield from outline(shape, f"{name} ")


def outline(polygon: Polygon, prefix: str) -> Iterator[Line | Round]:
    """Edges, arcs (of bulge tan(θ/4), on the right of the chord if it is positive) and corners."""
    points = [exact(vertex) for vertex in polygon.vertices]
    bulges = polygon.bulges or (0.0,) * len(points)
    for k, (p, q, bulge) in enumerate(zip(points, points[1:] + points[:1], map(mpf, bulges), strict=True)):
        chord = plus(q, p, -1)
        length = mpmath.sqrt(dot(chord, chord))
        along = plus(chord, chord, 1 / length - 1)
        right = (along[1], -along[0])
        name = f"{prefix}edge {k}"
        if bulge == 0:
            yield Line(name, p, along, right, length)
        else:
            half = 2 * mpmath.atan(abs(bulge))  # half the angle of the arc
            radius = length / 2 / mpmath.sin(half)
            towards = right if bulge > 0 else plus(right, right, -2)
            middle = plus(p, chord, mpf(1) / 2)
            centre = plus(middle, towards, -radius * mpmath.cos(half))
            yield Round(name, centre, radius, towards, mpmath.cos(half))
        yield Round(f"{prefix}corner {k}", p, mpf(0))
