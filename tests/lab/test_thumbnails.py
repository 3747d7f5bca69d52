"""The gallery's pictures: every scene has one, in both themes, with what matters on it."""

from xml.etree import ElementTree as ET

import pytest

from carom import library
from carom.lab.lean import lean
from carom.lab.thumbnails import thumbnail

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", library.names())
def test_every_scene_has_a_picture_in_both_themes(name):
    light, dark = thumbnail(name), thumbnail(name, "dark")
    for picture in (light, dark):
        drawn = ET.fromstring(picture)
        assert drawn.tag == f"{SVG}svg"
        width, height = map(float, drawn.get("viewBox").split()[2:])
        assert width > 0.0
        assert height > 0.0
        assert len(list(drawn.iter())) > 2
        assert "nan" not in picture
        assert "inf" not in picture
    if name not in {"figure-eight", "coupled-oscillators"}:  # coloured balls alone look the same in the dark
        assert light != dark


def test_a_picture_is_made_once():
    assert thumbnail("break") is thumbnail("break")


def test_pictures_are_small_enough_for_a_gallery_that_opens_at_once():
    sizes = {name: len(thumbnail(name)) for name in library.names()}
    assert max(sizes.values()) < 60_000, sizes
    assert sum(sizes.values()) < 300_000, sizes


def test_rows_of_equal_disks_are_one_path():
    disk = '<circle cx="{}" cy="2.12345" r="0.5" fill="#123456"/>'
    many = "\n".join(disk.format(k) for k in range(40))
    assert lean(many).startswith(
        '<path fill="none" stroke="#123456" stroke-linecap="round" stroke-width="1" d="M0 2.12h0M1 '
    )
    assert lean(many).count("h0") == 40
    few = "\n".join(disk.format(k) for k in range(3))
    assert lean(few) == few.replace("2.12345", "2.12")


def test_planets_are_on_their_orbits():
    drawn = ET.fromstring(thumbnail("inner-planets"))
    paths = [each.get("d") for each in drawn.iter(f"{SVG}path")]
    bodies = [(float(each.get("cx")), float(each.get("cy"))) for each in drawn.iter(f"{SVG}circle")]
    assert len(paths) == 4  # the Sun has none
    assert len(bodies) == 5
    near = 0
    for path in paths:
        points = [tuple(map(float, pair.split())) for pair in path[1:].split("L")]
        near += any(min(abs(x - a) + abs(y - b) for x, y in points) < 1.5 for a, b in bodies)
    assert near == 4


def test_what_is_born_later_is_seen_falling():
    drawn = thumbnail("water-on-a-ball")
    assert drawn.count("<circle") + drawn.count("h0") > 50


def test_small_balls_are_seen_in_a_small_picture():
    """A gas under gravity is a thousand balls of a three-hundredth of its height: dots of a third of a pixel."""
    drawn = ET.fromstring(thumbnail("gas-under-gravity"))
    height = float(drawn.get("viewBox").split()[3])
    [dots] = [each for each in drawn.iter(f"{SVG}path") if each.get("stroke-linecap") == "round"]
    assert float(dots.get("stroke-width")) > 0.008 * height
