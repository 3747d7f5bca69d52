"""Thumbnails of scenes for the gallery: small SVGs in the colours of a theme, made at first use and cached."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from carom.lab.lean import lean
from carom.scene import Balls, Scene, library
from carom.scene.shapes.features import Cuboid, Feature, Room, Round
from carom.views.balls import COLOURS, LINK, arrows, balls, flight, links
from carom.views.markup import element, number
from carom.views.sheet import MARGIN, PageLayout, layout_for
from carom.views.walls import FLOOR, SOLID, obstacle, walls

Theme = Literal["light", "dark"]
Floats = NDArray[np.float64]

WIDTH, HEIGHT = 160.0, 100.0
"""Size of a picture, which is scaled later."""
PADDING = 8.0
MIN_RADIUS = 0.005
"""Least radius of a ball, in longer sides of the picture."""
MAX_ARROWS = 40
"""With more balls, arrows are not drawn."""

_DARK = {FLOOR: "#1c2530", SOLID: "#8795a5", "#22282e": "#c9d3de", "#8a949e": "#5f6f80", "#ffffff": "#121920"}
"""Dark colours for those of the light theme."""

_making = threading.Lock()


@cache
def _made(name: str, theme: Theme) -> str:
    scene = library.load(name)
    orbits = [] if scene.attraction is None else [_orbit(scene, k) for k in range(len(scene.balls))]
    paths = [path for path in orbits if path is not None]
    picture = _sky(scene, paths) if paths else _solid(scene) if scene.dimension == 3 else _flat(scene)
    if theme == "dark":
        for light, dark in _DARK.items():
            picture = picture.replace(light, dark)
    return lean(picture)


def thumbnail(name: str, theme: Theme = "light") -> str:
    """The thumbnail of a scene of the library, as the text of an SVG file."""
    with _making:  # two requests at once wait for one picture
        return _made(name, theme)


def _page(parts: list[str], view: tuple[float, float, float, float]) -> str:
    box = " ".join(map(number, view))
    namespace = "http://www.w3.org/2000/svg"
    return element("svg", "\n".join(parts), xmlns=namespace, viewBox=box, preserveAspectRatio="xMidYMid meet")


def _flat(scene: Scene) -> str:
    """Draw a scene in the plane like `carom.views.draw`, without its footer."""
    there = np.flatnonzero(scene.balls.born <= 0.0)
    if len(there) < len(scene.balls):
        scene = scene.replace(balls=scene.balls[there], links=(), bends=(), triangles=())
    time = flight(scene) if 0 < len(scene.balls) <= MAX_ARROWS else 0.0
    sheet = layout_for(scene, "fit", 400, flight=time)
    scene = scene.replace(balls=_visible(scene.balls, sheet))
    parts = [
        *walls(scene.boundary, sheet),
        *(obstacle(each, sheet) for each in scene.obstacles),
        *links(scene, sheet),
        *balls(scene, sheet, None),
        *(arrows(scene, sheet, time) if time else ()),
    ]
    return _page(parts, _window(sheet))


def _visible(balls: Balls, sheet: PageLayout) -> Balls:
    """The balls, large enough to be visible in a small picture."""
    least = MIN_RADIUS * max(sheet.seen) / sheet.scale.per_metre
    return balls.replace(radius=np.where(balls.radius > 0.0, np.maximum(balls.radius, least), 0.0))


def _window(sheet: PageLayout) -> tuple[float, float, float, float]:
    """The visible part of a sheet: the scene and a margin, with at least some width."""
    across, up = sheet.seen
    left, top = (sheet.size[0] - across) / 2.0, MARGIN
    least = 0.35 * max(across, up)
    wide, high = max(across, least), max(up, least)
    pad = 0.03 * max(wide, high) + 1.2
    return left - (wide - across) / 2.0 - pad, top - (high - up) / 2.0 - pad, wide + 2.0 * pad, high + 2.0 * pad


# Under attraction: each body on its conic around the mass of the others.

TURN = np.linspace(0.0, 2.0 * np.pi, 181)
SMALLEST, LARGEST = 1.6, 30.0
"""Least and largest radius of a body: planets to scale would be invisible."""


def _sky(scene: Scene, paths: list[Floats]) -> str:
    """Bodies and their orbits, seen from above."""
    place, mass = scene.balls.position[:, :2], scene.balls.mass
    seen = np.concatenate([place, *paths])
    reach = scene.balls.radius[:, None]
    low = np.minimum(seen.min(axis=0), (place - reach).min(axis=0))
    high = np.maximum(seen.max(axis=0), (place + reach).max(axis=0))
    scale = float(((WIDTH - 2 * PADDING, HEIGHT - 2 * PADDING) / np.maximum(high - low, 1e-300)).min())
    middle = (low + high) / 2.0

    def onto(points: Floats) -> Floats:
        found: Floats = (points - middle) * (scale, -scale) + (WIDTH / 2.0, HEIGHT / 2.0)
        return found

    parts = []
    for path in paths:
        d = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in onto(path))
        parts.append(element("path", fill="none", stroke=LINK, stroke_width=0.6, stroke_opacity=0.7, d=d))
    heaviest = int(mass.argmax())
    others = [colour for colour in COLOURS if colour != COLOURS[1]]
    for k, (x, y) in enumerate(onto(place)):
        r = min(max(float(scene.balls.radius[k]) * scale, SMALLEST * (1.7 if k == heaviest else 1.0)), LARGEST)
        parts.append(element("circle", cx=x, cy=y, r=r, fill=COLOURS[1] if k == heaviest else others[k % len(others)]))
    return _page(parts, (0.0, 0.0, WIDTH, HEIGHT))


def _orbit(scene: Scene, k: int) -> Floats | None:
    """The ellipse of a body around the centre of the others; None if it is the heaviest of many, or unbound."""
    place, velocity, mass = scene.balls.position[:, :2], scene.balls.velocity[:, :2], scene.balls.mass
    others = np.arange(len(mass)) != k
    if len(mass) < 2:
        return None
    if len(mass) > 2 and mass[k] > 10.0 * mass[others].max():
        return None
    weight = mass[others] / mass[others].sum()
    focus, drift = weight @ place[others], weight @ velocity[others]
    pull = scene.attraction.G * float(mass.sum()) if scene.attraction is not None else 0.0
    r, v = place[k] - focus, velocity[k] - drift
    distance, turning = float(np.hypot(*r)), float(r[0] * v[1] - r[1] * v[0])
    if not pull or not turning or not distance:
        return None
    lean = np.array([v[1], -v[0]]) * turning / pull - r / distance
    eccentricity, toward = float(np.hypot(*lean)), float(np.arctan2(lean[1], lean[0]))
    if eccentricity >= 0.98 or (len(mass) > 2 and mass.min() > 0.1 * mass.max()):
        return None
    radius = turning**2 / pull / (1.0 + eccentricity * np.cos(TURN - toward))
    path = radius[:, None] * np.stack([np.cos(TURN), np.sin(TURN)], axis=1)
    middle = mass @ place / mass.sum()
    share = (
        float(mass[others].sum() / mass.sum()) if len(mass) == 2 else 1.0
    )  # two bodies: each around their common centre
    found: Floats = path * share + (middle if len(mass) == 2 else focus)
    return found


# In three dimensions: an oblique view from the front and above, without perspective.

TURNED, TILTED = np.radians(35.0), np.radians(24.0)
RIGHT = np.array([np.cos(TURNED), 0.0, -np.sin(TURNED)])
UP = np.array([-np.sin(TURNED) * np.sin(TILTED), np.cos(TILTED), -np.cos(TURNED) * np.sin(TILTED)])
NEAR = np.cross(RIGHT, UP)
GRAIN = 0.05
"""Corners of a cloth are rounded to this grid, so that they are integers."""
SHADES = 20
LATER = 0.22
"""Scenes whose balls are born later are shown after this time of free fall, s."""


@dataclass(frozen=True)
class Eye:
    """The projection of space onto the picture. `upright` rotates the scene's up to y."""

    upright: Floats
    middle: Floats
    scale: float

    @classmethod
    def on(cls, points: Floats, gravity: tuple[float, ...]) -> Eye:
        """Make a projection that shows these points."""
        upright = np.eye(3)
        if abs(gravity[2]) > abs(gravity[1]):
            upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
        flat = points @ upright.T @ np.stack([RIGHT, UP], axis=1)
        low, high = flat.min(axis=0), flat.max(axis=0)
        room = np.array([WIDTH - 2.0 * PADDING, HEIGHT - 2.0 * PADDING])
        return cls(upright, (low + high) / 2.0, float((room / np.maximum(high - low, 1e-12)).min()))

    def onto(self, points: Floats) -> Floats:
        """Project points: rows of x, y, nearness."""
        turned = points.reshape(-1, 3) @ self.upright.T
        x = WIDTH / 2.0 + (turned @ RIGHT - self.middle[0]) * self.scale
        y = HEIGHT / 2.0 - (turned @ UP - self.middle[1]) * self.scale
        found: Floats = np.stack([x, y, turned @ NEAR], axis=1)
        return found


def _solid(scene: Scene) -> str:
    """Draw a scene in space, far parts first."""
    place, there = _later(scene)
    corners = [corner for feature in scene.features for corner in _reach(feature)]
    seen = np.array([*place[there], *corners])
    eye = Eye.on(seen if len(seen) else np.zeros((1, 3)), scene.gravity)
    drawn = [each for feature in scene.features for each in _part(feature, eye)]
    drawn += _cloth(scene, eye)
    drawn += _spheres(scene, eye, place, there)
    drawn.sort(key=lambda each: each[0])
    return _page([_light(), *(words for _, words in drawn)], (0.0, 0.0, WIDTH, HEIGHT))


def _later(scene: Scene) -> tuple[Floats, NDArray[np.bool_]]:
    """Positions, and which balls are born; if some are born later, after a time of free fall."""
    balls = scene.balls
    if (balls.born <= 0.0).all():
        return balls.position, balls.born <= 0.0
    age = np.where(balls.born > 0.0, np.clip(LATER - balls.born, 0.0, None), 0.0)[:, None]
    return balls.position + balls.velocity * age + 0.5 * np.array(scene.gravity) * age**2, balls.born <= LATER


def _reach(feature: Feature) -> list[Floats]:
    """Points of a wall or an obstacle that should be visible; the corners of a box."""
    if isinstance(feature, Room | Cuboid):
        low, high = map(np.array, feature.bounds)
        return [np.where([k & 1, k & 2, k & 4], high, low) for k in range(8)]
    if isinstance(feature, Round) and len(feature.centre) == 3:
        centre, radius = np.array(feature.centre), feature.radius
        return [centre + sign * radius * axis for axis in np.eye(3) for sign in (-1.0, 1.0)]
    return []


def _part(feature: Feature, eye: Eye) -> Iterator[tuple[float, str]]:
    """Draw a wall or an obstacle, with its nearness."""
    if isinstance(feature, Room | Cuboid):
        at = eye.onto(np.array(_reach(feature)))
        edges = [(at[k], at[k | 1 << axis]) for k in range(8) for axis in range(3) if not k >> axis & 1]
        d = "".join(f"M{number(a[0])} {number(a[1])}L{number(b[0])} {number(b[1])}" for a, b in edges)
        yield -np.inf, element("path", fill="none", stroke=SOLID, stroke_width=0.7, stroke_opacity=0.55, d=d)
    elif isinstance(feature, Round) and len(feature.centre) == 3:
        x, y, near = eye.onto(np.array(feature.centre))[0]
        yield float(near), _ball(x, y, feature.radius * eye.scale, SOLID)


def _cloth(scene: Scene, eye: Eye) -> Iterator[tuple[float, str]]:
    """Draw triangles, lit from above, joined where consecutive ones have equal shades; or links."""
    place = scene.balls.position
    at = eye.onto(place) if len(place) else np.zeros((0, 3))
    if len(scene.triangles):
        faces = scene.triangles[np.argsort(at[scene.triangles, 2].mean(axis=1), kind="stable")]
        a, b, c = (place[faces[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        light = np.abs(normal @ (0.3, 0.8, 0.5)) / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
        shade = np.round((0.45 + 0.5 * light) * SHADES) / SHADES
        starts = np.flatnonzero(np.diff(shade, prepend=np.nan) != 0.0)
        for first, some in zip(starts.tolist(), np.split(faces, starts[1:]), strict=True):
            look: dict[str, float | str] = {"fill": COLOURS[0], "stroke": COLOURS[0], "opacity": float(shade[first])}
            d = "".join(map(_fine, at[some, :2]))
            drawn = element("path", **look, stroke_width=0.15 / GRAIN, transform=f"scale({GRAIN})", d=d)
            yield float(at[some[0], 2].mean()), drawn
    if len(scene.links) and not len(scene.triangles):
        for i, j in scene.links.between.tolist():
            d = f"M{number(at[i][0])} {number(at[i][1])}L{number(at[j][0])} {number(at[j][1])}"
            yield float(at[[i, j], 2].mean()), element("path", stroke=LINK, stroke_width=0.35, d=d)


def _fine(corners: Floats) -> str:
    """A triangle with corners on the grid."""
    whole = np.round(corners / GRAIN).astype(int)
    start, first, second = (f"{x} {y}" for x, y in (whole[0], whole[1] - whole[0], whole[2] - whole[1]))
    return f"M{start}l{first} {second}z"


def _spheres(scene: Scene, eye: Eye, place: Floats, there: NDArray[np.bool_]) -> Iterator[tuple[float, str]]:
    """Draw balls that are not part of a cloth."""
    balls = scene.balls
    free = np.array(there)
    if len(scene.triangles):
        free[scene.triangles.ravel()] = False
    rows = np.flatnonzero(free)
    at = eye.onto(place[rows]) if len(rows) else np.zeros((0, 3))
    for row, (x, y, near) in zip(rows.tolist(), at, strict=True):
        fill = SOLID if balls.fixed[row] else COLOURS[int(balls.material.codes[row]) % len(COLOURS)]
        yield float(near), _ball(x, y, max(float(balls.radius[row]) * eye.scale, 0.6), fill)


def _ball(x: float, y: float, r: float, fill: str) -> str:
    """Draw a ball, with a highlight if it is large."""
    light = element("circle", cx=x, cy=y, r=r, fill="url(#light)") if r > 1.2 else ""
    return element("circle", cx=x, cy=y, r=r, fill=fill) + light


def _light() -> str:
    bright = element("stop", offset=0.0, stop_color="#fff", stop_opacity=0.55)
    dark = element("stop", offset=1.0, stop_color="#000", stop_opacity=0.28)
    return element("defs", element("radialGradient", bright + dark, id="light", cx=0.35, cy=0.3, r=0.75))
