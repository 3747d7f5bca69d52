"""Paint the pictures of a run: the visible part, the camera, labels and legends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.observe.frame import Frame
from carom.scene import Box, Scene
from carom.scene.links import nearest_image
from carom.video.options import Look
from carom.video.painting import flat
from carom.video.painting.backdrop import Backdrop
from carom.video.painting.camera import Camera, FlatCamera, OrbitCamera, upright
from carom.video.painting.canvas import Canvas, Pixels
from carom.video.painting.colours import ball_colours, rgb, shown_radii, star
from carom.video.painting.solids import Solids
from carom.video.painting.space import SpacePainter, TraceLines
from carom.video.painting.traces import Traces
from carom.views import units
from carom.views.balls import with_images
from carom.views.measures import BAR_STEPS, round_below
from carom.views.palette import palette
from carom.views.region import bounds
from carom.views.sheet import periodic_axes

if TYPE_CHECKING:
    from matplotlib.artist import Artist

Floats = NDArray[np.float64]

MIN_UNIT = 0.7
"""Smallest size of fonts and lines, as a part of that in a picture of 1280 x 720."""
MIN_ARROWS, MAX_ARROWS_PART, PREFERRED_ARROWS = 0.012, 0.3, 0.13
"""Length of the fastest ball's arrow, as a part of the view: within this range the scale is kept."""
MAX_RULER = 170.0
ROOM = 1.15
"""With a star, the view reaches to this multiple of the largest distance from it at the start."""
MAX_GROWTH = 4.0
"""In open space the view is at most this multiple of the size of the scene at the start."""


class Picture:
    """Draws frames of a scene; `instants` are frames that must be visible, `span` is the largest time shown, s."""

    def __init__(self, scene: Scene, look: Look, instants: list[Frame], span: float, step: float) -> None:
        self.scene = scene
        self.look = look
        self.palette = palette(look.theme)
        self.unit = max(MIN_UNIT, min(look.size[0] / 1280.0, look.size[1] / 720.0))
        self.canvas = Canvas(look.size, self.palette.ground)
        self.pencil = flat.Pencil(self.canvas, self.palette, self.unit)
        self.low, self.high = seen(scene, instants)
        self.traces = Traces(scene, look.trace)
        self.time_unit = units.time_unit(span)
        self.decimals = int(np.clip(np.ceil(-np.log10(max(step / self.time_unit[0], 1e-12)) - 1e-9), 0, 4))
        self.arrow = 0.0
        self.space: SpacePainter | None = None
        self.camera: Camera = self._camera()
        self._add_static_artists()

    def _camera(self) -> Camera:
        scene, size = self.scene, self.look.size
        if scene.dimension == 2:
            return FlatCamera.on(self.low, self.high, size, self.unit, y_down=scene.view.y_down)
        up = upright(scene.gravity)
        return OrbitCamera.on(self.low, self.high, size, self.unit, up, round_=scene.attraction is not None)

    def _add_static_artists(self) -> None:
        """Add the artists that do not move."""
        if isinstance(self.camera, FlatCamera):
            self.canvas.add_static(flat.walls(self.scene, self.camera, self.pencil))
        else:
            solids = Solids.of(self.scene, self.low, self.high)
            self.space = SpacePainter(self.scene, solids, self.camera, self.palette, self.unit)
        self.colours = ball_colours(self.scene, self.palette)
        if self.space is None:
            self.canvas.add_static(list(self._ruler_artists()))

    def change(self, scene: Scene) -> None:
        """Draw another scene from now on, after a merger or a broken link."""
        if scene is self.scene:
            return
        self.scene = scene
        self.colours = ball_colours(scene, self.palette)
        if self.space is not None:
            self.space.colours = self.colours

    def pixels(self, frame: Frame) -> Pixels:
        """A frame as rows of pixels from the top: red, green, blue, opacity."""
        return self.canvas.pixels(list(self._moving_artists(frame)))

    def document(self, frame: Frame, ending: str) -> bytes:
        """A frame as the content of a file: "svg" or "png"."""
        return self.canvas.document(list(self._moving_artists(frame, fine=ending == "svg")), ending)

    def _moving_artists(self, frame: Frame, *, fine: bool = False) -> Iterator[Artist]:
        places, ages = self.traces.ways(self.scene, frame)
        paint = self.colours[self.traces.traced_balls(self.scene)]
        if self.space is not None:
            ways = TraceLines(places, ages, self.traces.jump, paint) if self.look.trace else None
            yield Backdrop(self.space.draw(self.scene, frame.positions, ways, fine=fine), self.look.size)
        elif self.look.trace:
            yield from flat.traces(places, ages, self.traces.jump, self.camera, paint, self.pencil)
        there = frame.present
        at = self.camera.project(frame.positions)
        radii = shown_radii(self.scene.balls.radius, self.camera.scales(frame.positions), len(at), self.unit)
        if self.space is None:
            yield from self._links(frame)
            yield from self._balls(frame, radii, there)
        if self.look.arrows:
            yield from self._arrows(frame, at, there)
        if self.look.names and self.scene.balls.name:
            yield from flat.names(self.scene, at, radii, self.pencil, self.look.size)
        if self.space is not None:  # its pixels cover static artists
            yield from self._ruler_artists()
        yield self._time_label(frame.time)

    def _balls(self, frame: Frame, radii: Floats, there: NDArray[np.bool_]) -> Iterator[Artist]:
        """Balls in the plane; a ball across a periodic border continues at the other side."""
        rows = np.flatnonzero(there)
        places = frame.positions[rows]
        places, rows = with_images(self.scene, places, rows)
        if not len(rows):
            return
        at, fixed = self.camera.project(places), self.scene.balls.fixed[rows]
        drawn = [self.pencil.circles(at, radii[rows], self.colours[rows], 4.0)]
        if fixed.any():
            drawn.append(self._stripes(at[fixed], radii[rows][fixed]))
        for each in drawn:
            if periodic_axes(self.scene):
                self._clip_to_box(each)
            yield each

    def _stripes(self, places: Floats, radii: Floats) -> Any:
        """Stripes on fixed balls."""
        apart, lines = 7.0 * self.unit, []
        for (x, y), r in zip(places, radii, strict=True):
            if r <= 3.0 * self.unit:
                continue
            offsets = np.arange(np.ceil(-r / apart), np.floor(r / apart) + 1.0) * apart
            half = np.sqrt(np.maximum(r * r - offsets**2, 0.0)) * 0.93
            across, along = np.array([0.7071, -0.7071]), np.array([0.7071, 0.7071])
            middle = np.array([x, y]) + offsets[:, None] * across
            lines.append(np.stack([middle - half[:, None] * along, middle + half[:, None] * along], axis=1))
        ground = (*rgb(self.palette.ground), 0.6)
        return self.pencil.lines(np.concatenate(lines) if lines else [], ground, 2.4, 4.5)

    def _clip_to_box(self, artist: Any) -> None:
        """Clip an artist to the box along periodic axes."""
        from matplotlib.patches import Rectangle  # noqa: PLC0415  # an optional part

        corners = self.camera.project(np.array([np.zeros(2), np.array(self._box.size[:2])]))
        low, high = corners.min(axis=0), corners.max(axis=0)
        free = [0.0, 0.0, float(self.look.size[0]), float(self.look.size[1])]
        for axis in range(2):
            if not self._box.periodic[axis]:
                low[axis], high[axis] = free[axis], free[2 + axis]
        artist.set_clip_path(Rectangle(tuple(low), *(high - low), transform=self.canvas.transform))

    @property
    def _box(self) -> Box:
        box = self.scene.boundary.box
        assert box is not None  # noqa: S101  # only a box has periodic sides
        return box

    def _links(self, frame: Frame) -> Iterator[Artist]:
        """Lines for links, to the nearest image along periodic axes."""
        if not len(self.scene.links):
            return
        one, other = self.scene.links.between.T.astype(np.intp)
        place = frame.positions
        joined = dict(periodic_axes(self.scene))
        between = nearest_image(place[other] - place[one], [joined.get(axis, np.inf) for axis in range(place.shape[1])])
        lines = self.camera.project(np.stack([place[one], place[one] + between], axis=1))
        lines = lines[np.isfinite(lines).all(axis=(1, 2))]
        yield self.pencil.lines(lines, self.palette.link, 1.6, 3.5)

    def _arrows(self, frame: Frame, at: Floats, there: NDArray[np.bool_]) -> Iterator[Artist]:
        """Arrows for velocities, with a legend for their scale."""
        velocities = frame.velocities
        speeds = np.linalg.norm(velocities[there], axis=1)
        fastest, reach = float(speeds.max(initial=0.0)), float((self.high - self.low).max())
        part = fastest * self.arrow / reach
        if fastest and not (self.arrow and MIN_ARROWS < part < MAX_ARROWS_PART):
            wished = min(PREFERRED_ARROWS, 2.5 / max(len(speeds), 1) ** 0.5)  # some mean distances between balls
            self.arrow = round_below(wished * reach / fastest, BAR_STEPS)
        if not self.arrow:
            return
        some = np.flatnonzero(there)[:: int(np.ceil(there.sum() / flat.MAX_ARROWS))]
        tips = self.camera.project(frame.positions[some] + self.arrow * velocities[some])
        start = at[some]
        whole = np.isfinite(start).all(axis=1) & np.isfinite(tips).all(axis=1)
        yield from self.pencil.arrows(start[whole], tips[whole], self.palette.velocity, 6.0)
        yield from self._legend()

    def _legend(self) -> Iterator[Artist]:
        """An arrow of a round speed."""
        unit, (width, _) = self.unit, self.look.size
        speed = round_below(60.0 * unit / self.camera.scale / self.arrow, BAR_STEPS)
        long = speed * self.arrow * self.camera.scale
        words = f"velocity: {units.in_unit(speed, units.speed_unit(speed))}"
        right, level = width - 20.0 * unit, 24.0 * unit
        aligned: dict[str, Any] = {"horizontalalignment": "right", "verticalalignment": "center_baseline"}
        written = self.pencil.text(right, level, words, **aligned)
        yield written
        left = right - self.pencil.width(written) - 10.0 * unit - long
        ends = np.array([[left, level], [left + long, level]])
        yield from self.pencil.arrows(ends[:1], ends[1:], self.palette.velocity, 6.0, head=6.0)

    def _ruler_artists(self) -> Iterator[Artist]:
        """A bar of a round length at the lower left."""
        unit, (width, _) = self.unit, self.look.size
        metres = units.round_length(min(MAX_RULER * unit, 0.4 * width) / self.camera.scale)
        left, level, tick = 20.0 * unit, 18.0 * unit, 6.0 * unit
        right = left + metres * self.camera.scale
        bar = np.array([(left, level + tick), (left, level), (right, level), (right, level + tick)])
        yield self.pencil.lines([bar], self.palette.ground, 5.0, 7.0, joinstyle="round")
        yield self.pencil.lines([bar], self.palette.ink, 1.5, 7.1, joinstyle="miter")
        words = units.in_unit(metres, units.length_unit(metres))
        yield self.pencil.text(left + 7.0 * unit, level + 4.0 * unit, words)

    def _time_label(self, time: float) -> Artist:
        """The time, below the middle; its digits do not move."""
        size, name = self.time_unit
        words = f"{time / size:.{self.decimals}f} {name}".replace("-", "−")
        artist: Artist = self.pencil.text(
            self.look.size[0] / 2.0, 24.0 * self.unit, words, size=16.0, fontweight="bold",
            horizontalalignment="center", verticalalignment="center_baseline",
        )  # fmt: skip
        return artist


def seen(scene: Scene, instants: list[Frame]) -> tuple[Floats, Floats]:
    """Lower and upper corner of the view of a film; in open space it contains all `instants`."""
    low, high = bounds(scene)
    if scene.boundary.bounded:
        return low, high
    first_low, first_high = low.copy(), high.copy()
    for frame in instants:
        there, reach = frame.positions[frame.present], float(scene.balls.radius.max())
        if len(there):
            low, high = np.minimum(low, there.min(axis=0) - reach), np.maximum(high, there.max(axis=0) + reach)
    heaviest = star(scene)
    if heaviest is not None:
        start = scene.balls.position
        reach = ROOM * float(np.linalg.norm(start - start[heaviest], axis=1).max())
        low[:2] = np.minimum(low[:2], start[heaviest, :2] - reach)
        high[:2] = np.maximum(high[:2], start[heaviest, :2] + reach)
    room = (MAX_GROWTH - 1.0) / 2.0 * float((first_high - first_low).max())
    return np.maximum(low, first_low - room), np.minimum(high, first_high + room)
