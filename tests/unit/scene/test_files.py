"""Scenes in files: round trips, and clear words for every bad file."""

import json
import math
from time import perf_counter

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import Problem, SceneError, StorageError
from carom.scene import (
    Attraction,
    Ball,
    Balls,
    Bend,
    Bends,
    Block,
    Box,
    Circle,
    Coulomb,
    Cylinder,
    Drag,
    Friction,
    FrictionPair,
    HalfSpace,
    Link,
    Links,
    Pair,
    Planet,
    Polygon,
    Restitution,
    Scene,
    Stepping,
    View,
    Wedge,
    library,
)
from carom.scene.io import files

ISSUED = """
name = "Unequal masses"
[boundary]
kind = "box"
size = [0.5, 0.3]
[[balls]]
position = [0.10, 0.1]
velocity = [0.1, 0.0]
mass = 0.02
radius = 0.02
"""

RICH = Scene(
    name='Quotes " and ümläuts',
    description="[\n 1,\n\t2,\n]",
    look_at="the corner",
    boundary=Polygon(
        vertices=[(0, 0), (4, 0), (4, 4), (0, 4)],
        bulges=[0.1, 0, -0.2, 0],
        material=["a", "b", "a", "b"],
        holes=[[(1, 1), (2, 1), (2, 2)], Circle(centre=(3, 3), radius=0.2, material="brass")],
    ),
    obstacles=[Circle(centre=(1, 3), radius=0.1), Polygon(vertices=[(0.1, 0.1), (0.2, 0.1), (0.1, 0.2)])],
    balls=[
        Ball(position=(1 / 3, 0.1 + 0.2), velocity=(1e-300, -5e149), mass=0.02, radius=1e-9, name="first"),
        Ball(position=(2, 0.5), fixed=True, material="steel"),
    ],
    gravity=(0, -9.81),
    restitution=Restitution(ball_ball=0.9, ball_wall=0.5, pairs=[Pair(materials=("ball", "brass"), value=0.1)]),
    contact_time=1e-6,
    view=View(y_down=True),
)

SCENES = {
    "rich": RICH,
    "empty": Scene(),
    "empty in 3D": Scene(gravity=(0, 0, 0)),
    "box": Scene(boundary=Box(size=(1, 2, 3), periodic=(True, False, True), material=list("abcdef")), restitution=0.5),
    "periodic": Scene(
        boundary=Box(size=(1, 2), periodic=True, material="felt"), restitution=Restitution(ball_ball=0.5)
    ),
    "round": Scene(boundary=Circle(centre=(0, 0, 0), radius=1, material="glass")),
    "100 balls": Scene(balls=Balls(position=np.random.default_rng(0).random((100, 2)))),
    "101 equal balls": Scene(balls=Balls(position=np.random.default_rng(0).random((101, 2)), mass=2.0, material="x")),
    "many unequal balls": Scene(
        balls=Balls(
            position=np.random.default_rng(1).random((150, 3)),
            velocity=np.random.default_rng(2).normal(size=(150, 3)) * (np.arange(150) % 2)[:, None],
            mass=np.random.default_rng(3).random(150) + 0.1,
            radius=np.random.default_rng(4).random(150),
            fixed=np.arange(150) % 2 == 0,
            material=["a", "b", "c"] * 50,
            name=["first", *[None] * 149],
            born=np.arange(150.0) / 3,
        )
    ),
    "a planet": Scene(gravity=Planet(), balls=[Ball(position=(0, 0, 0), born=0.1)]),
    "another planet": Scene(gravity=Planet(G=1.0, M=1 / 3, R=7.0)),
    "forces": Scene(
        drag=Drag(linear=0.1, quadratic=0.2),
        attraction=Attraction(G=1.0, softening=0.1, touch="merge", opening=0.5),
        friction=Friction(ball_wall=Coulomb(static=0.5, dynamic=0.4)),
        stepping=Stepping(step=1e-3, integrator="verlet", contacts="pile"),
    ),
    "short forms": Scene(drag=0.1, attraction=Attraction(), friction=0.3, stepping=Stepping(step=0.01)),
    "no drag to speak of": Scene(drag=0),
    "static and dynamic": Scene(friction=Coulomb(static=0.5, dynamic=0.4)),
    "pairs that rub": Scene(
        friction=Friction(ball_ball=0.1, pairs=[FrictionPair(materials=("a", "b"), value=Coulomb(static=1, dynamic=0))])
    ),
    "solids": Scene(
        obstacles=[
            HalfSpace(point=(0, 1 / 3), normal=(1, 7), material="ice"),
            Block(low=(0, 0), high=(1, 1 / 3)),
            Wedge(slope=0.1, intercept=0.2, x=(0, 1), bottom=0),
        ]
    ),
    "solids in 3D": Scene(
        boundary=Cylinder(centre=(0, 0), radius=3, material="glass"),
        obstacles=[
            HalfSpace(point=(0, 0, 0), normal=(0, 1, 0)),
            Cylinder(centre=(1, 1), radius=0.1),
            Block(low=(0, 0, 0), high=(1, 1, 1)),
            Wedge(slope=0.1, intercept=0.2, x=(0, 1), bottom=0),
            Polygon(vertices=[(0, 0), (1, 0), (0, 1)]),
        ],
    ),
    "an empty prism": Scene(boundary=Polygon(vertices=[(0, 0), (1, 0), (0, 1)]), gravity=(0, 0, 0)),
    "links": Scene(
        balls=Balls(position=np.random.default_rng(5).random((5, 3))),
        links=[Link(between=(0, 1), stiffness=1 / 3), Link(between=(4, 2), stiffness=2, damping=3, breaking=0.5)],
        bends=[Bend(corner=(0, 1, 2), stiffness=2.0), Bend(corner=(2, 3, 4), stiffness=0.0, angle=1.0)],
        triangles=[(0, 1, 2), (2, 3, 4)],
    ),
    "many links": Scene(
        balls=Balls(position=np.random.default_rng(6).random((200, 2))),
        links=Links(
            between=np.stack([np.arange(199), np.arange(1, 200)], axis=1),
            stiffness=np.arange(199.0),
            breaking=[None, *[0.1] * 198],
        ),
        bends=Bends(corner=np.stack([np.arange(k, k + 198) for k in range(3)], axis=1), stiffness=1.0),
    ),
}


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def test_the_form_that_documents_show():
    assert files.loads(ISSUED) == Scene(
        name="Unequal masses",
        boundary=Box(size=(0.5, 0.3)),
        balls=[Ball(position=(0.1, 0.1), velocity=(0.1, 0.0), mass=0.02, radius=0.02)],
    )


@pytest.mark.parametrize("form", ["toml", "json"])
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_written_and_read_again_is_the_same(scene, form):
    assert files.loads(files.dumps(scene, form), form) == scene


@pytest.mark.parametrize("suffix", ["toml", "json", "TOML"])
def test_files(tmp_path, suffix):
    path = tmp_path / f"scene.{suffix}"
    files.dump(RICH, path)
    assert files.load(path) == files.load(str(path)) == RICH


@given(
    st.lists(st.floats(-1e150, 1e150), min_size=2, max_size=2),
    st.floats(1e-150, 1e150),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), max_size=30),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n"), max_size=30),
)
def test_numbers_keep_every_bit_and_texts_every_letter(position, mass, name, description):
    scene = Scene(balls=[Ball(position=position, mass=mass)], name=name, description=description)
    for form in ("toml", "json"):
        assert files.loads(files.dumps(scene, form), form) == scene


def test_a_small_scene_reads_like_one_written_by_hand():
    scene = Scene(boundary=Box(size=(0.5, 0.3)), balls=[Ball(position=(0.1, 0.2), radius=0.02)])
    assert files.dumps(scene) == (
        'schema = 1\n\n[boundary]\nkind = "box"\nsize = [0.5, 0.3]\n\n[[balls]]\nposition = [0.1, 0.2]\nradius = 0.02\n'
    )


def test_many_balls_are_written_in_columns():
    text = files.dumps(SCENES["101 equal balls"])
    assert "[balls]" in text
    assert "[[balls]]" not in text
    assert "mass = 2.0\n" in text
    assert "[[balls]]" in files.dumps(SCENES["100 balls"])


def test_what_is_at_its_default_is_not_written():
    assert (
        files.dumps(Scene(links=[], bends=(), triangles=[], friction=0, drag=None, attraction=None)) == "schema = 1\n"
    )


def test_json_has_no_infinity():
    text = files.dumps(SCENES["many links"], "json")
    assert "Infinity" not in text
    assert "1e+150" in text


def test_a_planet_in_a_file():
    scene = files.loads("[gravity]\nM = 7.342e22\nR = 1.7374e6\n[[balls]]\nposition = [0, 0, 0]\n")
    assert scene.planet == Planet(M=7.342e22, R=1.7374e6)
    assert scene.gravity == (0.0, -scene.planet.g, 0.0)
    assert files.loads("[gravity]").planet == Planet()


def test_a_byte_order_mark_is_no_harm(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf" + ISSUED.encode())
    assert files.load(tmp_path / "a.toml").name == "Unequal masses"


BALL = "[[balls]]\nposition = [0, 0]\n"


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BALL + "mass = -1", "balls[0].mass: -1 is not positive. Use a number above 0."),
        (BALL + "mass = '1'", "balls[0].mass: '1' is a text, not a number. Write the number without quotes."),
        (BALL + "mass = true", "balls[0].mass: True is a boolean, not a number. Write a number."),
        (BALL + "radius = nan", "balls[0].radius: nan is not finite. Write a finite number."),
        (BALL + "velocity = [inf, 0]", "balls[0].velocity[0]: inf is not finite. Write a finite number."),
        (BALL + "fixed = 1", "balls[0].fixed: 1 is not true or false. Write true or false, without quotes."),
        (BALL + "raduis = 1", "balls[0].raduis: unknown key (with the value 1). Did you mean 'radius'?"),
        (
            BALL + "mass = 1979-05-27",
            "balls[0].mass: datetime.date(1979, 5, 27) is not a number. Write a single number.",
        ),
        (
            BALL + BALL + "radius = 1e300",
            "balls[1].radius: 1e+300 is beyond 1e+150. Use numbers up to 1e+150, for squares must not overflow.",
        ),
        ("[[balls]]", "balls[0].position: is missing. Add it: place of the centre, in m, two or three numbers."),
        ("balls = 3", "balls: 3 is not a list of balls. Write a list of balls, or a table of columns."),
        (
            "[balls]\nposition = [[0, 0], [0]]",
            "balls.position: rows of different lengths. Give plain numbers, as many in each row.",
        ),
        ("[balls]\nposition = [[0, 0], [0, nan]]", "balls.position[1][1]: nan is not finite. Use finite numbers."),
        (
            "[balls]\nposition = [[0, 0], [0, 1]]\nmass = [1, 2, 3]",
            "balls.mass: 3 values for 2 balls. Give one for all, or one for each ball.",
        ),
        ("gravty = [0, 1]", "gravty: unknown key (with the value [0, 1]). Did you mean 'gravity'?"),
        (
            "[boundary]\nsize = [1, 1]",
            (
                "boundary.kind: is missing. "
                "Add the kind of boundary, one of 'box', 'polygon', 'circle', 'cylinder', 'open'."
            ),
        ),
        (
            "[boundary]\nkind = 'Box'\nsize = [1, 1]",
            "boundary.kind: 'Box' is not a kind of boundary. Did you mean 'box'?",
        ),
        ("[boundary]\nkind = 'box'\nsize = [1, 0]", "boundary.size[1]: 0.0 is not positive. Use a number above 0."),
        (
            "[boundary]\nkind = 'polygon'\nvertices = [[0, 0], [1, 1], [1, 0], [0, 1]]",
            (
                "boundary.vertices: edges 0 (from (0.0, 0.0) to (1.0, 1.0)) and 2 (from (1.0, 0.0) to (0.0, 1.0)) "
                "cross or touch. Reorder or move the vertices so that the outline does not meet itself."
            ),
        ),
        (
            "schema = 2",
            (
                "schema: the file has version 2, and this carom reads up to version 1. "
                "Update carom: pip install --upgrade carom."
            ),
        ),
        ("schema = '1'", "schema: '1' is not a version. Write schema = 1."),
        ("schema = true", "schema: True is not a version. Write schema = 1."),
        ("name = 'a'\nname = 'b'", "line 2, column 11: not TOML: Cannot overwrite a value. Keep one of the two."),
        ("[view]\n[view]", "line 2, column 6: not TOML: Cannot declare ('view',) twice. Keep one of the two."),
        ("name = ", "line 1, column 8: not TOML: Invalid value. Mend the line."),
        ('name = """a', "end of document: not TOML: Unterminated string. Mend the line."),
        ("[boundary]\nsize = [1, ,1]", "line 2, column 12: not TOML: Invalid value. Mend the line."),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_mistake_in_toml_is_one_clear_line(text, line, tmp_path):
    path = tmp_path / "gas.toml"
    path.write_text(text, encoding="utf-8")
    assert lines(lambda: files.load(path)) == [f"{path}: {line}"]
    assert lines(lambda: files.loads(text)) == [line]


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"balls": [{"position": [0, NaN]}]}', "balls[0].position[1]: nan is not finite. Write a finite number."),
        (
            '{"balls": [{"position": [0, -Infinity]}]}',
            "balls[0].position[1]: -inf is not finite. Write a finite number.",
        ),
        ('{"balls": [{"position": [0, 1e999]}]}', "balls[0].position[1]: inf is not finite. Write a finite number."),
        ('{"balls": [{"position": null}]}', "balls[0].position: None is not a list. Write a list of numbers."),
        ('{"name": "a", "name": "b"}', "name: the key is there twice in one table. Keep one of them."),
        ('{"name": "a",\n "look_at": }', "line 2, column 13: not JSON: Expecting value. Mend the line."),
        ("[1, 2]", '[1, 2] is not a table. Write keys and values: {"balls": [...]}.'),
        ("", "line 1, column 1: not JSON: Expecting value. Mend the line."),
        ("[" * 200_000, "tables or lists are nested too deeply. Write a scene as in the documentation."),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_mistake_in_json_is_one_clear_line(text, line):
    assert lines(lambda: files.loads(text, "json", name="gas.json")) == [f"gas.json: {line}"]


def test_a_key_that_is_there_twice_among_very_many_is_found_at_once():
    keys = [f'"k{number}": 0' for number in range(100_000)]
    began = perf_counter()
    (line,) = lines(lambda: files.loads("{" + ", ".join([*keys, keys[-1]]) + "}", "json"))
    assert line == "k99999: the key is there twice in one table. Keep one of them."
    assert perf_counter() - began < 10.0  # by comparing each with each: minutes


def test_an_integer_of_too_many_digits():
    (line,) = lines(lambda: files.loads('{"balls": [{"position": [0, ' + "9" * 5000 + "]}]}", "json"))
    assert "4300 digits" in line


@pytest.mark.requirement("T-05")
def test_bad_files(tmp_path, monkeypatch):
    def line_of(name, content=None):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        (line,) = lines(lambda: files.load(path))
        begin = f"{path}: ".replace("\0", "\\u0000")
        assert line.startswith(begin)
        return line.removeprefix(begin)

    (tmp_path / "folder.toml").mkdir()
    assert line_of("none.toml") == "there is no such file. Check the name."
    assert line_of("folder.toml") == "is a folder, not a file. Name a file in it."
    assert line_of("gas.yaml", b"") == "the ending '.yaml' tells no format. Name the file .toml or .json."
    assert line_of("gas", b"") == "the ending '' tells no format. Name the file .toml or .json."
    assert line_of("latin.toml", b'name = "\xe9"') == "byte 8 is not UTF-8 text. Save the file as UTF-8."
    assert line_of("a\0b.toml") == "the name is not one a file can have. Check the name."
    monkeypatch.setattr(files, "MAX_FILE_SIZE", 2_000_000)
    assert line_of("large.toml", b"#" * 3_000_000) == (
        "the file has 3 MB, and the limit is 2 MB. Make that many balls in Python with Balls(...), or with a generator."
    )


def test_files_that_cannot_be_written(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(StorageError, match=r"a\.toml: there is no such folder\. Make it first\."):
        files.dump(RICH, tmp_path / "none/a.toml")
    with pytest.raises(StorageError, match=r"folder\.toml: is a folder, not a file\. Name a file in it\."):
        files.dump(RICH, tmp_path / "folder.toml")
    assert lines(lambda: files.dump(RICH, tmp_path / "a.xml"))[0].endswith("Name the file .toml or .json.")


def test_unknown_formats():
    assert lines(lambda: files.loads("", "yaml")) == ["'yaml' is not a format of scenes. Use 'toml' or 'json'."]
    assert lines(lambda: files.dumps(Scene(), "yaml")) == ["'yaml' is not a format of scenes. Use 'toml' or 'json'."]


class TestGenerator:
    @pytest.fixture(autouse=True)
    def _a_library(self, monkeypatch):
        def load(name, **options):
            if "count" not in options:
                raise SceneError([Problem("count", "is missing", "Add it.")])
            return Scene(name=name, boundary=Box(size=(9, 9)), balls=[Ball(position=(1, 1))] * options["count"])

        monkeypatch.setattr(library, "names", lambda: ["gas", "break"], raising=False)
        monkeypatch.setattr(library, "load", load, raising=False)

    def test_makes_the_scene(self):
        scene = files.loads("name = 'mine'\ngravity = [0, -1]\n[generator]\nkind = 'gas'\ncount = 3")
        assert (scene.name, scene.gravity, len(scene.balls)) == ("mine", (0.0, -1.0), 3)

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("[generator]\nkind = 'gsa'", "generator.kind: 'gsa' is not a scene of the library. Did you mean 'gas'?"),
            ("[generator]", "generator.kind: is missing. Known kinds: gas, break."),
            ("[generator]\nkind = 'gas'", "generator.count: is missing. Add it."),
            ("generator = 3", "generator: 3 is not a table. Write a table with a kind."),
            (
                "balls = []\n[generator]\nkind = 'gas'",
                "balls: given together with a generator, which makes its own. Leave one of them out.",
            ),
        ],
    )
    def test_a_mistake_is_one_clear_line(self, text, line):
        assert lines(lambda: files.loads(text)) == [line]


class TestSchema:
    def test_is_a_json_schema(self):
        jsonschema.Draft202012Validator.check_schema(files.schema())
        assert json.loads(json.dumps(files.schema())) == files.schema()

    @pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
    def test_accepts_what_is_written(self, scene):
        jsonschema.validate(json.loads(files.dumps(scene, "json")), files.schema())

    @pytest.mark.parametrize(
        "content",
        [
            {"gravty": [0, 1]},
            {"schema": 2},
            {"balls": [{"position": [0]}]},
            {"balls": [{"position": [0, 0], "mass": 0}]},
            {"balls": [{"position": [0, 0], "mass": "1"}]},
            {"balls": [{"position": [0, 0], "radius": -1}]},
            {"balls": {"mass": 1}},
            {"boundary": {"kind": "box", "size": [1, 0]}},
            {"boundary": {"kind": "bix"}},
            {"restitution": 2},
            {"drag": -1},
            {"friction": {"static": 1}},
            {"attraction": {"touch": "glue"}},
            {"links": [{"between": [0, 1]}]},
            {"links": [{"between": [0], "stiffness": 1}]},
            {"obstacles": [{"kind": "block", "low": [0, 0]}]},
            {"stepping": {"step": 0}},
            {"structures": [{"kind": "rope", "start": [0, 0]}]},
            {"structures": [{"kind": "roop"}]},
            {"generator": {}},
        ],
        ids=str,
    )
    def test_refuses_what_is_wrong(self, content):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(content, files.schema())

    @pytest.mark.parametrize(
        "content",
        [
            {"gravity": {"M": 1e24}},
            {"drag": 0.1},
            {"friction": 0.1},
            {"friction": {"ball_wall": {"static": 0.2, "dynamic": 0.1}}},
            {"attraction": {}},
            {"structures": [{"kind": "rope", "start": [0, 0], "end": [1, 0], "count": 3}]},
            {"structures": [{"kind": "water", "corner": [0, 0], "size": [1, 1], "spacing": 0.5}]},
        ],
        ids=str,
    )
    def test_accepts_short_forms(self, content):
        jsonschema.validate(content, files.schema())
        files.loads(json.dumps(content), "json")

    def test_accepts_a_generator(self):
        jsonschema.validate({"generator": {"kind": "gas", "count": 3}}, files.schema())

    def test_tells_the_version(self):
        assert files.schema()["properties"]["schema"]["const"] == files.SCHEMA_VERSION == 1
        assert math.isclose(files.MAX_FILE_SIZE, 200e6)


def test_an_unknown_key_hides_nothing_else() -> None:
    with pytest.raises(SceneError) as caught:
        files.loads('nmae = "x"\ngravity = "down"\nrestitution = 7\n[boundary]\nkind = "cube"\n', "toml")
    places = [problem.where for problem in caught.value.problems]
    assert places[0] == "nmae"
    assert {"gravity", "boundary.kind"} <= {*places}
    assert len(places) == 4
