"""Pictures are to scale: read back as XML, and measured."""

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np
import pytest

from carom import (
    ArgumentError,
    Ball,
    Balls,
    Block,
    Box,
    Circle,
    Cylinder,
    HalfSpace,
    Link,
    Polygon,
    Scene,
    Simulation,
    View,
    Wedge,
    draw,
    library,
)
from carom.views import balls as balls_module
from carom.views.walls import SOLID

SVG = "{http://www.w3.org/2000/svg}"
POOL = Ball(position=(0.1, 0.05), velocity=(0.5, 0.0), radius=0.0285, name="cue ball")
TABLE = Scene(boundary=Box(size=(0.4, 0.2)), balls=[POOL, Ball(position=(0.3, 0.15), radius=0.01)])
HOLE = Circle(centre=(0.1, 0.1), radius=0.03)
OTHERS = [Ball(position=(0.1, 0.1), radius=0.01, material=name) for name in ("ball", "steel")]

LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
UNITS = {"km": 1e3, "m": 1.0, "cm": 1e-2, "nm": 1e-9}


@dataclass(frozen=True)
class Picture:
    """An SVG picture, to be measured; lengths in mm of the picture."""

    root: ET.Element

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.root.get("width"), self.root.get("height")
        assert (width[-2:], height[-2:]) == ("mm", "mm")
        return float(width[:-2]), float(height[:-2])

    @property
    def view_box(self) -> list[float]:
        return [float(part) for part in self.root.get("viewBox").split()]

    def of_kind(self, kind: str) -> list[ET.Element]:
        return self.root.findall(f".//*[@class='{kind}']")

    @property
    def circles(self) -> list[ET.Element]:
        """Of the balls."""
        return self.of_kind("balls")[0].findall(f"{SVG}circle")

    @property
    def colours(self) -> list[str]:
        return [circle.get("fill") for circle in self.circles]

    def words(self, kind: str) -> str:
        (found,) = self.of_kind(kind)
        return found.text

    @property
    def bar(self) -> float:
        (found,) = self.of_kind("bar")
        start, end = re.fullmatch(r"M(\S+) \S+v2H(\S+)v-2", found.get("d")).groups()
        return float(end) - float(start)

    @property
    def floor(self) -> ET.Element:
        (found,) = self.of_kind("floor")
        return found


def picture(what: object, **options: object) -> Picture:
    return Picture(ET.fromstring(draw(what, **options)))


def numbers(element: ET.Element, *names: str) -> list[float]:
    return [float(element.get(name)) for name in names]


def centres(seen: Picture) -> np.ndarray:
    return np.array([numbers(circle, "cx", "cy") for circle in seen.circles])


def complaint(**options: object) -> str:
    with pytest.raises(ArgumentError) as caught:
        draw(TABLE, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.requirement("T-07")
class TestRealSize:
    def test_a_mm_of_the_picture_is_a_mm_of_the_scene(self) -> None:
        seen = picture(TABLE, scale="real")
        assert seen.view_box == [0.0, 0.0, *seen.size]  # so a unit of the picture is a mm, on paper and on screen
        assert [numbers(circle, "r") for circle in seen.circles] == [[28.5], [10.0]]
        assert numbers(seen.floor, "width", "height") == [400.0, 200.0]
        assert seen.words("scale") == "1:1"

    def test_places_are_to_scale_and_y_is_up(self) -> None:
        seen = picture(TABLE, scale="real")
        left, top = numbers(seen.floor, "x", "y")
        assert centres(seen) - (left, top) == pytest.approx(np.array([[100.0, 150.0], [300.0, 50.0]]), abs=1e-9)

    def test_y_is_down_if_the_scene_says_so(self) -> None:
        seen = picture(TABLE.replace(view=View(y_down=True)), scale="real")
        left, top = numbers(seen.floor, "x", "y")
        assert centres(seen) - (left, top) == pytest.approx(np.array([[100.0, 50.0], [300.0, 150.0]]), abs=1e-9)

    @pytest.mark.parametrize(
        ("side", "scale"), [(0.0199, "8:1"), (0.02, "1:1"), (0.6, "1:1"), (0.6 + 1e-16, "1:1"), (0.601, "1:4")]
    )
    def test_it_is_the_rule_for_what_a_screen_can_show(self, side: float, scale: str) -> None:
        assert picture(Scene(boundary=Box(size=(side, side)))).words("scale") == scale


@pytest.mark.requirement("T-07")
class TestFitting:
    @pytest.mark.parametrize("metres", [3e-9, 7e-4, 0.02, 1.0, 2.54, 40_000.0, 1e20])
    @pytest.mark.parametrize("shape", [(1.0, 0.5), (0.25, 1.0)])
    def test_the_picture_fits_and_its_scale_is_true(self, metres: float, shape: tuple[float, float]) -> None:
        size = (metres * shape[0], metres * shape[1])
        scene = Scene(boundary=Box(size=size), balls=[Ball(position=(size[0] / 2, size[1] / 2), radius=metres / 16)])
        seen = picture(scene, scale="fit", pixels=500)
        room = 500 * 25.4 / 96
        assert max(seen.size) <= room
        assert max(numbers(seen.floor, "width", "height")) > room / 2  # and is not much smaller than it could be
        (radius,) = numbers(seen.circles[0], "r")
        told = [float(part.replace("×10", "e").translate(LOWERED)) for part in seen.words("scale").split(":")]
        assert 1.0 in told
        assert radius == pytest.approx(1000 * metres / 16 * told[0] / told[1], abs=1e-4)

    def test_the_bar_is_as_long_as_it_says(self) -> None:
        for metres, words in [(2.54, "50 cm"), (0.3, "2 cm"), (2e-8, "5 nm"), (9e4, "20 km"), (3e-15, "5×10⁻¹⁶ m")]:
            seen = picture(Scene(boundary=Box(size=(metres, metres))))
            assert seen.words("length") == words
            (wide,) = numbers(seen.floor, "width")
            value, unit = words.split()
            told = float(value.replace("×10", "e").translate(LOWERED)) * UNITS[unit]
            assert seen.bar / wide == pytest.approx(told / metres, rel=1e-4)


class TestWalls:
    def test_walls_stand_outside_and_seams_are_dashed(self) -> None:
        seen = picture(Scene(boundary=Box(size=(0.4, 0.2), periodic=(True, False))))
        left, top, width, height = numbers(seen.floor, "x", "y", "width", "height")
        strips = [numbers(each, "x", "y", "width", "height") for each in seen.of_kind("wall")]
        assert strips == [[left, top - 1.0, width, 1.0], [left, top + height, width, 1.0]]
        assert [numbers(each, "x1", "x2") for each in seen.of_kind("seam")] == [[left] * 2, [left + width] * 2]

    @pytest.mark.parametrize("y_down", [False, True])
    def test_arcs_bend_to_the_right_side(self, y_down: bool) -> None:
        """The arcs of the path, followed as SVG defines them, pass through the apexes of the outline."""
        bulges = [0.5, 1.0, 0.0, -0.3]
        table = Polygon(vertices=[(0, 0), (0.2, 0), (0.2, 0.2), (0, 0.2)], bulges=bulges, holes=[HOLE])
        seen = picture(Scene(boundary=table, view=View(y_down=y_down)), scale="real")
        low, high = table.outline.box[0].min(axis=0), table.outline.box[1].max(axis=0)
        origin = (4.0 - 1000 * low[0], 4.0 - 1000 * low[1] if y_down else 4.0 + 1000 * high[1])
        flip = (1000.0, 1000.0 if y_down else -1000.0)
        expected = [outline.apex * flip + origin for outline in (table.outline, HOLE.outline)]
        loops = [loop for loop in seen.floor.get("d").split("Z") if loop]
        assert len(loops) == 2
        for loop, apex in zip(loops, expected, strict=True):
            assert drawn_apexes(loop) == pytest.approx(apex, abs=1e-3)
        assert seen.floor.get("fill-rule") == "evenodd"  # so the hole shows what is below, which is solid

    def test_a_round_wall_and_obstacles(self) -> None:
        scene = Scene(
            boundary=Circle(centre=(0.1, 0.1), radius=0.15),
            obstacles=[Circle(centre=(0.1, 0.2), radius=0.02), Polygon(vertices=[(0, 0), (0.05, 0), (0, 0.05)])],
        )
        seen = picture(scene, scale="real")
        assert numbers(seen.floor, "r") == [150.0]
        disk, triangle = seen.of_kind("obstacle")
        assert numbers(disk, "r") == [20.0]
        assert triangle.get("d").count("L") == 3
        assert {disk.get("fill"), triangle.get("fill")} == {SOLID}


def drawn_apexes(loop: str) -> np.ndarray:
    """Middle of each piece of a path of M, L and A, by the geometry of SVG: y is down, sweep 1 turns to the right."""
    found = re.findall(r"([MLA])([^MLA]+)", loop)
    here = np.array([float(part) for part in found[0][1].split()])
    middles = []
    for letter, arguments in found[1:]:
        values = [float(part) for part in arguments.split()]
        end = np.array(values[-2:])
        middle, chord = (here + end) / 2, end - here
        if letter == "A":
            radius, _, _, large, sweep = values[:5]
            half = np.linalg.norm(chord) / 2
            rest = math.sqrt(max(0.0, radius**2 - half**2))
            rise = radius + rest if large else radius - rest
            left = np.array([chord[1], -chord[0]]) / (2 * half)  # of the way, as one sees it
            middle = middle + (rise if sweep else -rise) * left
        middles.append(middle)
        here = end
    return np.array(middles)


class TestBalls:
    def test_a_name_has_a_colour_and_a_tooltip(self) -> None:
        seen = picture(TABLE)
        assert [circle.findtext(f"{SVG}title") for circle in seen.circles] == ["cue ball", None]
        assert len(set(seen.colours)) == 2

    def test_materials_have_colours_and_fixed_balls_are_solid(self) -> None:
        peg = Ball(position=(0.3, 0.1), radius=0.01, fixed=True)
        colours = picture(TABLE.replace(balls=[*OTHERS, OTHERS[0], peg])).colours
        assert colours[0] == colours[2] != colours[1]
        assert colours[3] == SOLID

    def test_colours_can_be_given(self) -> None:
        assert picture(TABLE, colours=["red", "#00ff00"]).colours == ["red", "#00ff00"]
        assert picture(TABLE, colours=['"/><script>', "blue"]).colours == ['"/><script>', "blue"]

    @pytest.mark.parametrize("colours", [["red"], "red", ["red", 3]])
    def test_colours_that_do_not_fit(self, colours: object) -> None:
        assert complaint(colours=colours) == "colours: do not fit the balls. Give a list of 2 texts."

    def test_a_point_is_a_dot(self) -> None:
        assert numbers(picture(TABLE.replace(balls=[Ball(position=(0.1, 0.1))])).circles[0], "r") == [0.5]

    def test_a_ball_goes_on_across_a_periodic_border(self) -> None:
        scene = Scene(boundary=Box(size=(0.2, 0.1), periodic=True), balls=[Ball(position=(0.005, 0.095), radius=0.01)])
        seen = picture(scene, scale="real")
        (window,) = seen.of_kind("balls")
        frame = numbers(window, "x", "y", "width", "height")
        assert frame == numbers(seen.floor, "x", "y", "width", "height")  # what is beyond is cut off
        assert [float(part) for part in window.get("viewBox").split()] == frame
        places = centres(seen) - frame[:2]
        assert sorted(map(tuple, places.round(6).tolist())) == [(5.0, 5.0), (5.0, 105.0), (205.0, 5.0), (205.0, 105.0)]

    def test_3d_is_seen_along_z_the_highest_ball_on_top(self) -> None:
        balls = [Ball(position=(0.1, 0.1, z), radius=r) for z, r in ((0.15, 0.03), (0.05, 0.02))]
        seen = picture(Scene(boundary=Box(size=(0.2, 0.2, 0.2)), balls=balls))
        assert [numbers(circle, "r") for circle in seen.circles] == [[20.0], [30.0]]
        assert seen.words("remarks") == "seen along z"

    def test_a_misplaced_ball_is_shown(self) -> None:
        seen = picture(TABLE.replace(balls=[Ball(position=(-0.05, 0.1), radius=0.01)]), scale="real")
        (window,) = seen.of_kind("balls")
        assert numbers(window, "x", "y", "width", "height") == [0.0, 0.0, *seen.size]
        (cx, _), (left,) = centres(seen)[0], numbers(seen.floor, "x")
        assert cx == left - 50.0 > 0.0


class TestLinks:
    def test_they_are_lines_between_centres(self) -> None:
        seen = picture(TABLE.replace(links=[Link(between=(0, 1), stiffness=1)]), scale="real")
        (links,) = seen.of_kind("links")
        (path,) = links.findall(f"{SVG}path")
        ends = [float(part) for part in re.findall(r"[\d.]+", path.get("d"))]
        assert ends == pytest.approx(centres(seen).ravel().tolist(), abs=1e-3)
        assert not picture(TABLE).of_kind("links")

    def test_one_across_a_periodic_border_is_seen_at_both_sides(self) -> None:
        balls = [Ball(position=(0.01, 0.05)), Ball(position=(0.19, 0.05)), Ball(position=(0.05, 0.05))]
        links = [Link(between=(0, 1), stiffness=1), Link(between=(0, 2), stiffness=1)]
        seen = picture(Scene(boundary=Box(size=(0.2, 0.1), periodic=True), balls=balls, links=links), scale="real")
        (window,) = seen.of_kind("links")
        left = numbers(seen.floor, "x")[0]
        lines = re.findall(r"M(\S+) \S+?L(\S+) ", window.find(f"{SVG}path").get("d").replace("M", " M"))
        found = [[round(float(x) - left, 2) for x in line] for line in lines]
        assert found == [[10.0, -10.0], [10.0, 50.0], [210.0, 190.0]]
        assert numbers(window, "x", "width") == numbers(seen.floor, "x", "width")  # what is beyond is cut off


class TestSolids:
    def test_in_the_plane(self) -> None:
        solids = [Block(low=(0.1, 0.05), high=(0.2, 0.1)), Wedge(slope=1, intercept=0, x=(0, 0.1), bottom=0)]
        seen = picture(TABLE.replace(obstacles=solids), scale="real")
        left, top = numbers(seen.floor, "x", "y")
        block, wedge = seen.of_kind("obstacle")
        x, y, width, height = numbers(block, "x", "y", "width", "height")
        assert (x - left, y - top, width, height) == pytest.approx((100.0, 100.0, 100.0, 50.0), abs=1e-9)
        assert wedge.get("d").count("L") == 3
        assert {block.get("fill"), wedge.get("fill")} == {SOLID}

    @pytest.mark.parametrize("y_down", [False, True])
    def test_a_half_space_covers_its_side_of_the_sheet(self, y_down: bool) -> None:
        ground = HalfSpace(point=(0.0, 0.05), normal=(0, 2))
        scene = TABLE.replace(obstacles=[ground], view=View(y_down=y_down))
        seen = picture(scene, scale="real")
        (solid,) = seen.of_kind("obstacle")
        corners = re.findall(r"([\d.]+) ([\d.]+)", solid.get("d"))
        heights = sorted({float(y) for _, y in corners})
        (top,) = numbers(seen.floor, "y")
        level = top + (50.0 if y_down else 150.0)
        footer = 200.0 + 2.0 * top  # what is below stays free for bar and scale
        assert heights == pytest.approx([0.0, level] if y_down else [level, footer], abs=1e-3)
        assert {float(x) for x, _ in corners} == {0.0, seen.size[0]}

    def test_a_half_space_seen_from_above_is_not_drawn(self) -> None:
        floor = HalfSpace(point=(0, 0, 0), normal=(0, 0, 1))
        (seen,) = picture(Scene(boundary=Box(size=(1, 1, 1)), obstacles=[floor])).of_kind("obstacle")
        assert seen.get("d") is None

    def test_in_space(self) -> None:
        scene = Scene(
            boundary=Cylinder(centre=(0.1, 0.1), radius=0.1),
            obstacles=[Cylinder(centre=(0.1, 0.1), radius=0.03), Block(low=(0.1, 0.1, 0), high=(0.2, 0.2, 1))],
        )
        seen = picture(scene, scale="real")
        assert numbers(seen.floor, "r") == [100.0]
        peg, block = seen.of_kind("obstacle")
        assert numbers(peg, "r") == [30.0]
        assert numbers(block, "width") == pytest.approx([100.0])


class TestCrowds:
    def test_a_crowd_is_one_path_a_colour(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(balls_module, "MIN_BALLS_FOR_PATHS", 2)
        (window,) = picture(TABLE, scale="real").of_kind("balls")
        assert not window.findall(f"{SVG}circle")
        radii = {re.search(r"a(\S+) ", path.get("d"))[1] for path in window.findall(f"{SVG}path")}
        assert radii == {"28.500", "10.000"}

    def test_twenty_thousand(self) -> None:
        text = draw(library.load("gas", count=20_000, periodic=False))
        assert text.count("M") >= 20_000
        assert len(text) < 2_000_000

    def test_more_than_can_be_shown_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        many = Scene(balls=Balls(position=np.arange(2_000_000.0).reshape(-1, 2)))
        with pytest.raises(ArgumentError, match=r"^balls: 1,000,000 are more than a picture can show, 200,000\. Draw"):
            draw(many)
        monkeypatch.setattr("carom.simulation.simulation.MOST_BALLS", 1)
        assert Simulation(TABLE)._repr_svg_() is None


class TestArrows:
    def test_they_show_a_time_of_flight(self) -> None:
        seen = picture(TABLE, scale="real", arrows=True)
        assert seen.words("remarks") == "arrows: 100 ms of flight"  # 0.5 m/s: 50 mm, at most a fifth of 400 mm
        (arrows,) = seen.of_kind("arrows")
        start, end = re.match(r"M(\S+) \S+?L(\S+) ", arrows.get("d")).groups()
        assert float(end) - float(start) == pytest.approx(50.0, abs=1e-3)
        assert float(start) == centres(seen)[0][0]

    def test_they_are_short_in_a_crowd(self) -> None:
        assert picture(library.load("gas"), arrows=True).words("remarks") == "arrows: 10 ms of flight"

    def test_they_point_up_where_y_is_up(self) -> None:
        rising = TABLE.replace(balls=[Ball(position=(0.1, 0.1), velocity=(0.0, 1.0), radius=0.01)])
        (arrows,) = picture(rising, arrows=True).of_kind("arrows")
        start, end = re.match(r"M\S+ ([^L]+)L\S+ ([^M]+)", arrows.get("d")).groups()
        assert float(end) < float(start)

    def test_none_leaves_the_sheet(self) -> None:
        leaving = TABLE.replace(balls=[Ball(position=(0.39, 0.19), velocity=(1.0, 0.5), radius=0.01)])
        seen = picture(leaving, scale="real", arrows=True)
        (arrows,) = seen.of_kind("arrows")
        right, top = map(float, re.match(r"[^L]+L(\S+) ([^M]+)", arrows.get("d")).groups())
        assert right < seen.size[0]
        assert top > 0.0
        assert numbers(seen.floor, "width", "height") == [400.0, 200.0]

    def test_nothing_moves(self) -> None:
        seen = picture(TABLE.replace(balls=[Ball(position=(0.1, 0.1), radius=0.01)]), arrows=True)
        assert not seen.of_kind("arrows")
        assert not seen.of_kind("remarks")


class TestMistakes:
    @pytest.mark.parametrize(("side", "told"), [(1e-4, "100 µm"), (11.0, "11 m")])
    def test_what_nobody_could_look_at_is_refused(self, side: float, told: str) -> None:
        with pytest.raises(ArgumentError, match=f"^scale: at its real size .* {told} large\\. Use scale='fit'\\.$"):
            draw(Scene(boundary=Box(size=(side, side))), scale="real")

    @pytest.mark.parametrize("pixels", [0, -800, math.nan, math.inf, "800", True, None, 10])
    def test_a_size_that_cannot_be(self, pixels: object) -> None:
        assert complaint(scale="fit", pixels=pixels).startswith("pixels: ")

    def test_a_scale_that_is_unknown(self) -> None:
        assert complaint(scale="huge") == "scale: 'huge' is unknown. Use 'real' or 'fit'."


class TestAnything:
    @pytest.mark.parametrize("name", library.names())
    def test_every_scene_of_the_library(self, name: str) -> None:
        scene = library.load(name)
        seen = picture(scene, arrows=True)
        assert len(seen.circles) >= (scene.balls.born == 0.0).sum()

    @pytest.mark.parametrize(
        "scene",
        [
            Scene(),
            Scene(balls=[Ball(position=(3.0, 4.0))]),
            Scene(balls=[Ball(position=(1e150, -1e150)), Ball(position=(-1e150, 1e150), radius=1e-150)]),
            Scene(balls=[Ball(position=(0.0, 0.0), velocity=(1e-150, 0.0), radius=1e-150)]),
            Scene(name="<&>]]>", balls=[Ball(position=(0.0, 0.0), radius=0.1, name="'\"<")]),
        ],
        ids=["nothing", "a point", "huge", "tiny", "odd letters"],
    )
    def test_odd_scenes(self, scene: Scene) -> None:
        seen = picture(scene, arrows=True)
        assert all(math.isfinite(value) for value in [*seen.size, seen.bar, *centres(seen).ravel()])
        assert max(seen.size) < 250.0

    def test_a_simulation_is_drawn_as_it_stands(self) -> None:
        sim = Simulation(TABLE).run(until=0.1)
        seen = picture(sim, scale="real")
        assert seen.words("remarks") == "t = 0.1 s"
        assert centres(seen)[0][0] - numbers(seen.floor, "x")[0] == pytest.approx(150.0, abs=1e-3)
        assert sim._repr_svg_() == draw(sim, scale="fit")

    def test_the_same_scene_gives_the_same_picture(self) -> None:
        assert draw(TABLE, arrows=True) == draw(TABLE, arrows=True)


class TestWhatIsThere:
    def test_who_is_not_born_is_not_drawn(self) -> None:
        scene = Scene(
            gravity=(0.0, -1.0),
            balls=[Ball(position=(0.0, 0.0), born=1.0), Ball(position=(1.0, 0.0)), Ball(position=(2.0, 0.0), born=1.0)],
            links=[Link(between=(0, 2), stiffness=1.0)],
        )
        assert len(picture(scene).circles) == 1
        assert len(picture(Simulation(scene).run(until=1.5)).circles) == 3

    @pytest.mark.requirement("S-08")
    def test_planets_can_be_seen(self) -> None:
        seen = picture(library.load("planetary-system"))
        assert len(seen.circles) == 9
        assert min(numbers(circle, "r") for circle in seen.circles) == [balls_module.POINT]


def test_a_run_is_shown_without_those_who_are_not_born_their_links_and_arrows() -> None:
    balls = [Ball(position=(0.1 * k, 0.0), velocity=(0.0, 1.0), radius=0.01, born=0.5 * k) for k in range(3)]
    scene = Scene(balls=balls, links=[Link(between=(0, 1), stiffness=1.0), Link(between=(1, 2), stiffness=1.0)])
    at_first = Picture(ET.fromstring(draw(Simulation(scene), arrows=True)))
    assert len(at_first.root.findall(f".//{SVG}circle")) == 1
    assert not at_first.of_kind("links")
    assert at_first.of_kind("arrows")[0].get("d").count("M") == 2  # a shaft and a head
    later = Picture(ET.fromstring(draw(Simulation(scene).run(until=0.7))))
    assert len(later.root.findall(f".//{SVG}circle")) == 2
    assert later.of_kind("links")[0].find(f"{SVG}path").get("d").count("M") == 1
