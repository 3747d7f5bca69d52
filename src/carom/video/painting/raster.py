"""Spheres, triangles and lines as pixels, with what is nearer in front: kernels.

Places are in the eye's own frame: right, up, away; lengths are parts of the camera's distance. A buffer of inverse
depths tells what is in front: the inverse depth is linear on the screen over a plane (as perspective has it). A lens is
the number of pixels at distance 1, and how far the middle is lifted, in pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from carom.kernels.jit import OPTIONS, inline

F = TypeVar("F", bound=Callable[..., Any])

# ruff: noqa: PLR0913, PLR0917  # kernels take numbers rather than objects


def kernel(function: F) -> F:
    """Compile an entry point; its cache goes by this file alone, which holds all that these kernels call."""
    compiled: F = numba.njit(**{**OPTIONS, "cache": True})(function)
    return compiled


@inline
def lit(fill: Any, nx: Any, ny: Any, nz: Any, ex: Any, ey: Any, ez: Any, gleam: Any) -> Any:
    """A part of white light that a surface sends to the eye: a lamp at the upper left, a sky, a soft gleam.

    I = fill (0.34 + 0.2 sky + 0.55 day) + gleam shine^40, by Blinn (1977). The third axis is towards the eye here.
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


@kernel
def spheres(
    colour: Any, front: Any, places: Any, radii: Any, fill: Any, ground: Any, fixed: Any, lens: Any, stripe: Any
) -> None:
    """Draw balls as true spheres: a ray for each pixel. Fixed ones are striped."""
    (height, width), (focal, lift) = front.shape, lens
    for i in range(len(places)):
        x, y, z, r = places[i, 0], places[i, 1], places[i, 2], radii[i]
        if not z > r:
            continue
        half = 1.02 * r * focal / (z * z - r * r) ** 0.5 * (1.0 + (x * x + y * y) / (z * z)) ** 0.5 + 1.0
        px, py = width / 2.0 + x / z * focal, height / 2.0 - lift - y / z * focal
        for row in range(max(int(py - half), 0), min(int(py + half) + 2, height)):
            dy = (height / 2.0 - lift - row - 0.5) / focal
            for col in range(max(int(px - half), 0), min(int(px + half) + 2, width)):
                dx = (col + 0.5 - width / 2.0) / focal
                size2 = dx * dx + dy * dy + 1.0
                along = (x * dx + y * dy + z) / size2  # of the ray's point that is nearest to the middle
                ax, ay, az = along * dx - x, along * dy - y, along - z
                under = r * r - (ax * ax + ay * ay + az * az)
                if under <= 0.0:
                    continue
                depth = along - (under / size2) ** 0.5
                if depth <= 0.0 or 1.0 / depth <= front[row, col]:
                    continue
                front[row, col] = 1.0 / depth
                nx, ny, nz = (depth * dx - x) / r, (depth * dy - y) / r, (z - depth) / r
                size = size2**0.5
                pale = 0.0
                if fixed[i] and half > 6.0:
                    wave = (nx + ny) * half / stripe
                    pale = 0.5 if abs(wave - int(wave) if wave >= 0.0 else wave - int(wave) + 1.0) < 0.5 else 0.0
                for k in range(3):
                    own = (1.0 - pale) * fill[i, k] + pale * ground[k]
                    value = lit(own, nx, ny, nz, -dx / size, -dy / size, 1.0 / size, 0.22)
                    colour[row, col, k] = min(value, 1.0)


@inline
def side(px: Any, py: Any, qx: Any, qy: Any, x: Any, y: Any, area: Any) -> Any:
    """On which side of an edge a pixel is: twice the area between them, and whether that is inside.

    Computed in the same order from whichever triangle one comes: of two that share an edge, one has each pixel.
    """
    if px < qx or (px == qx and py < qy):
        value = (px - x) * (qy - y) - (qx - x) * (py - y)
        return value, value > 0.0 if area > 0.0 else value <= 0.0
    value = (qx - x) * (py - y) - (px - x) * (qy - y)
    return -value, value <= 0.0 if area > 0.0 else value > 0.0


@kernel
def triangles(
    colour: Any, front: Any, places: Any, normals: Any, fill: Any, back: Any, opacity: Any, gleam: Any, lens: Any
) -> None:
    """Draw triangles with smooth normals, lit on both sides.

    What is opaque hides what is behind it; glass, whose opacity is below 1, is laid over, the denser the more aslant.
    """
    (height, width), (focal, lift) = front.shape, lens
    for i in range(len(places)):
        if places[i, 0, 2] < 1e-3 or places[i, 1, 2] < 1e-3 or places[i, 2, 2] < 1e-3:
            continue
        wa, wb, wc = 1.0 / places[i, 0, 2], 1.0 / places[i, 1, 2], 1.0 / places[i, 2, 2]
        ax, ay = width / 2.0 + places[i, 0, 0] * wa * focal, height / 2.0 - lift - places[i, 0, 1] * wa * focal
        bx, by = width / 2.0 + places[i, 1, 0] * wb * focal, height / 2.0 - lift - places[i, 1, 1] * wb * focal
        cx, cy = width / 2.0 + places[i, 2, 0] * wc * focal, height / 2.0 - lift - places[i, 2, 1] * wc * focal
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if area == 0.0:
            continue
        low_x, high_x = min(ax, bx, cx), max(ax, bx, cx)
        low_y, high_y = min(ay, by, cy), max(ay, by, cy)
        for row in range(max(int(low_y - 0.5), 0), min(int(high_y + 0.5) + 1, height)):
            y = row + 0.5
            for col in range(max(int(low_x - 0.5), 0), min(int(high_x + 0.5) + 1, width)):
                x = col + 0.5
                u, on_u = side(bx, by, cx, cy, x, y, area)
                v, on_v = side(cx, cy, ax, ay, x, y, area)
                w, on_w = side(ax, ay, bx, by, x, y, area)
                if not (on_u and on_v and on_w):
                    continue
                u, v, w = u / area, v / area, w / area
                inverse = u * wa + v * wb + w * wc
                if inverse < front[row, col]:
                    continue
                nx = u * normals[i, 0, 0] + v * normals[i, 1, 0] + w * normals[i, 2, 0]
                ny = u * normals[i, 0, 1] + v * normals[i, 1, 1] + w * normals[i, 2, 1]
                nz = u * normals[i, 0, 2] + v * normals[i, 1, 2] + w * normals[i, 2, 2]
                size = max((nx * nx + ny * ny + nz * nz) ** 0.5, 1e-30)
                ex, ey = -(x - width / 2.0) / focal, -(height / 2.0 - lift - y) / focal
                far = (ex * ex + ey * ey + 1.0) ** 0.5
                ex, ey, ez = ex / far, ey / far, 1.0 / far
                nx, ny, nz = nx / size, ny / size, nz / size
                facing = nx * ex + ny * ey + nz * ez
                if opacity[i] < 1.0:
                    slant = 1.0 - abs(facing)
                    part = min(opacity[i] * (0.35 + 1.6 * slant * slant) if gleam[i] < 0.0 else opacity[i], 1.0)
                    for k in range(3):
                        colour[row, col, k] += part * (fill[i, k] - colour[row, col, k])
                    continue
                front[row, col] = inverse
                if facing < 0.0:
                    nx, ny, nz = -nx, -ny, -nz
                for k in range(3):
                    own = fill[i, k] if facing >= 0.0 else back[i, k]
                    colour[row, col, k] = min(lit(own, nx, ny, nz, ex, ey, ez, gleam[i]), 1.0)


@kernel
def segments(colour: Any, front: Any, places: Any, fill: Any, opacity: Any, thick: Any, lens: Any, nearer: Any) -> None:
    """Draw straight lines, so many pixels thick; what is in front of them hides them, but for a part `nearer`."""
    (height, width), (focal, lift) = front.shape, lens
    for i in range(len(places)):
        if places[i, 0, 2] < 1e-3 or places[i, 1, 2] < 1e-3:
            continue
        wa, wb = 1.0 / places[i, 0, 2], 1.0 / places[i, 1, 2]
        ax, ay = width / 2.0 + places[i, 0, 0] * wa * focal, height / 2.0 - lift - places[i, 0, 1] * wa * focal
        bx, by = width / 2.0 + places[i, 1, 0] * wb * focal, height / 2.0 - lift - places[i, 1, 1] * wb * focal
        dx, dy = bx - ax, by - ay
        long = (dx * dx + dy * dy) ** 0.5
        if long == 0.0:
            continue
        steep = abs(dy) > abs(dx)
        half = thick / 2.0 * long / (abs(dy) if steep else abs(dx)) + 1.0
        start, stop = (min(ay, by), max(ay, by)) if steep else (min(ax, bx), max(ax, bx))
        for major in range(max(int(start - 1.0), 0), min(int(stop + 1.0) + 1, height if steep else width)):
            part = (major + 0.5 - (ay if steep else ax)) / (dy if steep else dx)
            middle = ax + part * dx if steep else ay + part * dy
            for minor in range(max(int(middle - half), 0), min(int(middle + half) + 1, width if steep else height)):
                row, col = (major, minor) if steep else (minor, major)
                x, y = col + 0.5 - ax, row + 0.5 - ay
                along = (x * dx + y * dy) / long
                if along < 0.0 or along > long:
                    continue
                cover = min(max(thick / 2.0 + 0.5 - abs(x * dy - y * dx) / long, 0.0), 1.0) * opacity[i]
                share = along / long
                if (wa + share * (wb - wa)) * nearer < front[row, col]:
                    continue
                for k in range(3):
                    colour[row, col, k] += cover * (fill[i, k] - colour[row, col, k])


@kernel
def shrunk(colour: Any, pixels: Any, times: Any) -> None:
    """The mean of so many by so many pixels for each of a smaller picture, as bytes."""
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
