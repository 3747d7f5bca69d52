"""Box, circle and open space."""

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import Box, Circle, Open, Polygon, Scene


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def test_a_box_as_given_in_short():
    box = Box(size=(0.5, 0.3))
    assert box.size == (0.5, 0.3)
    assert box.periodic == (False, False)
    assert box.material == ("wall",) * 4
    assert box.dimension == 2


def test_a_box_as_given_in_full():
    box = Box(size=np.array([1, 2, 3]), periodic=[True, False, True], material=list("abcdef"))
    assert box.size == (1.0, 2.0, 3.0)
    assert box.periodic == (True, False, True)
    assert box.material == tuple("abcdef")
    assert Box(size=(1, 2, 3), periodic=True).periodic == (True, True, True)


def test_a_circle_and_a_sphere():
    assert Circle(centre=(0, 0), radius=1).dimension == 2
    assert Circle(centre=(0, 0, 0), radius=1).dimension == 3


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Box(size=(1, 0)), "size[1]: 0.0 is not positive. Use a number above 0."),
        (lambda: Box(size=(1, -2)), "size[1]: -2.0 is not positive. Use a number above 0."),
        (lambda: Box(size=(1,)), "size: (1,) has 1 component. Write two or three numbers."),
        (
            lambda: Box(size=(1, 1e151)),
            "size[1]: 1e+151 is beyond 1e+150. Use numbers up to 1e+150, for squares must not overflow.",
        ),
        (
            lambda: Box(size=(1, 1e-151)),
            "size[1]: 1e-151 is too small. Use 1e-150 and more, for squares must not vanish.",
        ),
        (lambda: Box(size=(1, float("inf"))), "size[1]: inf is not finite. Write a finite number."),
        (Box, "size: is missing. Add it: lengths of the sides, in m, two or three positive numbers."),
        (
            lambda: Box(size=(1, 1), periodic=[True]),
            "periodic: 1 value for 2 axes. Give one for all, or one for each axis.",
        ),
        (
            lambda: Box(size=(1, 1), periodic=[True, 1]),
            "periodic[1]: 1 is not true or false. Write true or false, without quotes.",
        ),
        (
            lambda: Box(size=(1, 1), material=["a", "b"]),
            "material: 2 values for 4 faces. Give one for all, or one for each face.",
        ),
        (lambda: Box(size=(1, 1), sise=3), "sise: unknown key (with the value 3). Did you mean 'size'?"),
        (lambda: Circle(centre=(0, 0), radius=0), "radius: 0 is not positive. Use a number above 0."),
        (lambda: Circle(centre=0, radius=1), "centre: 0 is not a list. Write a list of numbers."),
        (lambda: Open(size=(1, 1)), "size: unknown key (with the value (1, 1)). Known keys: kind."),
        (
            lambda: Scene(boundary={"kind": "bix"}),
            "boundary.kind: 'bix' is not a kind of boundary. Did you mean 'box'?",
        ),
        (
            lambda: Scene(boundary={"size": (1, 1)}),
            (
                "boundary.kind: is missing. "
                "Add the kind of boundary, one of 'box', 'polygon', 'circle', 'cylinder', 'open'."
            ),
        ),
        (
            lambda: Scene(boundary={"kind": 3}),
            "boundary.kind: 3 is not a kind of boundary. Known kinds: box, polygon, circle, cylinder, open.",
        ),
        (
            lambda: Scene(boundary="box"),
            (
                "boundary: 'box' is not a kind of boundary. "
                "Write a table with a kind, one of 'box', 'polygon', 'circle', 'cylinder', 'open'."
            ),
        ),
        (
            lambda: Scene(boundary={"kind": "box", "size": [1, "2"]}),
            "boundary.size[1]: '2' is a text, not a number. Write the number without quotes.",
        ),
        (
            lambda: Scene(obstacles=[{"kind": "box", "size": [1, 2]}]),
            (
                "obstacles[0].kind: 'box' is not a kind of obstacle. "
                "Known kinds: circle, polygon, half-space, cylinder, block, wedge."
            ),
        ),
        (
            lambda: Scene(
                obstacles=[Polygon(vertices=[(0, 0), (9, 0), (0, 9)], holes=[Circle(centre=(2, 2), radius=1)])]
            ),
            "obstacles[0].holes: an obstacle has no holes, for it is solid. Leave the holes out.",
        ),
    ],
)
def test_a_mistake_is_one_clear_line(make, line):
    assert lines(make) == [line]
