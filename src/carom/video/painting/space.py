"""Paint a scene in space as pixels with a depth buffer: spheres, cloth and walls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.video.painting import flat, raster
from carom.video.painting.camera import OrbitCamera
from carom.video.painting.canvas import Pixels
from carom.video.painting.colours import ball_colours, rgb, shown_radii
from carom.video.painting.solids import EDGE, FLOOR, GLASS, SOLID, Solids
from carom.views.palette import Palette

Floats = NDArray[np.float64]

SUPERSAMPLING = 2
"""Computed pixels per pixel of the picture, along each side; they are averaged for smooth edges."""
NEARER_LINES, NEARER_LINKS = 1.002, 1.012
"""The depth test takes lines on a surface, and links on a cloth, as nearer by this factor."""


class TraceLines(NamedTuple):
    """Traces of balls: places (instants, balls, 3), ages (1 to 0), and the balls' colours."""

    places: Floats
    ages: Floats
    jump: float
    """A longer distance between two instants is a step across a periodic border, m."""
    colours: Floats


class SpacePainter:
    """Draws frames of one scene with one camera."""

    def __init__(self, scene: Scene, solids: Solids, camera: OrbitCamera, palette: Palette, unit: float) -> None:
        self.camera = camera
        self.palette = palette
        self.unit = unit
        self.colours = ball_colours(scene, palette)
        width, height = (SUPERSAMPLING * side for side in camera.size)
        self.screen = raster.PixelBuffer(
            np.empty((height, width, 3), dtype=np.float32),
            np.empty((height, width), dtype=np.float32),
            SUPERSAMPLING * camera.focal,
            SUPERSAMPLING * camera.lift,
        )
        self._place(solids)
        self.base_colour, self.base_depth = self._base()

    def _place(self, solids: Solids) -> None:
        """Project the solids, which do not move."""
        places = np.array(solids.faces, dtype=np.float64).reshape(-1, 3, 3)
        self.faces = self.camera.seen(places)
        self.normals = self._turned(np.array(solids.normals, dtype=np.float64).reshape(-1, 3, 3))
        self.roles = np.array(solids.roles, dtype=np.intp)
        self.lines = self.camera.seen(np.array(solids.lines, dtype=np.float64).reshape(-1, 2, 3))
        kinds = np.array(solids.kinds, dtype=np.intp)
        tint = {SOLID: self.palette.solid, GLASS: self.palette.solid_edge, FLOOR: self.palette.solid}
        self.tints = np.array([rgb(tint[role]) for role in self.roles.tolist()]).reshape(-1, 3)
        self.opacities = np.array([1.0, 0.13, 0.22])[self.roles]
        self.gleams = np.array([0.08, -1.0, 0.0])[self.roles]  # below 0: glass, denser the more aslant
        edge, grid = rgb(self.palette.wall), rgb(self.palette.soft)
        self.line_tints = np.where((kinds == EDGE)[:, None], edge, grid)
        self.line_opacities = np.where(kinds == EDGE, 0.75, 0.25)

    def _turned(self, normals: Floats) -> Floats:
        """Directions in the frame of the camera, with the third axis towards it."""
        frame = np.stack([self.camera.right, self.camera.up, -self.camera.forward], axis=1)
        return np.asarray(normals @ frame)

    def _base(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Colours and depths of the ground with the solids."""
        self.screen.colour[:] = rgb(self.palette.ground)
        self.screen.inverse_depth[:] = 0.0
        self._triangles(self.roles == SOLID)
        return self.screen.colour.copy(), self.screen.inverse_depth.copy()

    def _triangles(self, some: NDArray[np.bool_]) -> None:
        tints = self.tints[some]
        shown = raster.Triangles(
            self.faces[some], self.normals[some], tints, tints, self.opacities[some], self.gleams[some]
        )
        raster.draw_triangles(self.screen, shown)

    def draw(self, scene: Scene, places: Floats, ways: TraceLines | None = None, *, fine: bool = False) -> Pixels:
        """A frame, as rows from the top; `fine` gives all computed pixels, for paper."""
        self.screen.colour[:] = self.base_colour
        self.screen.inverse_depth[:] = self.base_depth
        seen = self.camera.seen(places)
        if len(scene.triangles):
            self._cloth(scene, places, seen)
        self._balls(scene, places, seen)
        if len(scene.links):
            self._links(scene, seen)
        if ways is not None:
            self._traces(ways)
        self._triangles(self.roles != SOLID)
        self._segments(self.lines, self.line_tints, self.line_opacities, 1.5)
        times = 1 if fine else SUPERSAMPLING
        height, width = self.base_depth.shape
        pixels = np.empty((height // times, width // times, 4), dtype=np.uint8)
        raster.downsample(self.screen.colour, pixels, times)
        return pixels

    def _balls(self, scene: Scene, places: Floats, seen: Floats) -> None:
        scales = self.camera.scales(places)
        quiet = np.zeros(len(places), dtype=np.bool_)
        quiet[scene.triangles.ravel()] = True  # corners of a cloth are not drawn
        there = np.isfinite(seen).all(axis=1) & np.isfinite(scales) & ~quiet
        seen, scales = seen[there], scales[there]
        radii = shown_radii(scene.balls.radius[there], scales, len(places), self.unit) / scales / self.camera.distance
        stripe = 7.0 * SUPERSAMPLING * self.unit
        shown = raster.Spheres(seen, radii, self.colours[there], scene.balls.fixed[there])
        raster.draw_spheres(self.screen, shown, rgb(self.palette.ground), stripe)

    def _cloth(self, scene: Scene, places: Floats, seen: Floats) -> None:
        """Triangles between balls with smooth normals, darker at the back."""
        faces = scene.triangles.astype(np.intp)
        faces = faces[np.isfinite(seen[faces]).all(axis=(1, 2))]
        corners = places[faces]
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        across /= np.maximum(np.sqrt(np.linalg.norm(across, axis=1))[:, None], 1e-300)
        normals = np.zeros_like(places)
        for k in range(3):
            np.add.at(normals, faces[:, k], across)
        fill = np.broadcast_to(rgb(self.palette.cloth), (len(faces), 3))
        ones = np.ones(len(faces))
        shown = raster.Triangles(seen[faces], self._turned(normals)[faces], fill.copy(), 0.78 * fill, ones, 0.06 * ones)
        raster.draw_triangles(self.screen, shown)

    def _links(self, scene: Scene, seen: Floats) -> None:
        lines = seen[scene.links.between.astype(np.intp)]
        lines = lines[np.isfinite(lines).all(axis=(1, 2))]
        opacity = np.full(len(lines), 0.28 if len(scene.triangles) else 0.95)
        self._segments(
            lines, np.broadcast_to(rgb(self.palette.link), (len(lines), 3)).copy(), opacity, 1.4, NEARER_LINKS
        )

    def _traces(self, ways: TraceLines) -> None:
        """The traces of balls."""
        few = ways.places.shape[1] <= flat.MAX_OWN_COLOURS
        seen = self.camera.seen(ways.places)
        step = np.abs(np.diff(ways.places, axis=0)).max(axis=2)
        whole = (step < ways.jump) & ~np.isnan(step)
        lines = np.stack([seen[:-1], seen[1:]], axis=2)[whole]
        tints = ways.colours if few else np.broadcast_to(rgb(self.palette.trace), ways.colours.shape)
        opacity = np.broadcast_to(flat.opacities(flat.fading(ways.ages))[:, None], whole.shape)[whole]
        paint = np.broadcast_to(tints, (*whole.shape, 3))[whole]
        self._segments(lines, paint, opacity, 1.6 if few else 1.2)

    def _segments(  # lines, and how they look
        self, lines: Floats, tints: Floats, opacities: Floats, thick: float, nearer: float = NEARER_LINES
    ) -> None:
        wide = thick * SUPERSAMPLING * self.unit
        raster.draw_lines(self.screen, raster.Lines(lines, tints, opacities), wide, nearer)
