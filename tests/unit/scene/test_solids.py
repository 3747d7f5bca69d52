"""Half-spaces, cylinders, blocks and wedges."""

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import Block, Cylinder, HalfSpace, Scene, Wedge


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def test_a_half_space():
    ground = HalfSpace(point=(0, 1), normal=(3, 4))
    assert (ground.dimension, ground.normal, ground.material) == (2, (3.0, 4.0), "wall")
    assert ground.unit_normal == pytest.approx((0.6, 0.8), rel=1e-15)
    assert HalfSpace(point=(0, 0, 0), normal=(0, 0, 1e-150)).unit_normal == (0.0, 0.0, 1.0)
    assert HalfSpace(point=(0, 0, 0), normal=(0, 0, 1e150)).unit_normal == (0.0, 0.0, 1.0)


def test_dimensions():
    assert Cylinder(centre=(0, 0), radius=1).dimension == 3
    assert Block(low=(0, 0), high=(1, 1)).dimension == 2
    assert Block(low=(0, 0, 0), high=(1, 1, 1)).dimension == 3


@pytest.mark.parametrize(
    ("wedge", "corners"),
    [
        (Wedge(slope=1, intercept=1, x=(0, 2), bottom=0), [(0, 0), (2, 0), (2, 3), (0, 1)]),
        (Wedge(slope=0, intercept=1, x=(0, 2), bottom=0), [(0, 0), (2, 0), (2, 1), (0, 1)]),
        (Wedge(slope=1, intercept=0, x=(0, 2), bottom=0), [(0, 0), (2, 0), (2, 2)]),
        (Wedge(slope=1, intercept=0, x=(0, 2), bottom=1), [(1, 1), (2, 1), (2, 2)]),
        (Wedge(slope=-1, intercept=2, x=(0, 2), bottom=0), [(0, 0), (2, 0), (0, 2)]),
        (Wedge(slope=-1, intercept=2, x=(0, 2), bottom=1), [(0, 1), (1, 1), (0, 2)]),
    ],
)
def test_the_corners_of_a_wedge(wedge, corners):
    assert wedge.corners == corners
    assert wedge.outline.area > 0.0  # counter-clockwise
    x, y = np.random.default_rng(0).uniform(-1, 4, (2, 1000))
    inside = (y < wedge.slope * x + wedge.intercept) & (wedge.x[0] < x) & (x < wedge.x[1]) & (y > wedge.bottom)
    assert wedge.outline.contains(np.stack([x, y], axis=1)).tolist() == inside.tolist()


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("solid", "line"),
    [
        (
            {"kind": "half-space", "point": (0, 0), "normal": (0, 0)},
            "normal: (0, 0) has no direction. Use a vector that is not zero.",
        ),
        (
            {"kind": "half-space", "point": (0, 0), "normal": (0, 0, 1)},
            "normal: (0.0, 0.0, 1.0) has 3 components, but point has 2. Give both the same number of components.",
        ),
        (
            {"kind": "half-space", "point": (0, 0)},
            "normal: is missing. Add it: direction out of the solid, of any length, two or three numbers.",
        ),
        (
            {"kind": "cylinder", "centre": (0, 0, 0), "radius": 1},
            "centre: (0, 0, 0) has 3 components. Write two numbers, x and y.",
        ),
        ({"kind": "cylinder", "centre": (0, 0), "radius": 0}, "radius: 0 is not positive. Use a number above 0."),
        (
            {"kind": "block", "low": (0, 0), "high": (1, 0)},
            "high[1]: 0.0 is not above 0.0, the lower corner's. Swap them, or move one.",
        ),
        (
            {"kind": "block", "low": (0, 0), "high": (1, 1, 1)},
            "high: (1.0, 1.0, 1.0) has 3 components, but low has 2. Give both the same number of components.",
        ),
        (
            {"kind": "wedge", "slope": 1, "intercept": 0, "x": (1, 0), "bottom": 0},
            "x: (1, 0) does not go from left to right. Write two numbers, the smaller one first.",
        ),
        (
            {"kind": "wedge", "slope": 1, "intercept": 0, "x": (0, 1), "bottom": 1},
            "bottom: 1.0 is not below the surface, which is at most at 1.0 m. Lower the bottom.",
        ),
        (
            {"kind": "wedge", "slope": 1e150, "intercept": 0, "x": (0, 1e10), "bottom": 1},
            "slope: 1e+150 makes it 1e+160 m high, beyond 1e+150. Use a smaller slope, or a smaller x.",
        ),
        ({"kind": "halfspace"}, "kind: 'halfspace' is not a kind of obstacle. Did you mean 'half-space'?"),
    ],
    ids=str,
)
def test_a_mistake_is_one_clear_line(solid, line):
    assert lines(lambda: Scene(obstacles=[solid])) == [f"obstacles[0].{line}"]
