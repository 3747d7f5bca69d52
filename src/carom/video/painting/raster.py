"""Kernels that draw spheres, triangles and lines as pixels with a depth buffer.

Places are in the frame of the camera: right, up, away; lengths are parts of the camera's distance. The depth buffer
holds inverse depths, which are linear on the screen over a plane seen in perspective.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from carom.kernels.jit import independent_kernel as kernel
from carom.kernels.jit import inline

NEAREST = 1e-3
"""Triangles and lines with a corner nearer than this part of the camera's distance are not drawn."""
SPHERE_GLEAM = 0.22
MIN_STRIPED = 6.0
"""Smallest radius of a fixed ball that shows stripes, px."""


class PixelBuffer(NamedTuple):
    """The pixels that are drawn on, and the projection onto them."""

    colour: Any
    """Rows from the top; red, green, blue from 0 to 1."""
    inverse_depth: Any
    """Depth buffer; 0 where nothing is drawn."""
    focal: Any
    """Pixels per length at distance 1."""
    lift: Any
    """How far the optical axis is above the middle of the picture, px."""


class Spheres(NamedTuple):
    """Balls: one row each."""

    centres: Any
    radii: Any
    colours: Any
    fixed: Any
    """Mask of the balls that are striped."""


class Triangles(NamedTuple):
    """Triangles: one row each."""

    corners: Any
    normals: Any
    """One per corner."""
    front: Any
    """Colours of the side from which the normals point away."""
    back: Any
    """Colours of the other side."""
    opacity: Any
    """1 hides what is behind; below 1, the colour is blended in."""
    gleam: Any
    """Weight of the reflected lamp; below 0: glass, which is denser the more aslant it is seen."""


class Lines(NamedTuple):
    """Straight lines: one row each."""

    ends: Any
    colours: Any
    opacity: Any


@inline
def project(screen: Any, x: Any, y: Any, inverse: Any) -> Any:
    """Pixel coordinates, from the upper left, of a place with an inverse depth."""
    height, width = screen.inverse_depth.shape
    return (
        width / 2.0 + x * inverse * screen.focal,
        height / 2.0 - screen.lift - y * inverse * screen.focal,
    )


@inline
def ray(screen: Any, row: Any, col: Any) -> Any:
    """Direction, to the right and up at depth 1, of the ray through the middle of a pixel."""
    height, width = screen.inverse_depth.shape
    return (col + 0.5 - width / 2.0) / screen.focal, (height / 2.0 - screen.lift - row - 0.5) / screen.focal


@inline
def pixel_range(low: Any, high: Any, size: Any) -> Any:
    """The rows or columns between two coordinates that are on a screen of `size` pixels."""
    return range(max(int(low), 0), min(int(high) + 1, size))


@inline
def blend(screen: Any, row: Any, col: Any, colour: Any, part: Any) -> None:
    """Mix a part of a colour into a pixel."""
    for k in range(3):
        screen.colour[row, col, k] += part * (colour[k] - screen.colour[row, col, k])


@inline
def lit(fill: Any, nx: Any, ny: Any, nz: Any, ex: Any, ey: Any, ez: Any, gleam: Any) -> Any:
    """The light that a surface of a colour component `fill` sends to the eye: a lamp at the upper left, a sky, a gleam.

    I = fill (0.34 + 0.2 sky + 0.55 day) + gleam shine^40, by Blinn (1977). The third axis points to the eye here.
    """
    lx, ly, lz = -0.4262, 0.6629, 0.6156  # a unit vector
    day = max(nx * lx + ny * ly + nz * lz, 0.0)
    sky = 0.5 + 0.5 * ny
    hx, hy, hz = lx + ex, ly + ey, lz + ez
    size = (hx * hx + hy * hy + hz * hz) ** 0.5
    shine = max((hx * nx + hy * ny + hz * nz) / size, 0.0)
    shine *= shine  # ^2
    shine *= shine  # ^4
    shine *= shine  # ^8
    return fill * (0.34 + 0.2 * sky + 0.55 * day) + gleam * shine * shine * shine * shine * shine


def draw_spheres(screen: PixelBuffer, spheres: Spheres, ground: Any, stripe: float) -> None:
    """Draw balls as exact spheres. Fixed ones have stripes of the colour `ground`, with a period of `stripe` pixels."""
    draw_all_spheres(tuple(screen), tuple(spheres), ground, stripe)


@kernel
def draw_all_spheres(pixels: Any, rows: Any, ground: Any, stripe: Any) -> None:
    """Draw the spheres in front of the eye."""
    screen, spheres = PixelBuffer(*pixels), Spheres(*rows)
    for i in range(len(spheres.centres)):
        if spheres.centres[i, 2] > spheres.radii[i]:
            draw_sphere(screen, spheres, i, ground, stripe)


@inline
def draw_sphere(screen: Any, spheres: Any, i: Any, ground: Any, stripe: Any) -> None:
    """Draw a ball in front of the eye: one ray for each pixel within a square round it."""
    (height, width), focal = screen.inverse_depth.shape, screen.focal
    x, y, z, r = spheres.centres[i, 0], spheres.centres[i, 1], spheres.centres[i, 2], spheres.radii[i]
    half = 1.02 * r * focal / (z * z - r * r) ** 0.5 * (1.0 + (x * x + y * y) / (z * z)) ** 0.5 + 1.0
    px, py = width / 2.0 + x / z * focal, height / 2.0 - screen.lift - y / z * focal
    for row in pixel_range(py - half, py + half + 1.0, height):
        for col in pixel_range(px - half, px + half + 1.0, width):
            dx, dy = ray(screen, row, col)
            size2 = dx * dx + dy * dy + 1.0
            along = (x * dx + y * dy + z) / size2  # of the point of the ray that is nearest to the centre
            ax, ay, az = along * dx - x, along * dy - y, along - z
            under = r * r - (ax * ax + ay * ay + az * az)
            if under <= 0.0:
                continue
            depth = along - (under / size2) ** 0.5
            if depth <= 0.0 or 1.0 / depth <= screen.inverse_depth[row, col]:
                continue
            screen.inverse_depth[row, col] = 1.0 / depth
            nx, ny, nz = (depth * dx - x) / r, (depth * dy - y) / r, (z - depth) / r
            size = size2**0.5
            pale = 0.0
            if spheres.fixed[i] and half > MIN_STRIPED:
                wave = (nx + ny) * half / stripe
                pale = 0.5 if abs(wave - int(wave) if wave >= 0.0 else wave - int(wave) + 1.0) < 0.5 else 0.0
            for k in range(3):
                own = (1.0 - pale) * spheres.colours[i, k] + pale * ground[k]
                value = lit(own, nx, ny, nz, -dx / size, -dy / size, 1.0 / size, SPHERE_GLEAM)
                screen.colour[row, col, k] = min(value, 1.0)


@inline
def side(px: Any, py: Any, qx: Any, qy: Any, x: Any, y: Any, area: Any) -> Any:
    """Twice the area between an edge and a pixel, and whether the pixel is on the inner side of the edge.

    The order of operations does not depend on the triangle: of two that share an edge, exactly one has each pixel.
    """
    if px < qx or (px == qx and py < qy):
        value = (px - x) * (qy - y) - (qx - x) * (py - y)
        return value, value > 0.0 if area > 0.0 else value <= 0.0
    value = (qx - x) * (py - y) - (px - x) * (qy - y)
    return -value, value <= 0.0 if area > 0.0 else value > 0.0


def draw_triangles(screen: PixelBuffer, triangles: Triangles) -> None:
    """Draw triangles with smooth normals, lit on both sides, in their order."""
    draw_all_triangles(tuple(screen), tuple(triangles))


@kernel
def draw_all_triangles(pixels: Any, rows: Any) -> None:
    """Draw the triangles in front of the eye."""
    screen, triangles = PixelBuffer(*pixels), Triangles(*rows)
    corners = triangles.corners
    for i in range(len(corners)):
        if corners[i, 0, 2] >= NEAREST and corners[i, 1, 2] >= NEAREST and corners[i, 2, 2] >= NEAREST:
            draw_triangle(screen, triangles, i)


@inline
def draw_triangle(screen: Any, triangles: Any, i: Any) -> None:
    """Draw the pixels whose middles are in a triangle."""
    (height, width), corners = screen.inverse_depth.shape, triangles.corners
    wa, wb, wc = 1.0 / corners[i, 0, 2], 1.0 / corners[i, 1, 2], 1.0 / corners[i, 2, 2]
    ax, ay = project(screen, corners[i, 0, 0], corners[i, 0, 1], wa)
    bx, by = project(screen, corners[i, 1, 0], corners[i, 1, 1], wb)
    cx, cy = project(screen, corners[i, 2, 0], corners[i, 2, 1], wc)
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if area == 0.0:
        return
    low_x, high_x = min(ax, bx, cx), max(ax, bx, cx)
    low_y, high_y = min(ay, by, cy), max(ay, by, cy)
    for row in pixel_range(low_y - 0.5, high_y + 0.5, height):
        y = row + 0.5
        for col in pixel_range(low_x - 0.5, high_x + 0.5, width):
            x = col + 0.5
            u, on_u = side(bx, by, cx, cy, x, y, area)
            v, on_v = side(cx, cy, ax, ay, x, y, area)
            w, on_w = side(ax, ay, bx, by, x, y, area)
            if on_u and on_v and on_w:
                u, v, w = u / area, v / area, w / area
                inverse = u * wa + v * wb + w * wc
                if inverse >= screen.inverse_depth[row, col]:
                    shade(screen, row, col, triangles, i, (u, v, w), inverse)


@inline
def shade(screen: Any, row: Any, col: Any, triangles: Any, i: Any, weights: Any, inverse: Any) -> None:
    """Draw a pixel of triangle i, given its barycentric coordinates and inverse depth."""
    nx, ny, nz = mean_normal(triangles.normals, i, weights)
    dx, dy = ray(screen, row, col)
    ex, ey = -dx, -dy
    far = (ex * ex + ey * ey + 1.0) ** 0.5
    ex, ey, ez = ex / far, ey / far, 1.0 / far
    facing = nx * ex + ny * ey + nz * ez
    opacity, gleam = triangles.opacity[i], triangles.gleam[i]
    if opacity < 1.0:
        slant = 1.0 - abs(facing)
        blend(
            screen, row, col, triangles.front[i],
            min(opacity * (0.35 + 1.6 * slant * slant) if gleam < 0.0 else opacity, 1.0),
        )  # fmt: skip
        return
    screen.inverse_depth[row, col] = inverse
    turn = -1.0 if facing < 0.0 else 1.0
    for k in range(3):
        own = triangles.front[i, k] if facing >= 0.0 else triangles.back[i, k]
        screen.colour[row, col, k] = min(lit(own, turn * nx, turn * ny, turn * nz, ex, ey, ez, gleam), 1.0)


@inline
def mean_normal(normals: Any, i: Any, weights: Any) -> Any:
    """The unit normal of triangle i at the barycentric coordinates `weights`."""
    u, v, w = weights
    nx = u * normals[i, 0, 0] + v * normals[i, 1, 0] + w * normals[i, 2, 0]
    ny = u * normals[i, 0, 1] + v * normals[i, 1, 1] + w * normals[i, 2, 1]
    nz = u * normals[i, 0, 2] + v * normals[i, 1, 2] + w * normals[i, 2, 2]
    size = max((nx * nx + ny * ny + nz * nz) ** 0.5, 1e-30)
    return nx / size, ny / size, nz / size


def draw_lines(screen: PixelBuffer, lines: Lines, thickness: float, nearer: float) -> None:
    """Draw straight lines with a thickness, px. The depth test takes them as nearer by the factor `nearer`."""
    draw_all_lines(tuple(screen), tuple(lines), thickness, nearer)


@kernel
def draw_all_lines(pixels: Any, rows: Any, thickness: Any, nearer: Any) -> None:
    """Draw the lines in front of the eye."""
    screen, lines = PixelBuffer(*pixels), Lines(*rows)
    ends = lines.ends
    for i in range(len(ends)):
        if ends[i, 0, 2] >= NEAREST and ends[i, 1, 2] >= NEAREST:
            draw_line(screen, lines, i, thickness, nearer)


@inline
def draw_line(screen: Any, lines: Any, i: Any, thickness: Any, nearer: Any) -> None:
    """Draw a line along its major axis, the one on which it is longer, with smooth edges."""
    (height, width), ends = screen.inverse_depth.shape, lines.ends
    wa, wb = 1.0 / ends[i, 0, 2], 1.0 / ends[i, 1, 2]
    ax, ay = project(screen, ends[i, 0, 0], ends[i, 0, 1], wa)
    bx, by = project(screen, ends[i, 1, 0], ends[i, 1, 1], wb)
    dx, dy = bx - ax, by - ay
    long = (dx * dx + dy * dy) ** 0.5
    if long == 0.0:
        return
    steep = abs(dy) > abs(dx)
    half = thickness / 2.0 * long / (abs(dy) if steep else abs(dx)) + 1.0
    start, stop = (min(ay, by), max(ay, by)) if steep else (min(ax, bx), max(ax, bx))
    for major in pixel_range(start - 1.0, stop + 1.0, height if steep else width):
        part = (major + 0.5 - (ay if steep else ax)) / (dy if steep else dx)
        middle = ax + part * dx if steep else ay + part * dy
        for minor in pixel_range(middle - half, middle + half, width if steep else height):
            row, col = (major, minor) if steep else (minor, major)
            x, y = col + 0.5 - ax, row + 0.5 - ay
            along = (x * dx + y * dy) / long
            if along < 0.0 or along > long:
                continue
            cover = min(max(thickness / 2.0 + 0.5 - abs(x * dy - y * dx) / long, 0.0), 1.0) * lines.opacity[i]
            if (wa + along / long * (wb - wa)) * nearer >= screen.inverse_depth[row, col]:
                blend(screen, row, col, lines.colours[i], cover)


@kernel
def downsample(colour: Any, pixels: Any, times: Any) -> None:
    """Fill a smaller picture, in bytes, with the means of blocks of `times` by `times` pixels."""
    height, width = pixels.shape[:2]
    share = 255.0 / (times * times)
    for row in range(height):
        for col in range(width):
            red = green = blue = 0.0
            for a in range(times * row, times * row + times):
                for b in range(times * col, times * col + times):
                    red += colour[a, b, 0]
                    green += colour[a, b, 1]
                    blue += colour[a, b, 2]
            pixels[row, col, 0] = int(red * share + 0.5)
            pixels[row, col, 1] = int(green * share + 0.5)
            pixels[row, col, 2] = int(blue * share + 0.5)
            pixels[row, col, 3] = 255
