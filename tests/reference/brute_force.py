"""The motion as docs/architecture.md defines it, by brute force: every pair, every image, every wall, in plain NumPy.

For freely flying balls in a box, two- or three-dimensional, each axis with walls or periodic, with or without
gravity, with restitution. There is no calendar, no cell and no list here. The arithmetic is that of the definition,
so that a solver has to agree bit for bit.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from carom import Box, Scene
from carom.solvers.exact.world import contact_of

BALL_BALL, BALL_WALL, SEAM = 1, 2, 3
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Hit:
    """A collision."""

    time: float
    kind: int
    partners: tuple[int, ...]
    wall: str | None
    impulse: float


class BruteForce:
    """Balls in a box, event by event."""

    def __init__(self, scene: Scene) -> None:
        assert isinstance(scene.boundary, Box)
        balls = scene.balls
        assert not balls.fixed.any()
        self.box, self.gravity = scene.boundary, np.array(scene.gravity)
        self.contact_time, self.faint = contact_of(scene)
        self.falls = bool(self.gravity.any())
        self.bounce, self.wall_bounce = scene.restitution.ball_ball, scene.restitution.ball_wall
        self.x, self.v = np.array(balls.position), np.array(balls.velocity)
        self.m, self.r = np.array(balls.mass), np.array(balls.radius)
        n, self.d = self.x.shape
        self.t, self.hit = np.zeros(n), np.full(n, -np.inf)
        self.now, self.origin = 0.0, (0.0, 0.0)
        self.events, self.epoch, self.epochs = 0, max(64 * n, 4096), 0
        self.epoch_end = self.end_of_epoch()
        self.streak = np.zeros(n, dtype=int)
        periods = [(-1, 0, 1) if around else (0,) for around in self.box.periodic]
        self.images = np.array(list(product(*periods)), dtype=float) * np.array(self.box.size)
        self.pair_time, self.pair_image = np.full((n, n), np.inf), np.zeros((n, n), dtype=int)
        self.wall_time, self.wall_face = np.full(n, np.inf), np.zeros(n, dtype=int)
        self.seam_time, self.seam_face = np.full(n, np.inf), np.zeros(n, dtype=int)
        self.predict_all()

    # Flight.

    def place(self, x: Floats, v: Floats, s: Floats) -> Floats:
        return x + (v + 0.5 * self.gravity * s) * s if self.falls else x + v * s

    def speed(self, v: Floats, s: Floats) -> Floats:
        return v + self.gravity * s if self.falls else v

    def fly(self, i: int, t: float) -> None:
        s = np.array(t - self.t[i])
        self.x[i], self.v[i] = self.place(self.x[i], self.v[i], s), self.speed(self.v[i], s)
        self.t[i] = t

    # What comes next.

    def predict_all(self) -> None:
        for i in range(len(self.t)):
            self.predict(i)

    def predict(self, i: int) -> None:
        times, images = self.contacts(i)
        self.pair_time[i], self.pair_time[:, i] = times, times
        self.pair_image[i], self.pair_image[:, i] = images, len(self.images) - 1 - images
        self.wall_time[i], self.wall_face[i] = self.wall_contact(i)
        self.seam_time[i], self.seam_face[i] = self.seam(i)

    def contacts(self, i: int) -> tuple[Floats, NDArray[np.intp]]:
        """The first contact of ball i with each ball, and with which image of it."""
        t = np.maximum(self.t[i], self.t)
        s1, s2 = (t - self.t[i])[:, None], (t - self.t)[:, None]
        u = self.speed(self.v[i], s1) - self.speed(self.v, s2)
        straight = self.place(self.x[i], self.v[i], s1) - self.place(self.x, self.v, s2)
        d = straight[:, None, :] + self.images[None]
        u = np.broadcast_to(u[:, None, :], d.shape)
        sigma = self.r[i] + self.r
        ss = (sigma * sigma)[:, None]
        b, c, cross = _dot(d, u), _dot(d, d) - ss, _cross_squared(d, u)
        disc = ss * _dot(u, u) - cross
        meets = (b < 0.0) & (disc >= 0.0)
        meets[i] = False
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(meets, t[:, None] + np.maximum(c, 0.0) / (np.sqrt(np.maximum(disc, 0.0)) - b), np.inf)
        first = times.argmin(axis=1)
        return times[np.arange(len(times)), first], first

    def wall_contact(self, i: int) -> tuple[float, int]:
        """The first contact of ball i with a face of the box."""
        best, at = np.inf, 0
        for axis in range(self.d):
            for upper in () if self.box.periodic[axis] else (0, 1):
                sign = 1.0 - 2.0 * upper
                gap = (self.x[i, axis] - self.box.size[axis] * upper) * sign - self.r[i]
                t = self.t[i] + self.straight(gap, self.v[i, axis] * sign, self.gravity[axis] * sign)
                if t < best:
                    best, at = t, 2 * axis + upper
        return best, at

    def straight(self, gap: float, v: float, a: float) -> float:
        """When gap + v τ + a τ²/2 falls to zero."""
        h = max(gap, 0.0)
        if a == 0.0:
            return h / -v if v < 0.0 else np.inf
        disc = v * v - 2.0 * a * h
        if disc < 0.0:
            return np.inf
        if v < 0.0:
            return 2.0 * h / (np.sqrt(disc) - v)
        return (v + np.sqrt(disc)) / -a if a < 0.0 else np.inf

    def seam(self, i: int) -> tuple[float, int]:
        """When ball i crosses the seam of a periodic axis."""
        best, at = np.inf, 0
        for axis in range(self.d):
            v = self.v[i, axis]
            if self.box.periodic[axis] and v != 0.0:
                t = self.t[i] + abs(((self.box.size[axis] if v > 0.0 else 0.0) - self.x[i, axis]) / v)
                if t < best:
                    best, at = t, 2 * axis + int(v > 0.0)
        return best, at

    # What happens.

    def step(self) -> Hit | None:
        """Go on to the next collision; None if there will be none."""
        while True:
            first = min(self.pair_time.min(), self.wall_time.min(), self.seam_time.min())
            if first == np.inf:
                return None
            hit = self.respond(float(first))
            self.now = float(first)
            self.events += 1
            if self.events >= self.epoch or (self.now >= self.epoch_end and self.events >= self.epoch // 64):
                self.begin_epoch()
            if hit is not None:
                return replace(hit, time=self.time)

    def respond(self, t: float) -> Hit | None:
        """Do the first event at time t, ordered by kind, then by the balls' numbers."""
        if self.pair_time.min() == t:
            i, j = divmod(int(np.argmax(self.pair_time == t)), len(self.t))
            return self.hit_ball(i, j, t)
        if self.wall_time.min() == t:
            return self.hit_wall(int(np.argmax(self.wall_time == t)), t)
        self.cross_seam(int(np.argmax(self.seam_time == t)), t)
        return None

    def hit_ball(self, i: int, j: int, t: float) -> Hit:
        image = self.images[self.pair_image[i, j]]
        self.fly(i, t)
        self.fly(j, t)
        d = (self.x[i] - self.x[j]) + image
        s = np.sqrt(_dot(d, d))
        if s == 0.0:
            d = self.v[j] - self.v[i]
            s = np.sqrt(_dot(d, d))
        normal = d / s
        u = -_dot(self.v[i] - self.v[j], normal)
        e = 1.0 if self.lasts(i, t, u) or self.lasts(j, t, u) else self.bounce
        both = self.m[i] + self.m[j]
        if (normal * normal == 1.0).any():
            d, s = normal, 1.0
        k = -(1.0 + e) * _dot(self.v[i] - self.v[j], d) / _dot(d, d)
        least = k * (min(self.m[i], self.m[j]) / both)
        rest = k - least
        if max(self.m[i], self.m[j]) <= 256.0 * min(self.m[i], self.m[j]):
            least = least + ((k - rest) - least)
        given, taken = (least, rest) if self.m[j] <= self.m[i] else (rest, least)
        self.v[i] = self.v[i] + given * d
        self.v[j] = self.v[j] - taken * d
        self.remember(i, t)
        self.remember(j, t)
        self.predict(i)
        self.predict(j)
        return Hit(t, BALL_BALL, (i, j), None, float(given * self.m[i] * s))

    def hit_wall(self, i: int, t: float) -> Hit:
        axis, upper = divmod(int(self.wall_face[i]), 2)
        self.fly(i, t)
        sign = 1.0 - 2.0 * upper
        e = 1.0 if self.lasts(i, t, -(self.v[i, axis] * sign)) else self.wall_bounce
        k = -(1.0 + e) * (self.v[i, axis] * sign)
        self.v[i, axis] = self.v[i, axis] + k * sign
        self.remember(i, t)
        self.predict(i)
        return Hit(t, BALL_WALL, (i,), "xyz"[axis] + "-+"[upper], float(k * self.m[i]))

    def lasts(self, i: int, t: float, u: float) -> bool:
        """Is an approach of ball i at the speed u part of one contact that lasts?"""
        return bool(t - self.hit[i] < self.contact_time and (u <= self.faint or self.streak[i] >= 64))

    def remember(self, i: int, t: float) -> None:
        """Continue or begin a streak with a collision of ball i."""
        self.streak[i] = self.streak[i] + 1 if t - self.hit[i] < self.contact_time else 0
        self.hit[i] = t

    def cross_seam(self, i: int, t: float) -> None:
        axis, upper = divmod(int(self.seam_face[i]), 2)
        self.fly(i, t)
        self.x[i, axis] = 0.0 if upper else self.box.size[axis]
        self.predict(i)

    def begin_epoch(self) -> None:
        """Move the origin of time to the present event."""
        shift = self.now
        self.t -= shift
        self.hit -= shift
        self.now -= shift
        high, low = self.origin
        total = high + shift
        self.origin = total, low + ((high - (total - (total - high))) + (shift - (total - high)))
        self.events = 0
        self.epochs += 1
        self.epoch_end = self.end_of_epoch()
        self.predict_all()

    def end_of_epoch(self) -> float:
        """The fastest ball, as fast as it can fall, has crossed the box 64 times by then."""
        longest = max(self.box.size)
        fastest = _dot(self.v, self.v).max() + 2.0 * np.sqrt(_dot(self.gravity, self.gravity)) * longest
        return float(self.now + 64 * (longest / np.sqrt(fastest))) if fastest > 0.0 else np.inf

    # What is seen.

    @property
    def time(self) -> float:
        high, low = self.origin
        return high + (low + self.now)

    @property
    def positions(self) -> Floats:
        high, low = self.origin
        now = (self.time - high) - low
        x = self.place(self.x, self.v, (now - self.t)[:, None])
        for axis in range(self.d):
            if self.box.periodic[axis]:
                x[:, axis] -= np.floor(x[:, axis] / self.box.size[axis]) * self.box.size[axis]
        return x

    @property
    def velocities(self) -> Floats:
        high, low = self.origin
        return self.speed(self.v, (((self.time - high) - low) - self.t)[:, None])


def _dot(a: Floats, b: Floats) -> Floats:
    """The products added from the left, as the definition has it."""
    total = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]
    return total + a[..., 2] * b[..., 2] if a.shape[-1] == 3 else total


def _cross_squared(d: Floats, u: Floats) -> Floats:
    kz = d[..., 0] * u[..., 1] - d[..., 1] * u[..., 0]
    if d.shape[-1] == 2:
        return kz * kz
    kx = d[..., 1] * u[..., 2] - d[..., 2] * u[..., 1]
    ky = d[..., 2] * u[..., 0] - d[..., 0] * u[..., 2]
    return (kx * kx + ky * ky) + kz * kz
