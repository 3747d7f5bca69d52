"""What the pages do without a browser: opening scenes, showing numbers and keys, saying only what has changed."""

import asyncio
import re
import threading
from importlib import resources
from types import SimpleNamespace

import pytest

from carom import library
from carom.errors import ArgumentError, Problem, SceneError
from carom.lab import share
from carom.lab.app import read_json
from carom.lab.commands.keymap import KEYS
from carom.lab.pages.desk import Desk
from carom.lab.pages.frame import SHEETS
from carom.lab.pages.gallery import Gallery
from carom.lab.pages.keys import groups, sign
from carom.lab.pages.live import LiveTexts
from carom.lab.pages.menus import Menus
from carom.lab.pages.numbers import clock, collision, factor, plain, quantity, seconds, typed, vector
from carom.lab.pages.opening import GROUPS, Counter, entry_of, group_of, parameters, shown
from carom.lab.seen.view import Message
from carom.lab.texts import Texts
from carom.scene.io.files import dumps

WORDS = Texts("en")


class Page:
    """Stands for NiceGUI's client: keeps what it is told to run."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def run_javascript(self, code: str) -> None:
        self.told.append(code)

    def open(self, address: str) -> None:
        self.told.append(f"open {address}")


# Opening.


def test_every_scene_stands_in_a_group_of_the_gallery_and_no_group_is_empty():
    assert {group_of(entry) for entry in library.catalogue()} == set(GROUPS)


def test_what_is_typed_for_a_generator_becomes_numbers():
    typed_in = {"count": " 50 ", "packing_fraction": "0,25", "periodic": "false", "seed": "0", "temperature": ""}
    made = parameters(entry_of("gas"), typed_in)
    assert made == {"count": 50, "packing_fraction": 0.25, "periodic": False}  # a default is left out
    assert len(library.load("gas", **made).balls) == 50


def test_what_is_no_number_is_named():
    with pytest.raises(ArgumentError, match=r"count: 'many' is no number") as told:
        parameters(entry_of("gas"), {"count": "many"})
    with pytest.raises(ArgumentError, match="count: 900,000 are more balls than a bench holds"):
        parameters(entry_of("gas"), {"count": "900000"})
    assert told.value.problems[0].where == "count"


@pytest.mark.parametrize("name", [entry.name for entry in library.catalogue() if entry.parameters])
def test_defaults_as_they_are_shown_are_the_defaults(name):
    entry = entry_of(name)
    assert parameters(entry, {each.name: shown(each.default) for each in entry.parameters}) == {}


def test_an_address_names_a_scene():
    counter = Counter()
    scene, entry = counter.scene({"scene": "newtons-cradle", "count": "7"})
    assert (len(scene.balls), entry) == (7, "newtons-cradle")
    assert counter.scene({})[1] == "empty"
    with pytest.raises(SceneError, match="no scene 'brake'"):
        counter.scene({"scene": "brake"})


def test_without_a_query_the_first_scene_is_opened():
    first = library.load("oblique")
    assert Counter(first, "oblique").scene({}) == (first, "oblique")


def test_a_file_and_a_link_get_a_ticket():
    scene = library.load("break")
    counter = Counter()
    from_file = counter.ticket({"text": dumps(scene, "toml"), "filename": "mine.toml"})
    from_json = counter.ticket({"text": dumps(scene, "json"), "filename": "mine.JSON"})
    from_nowhere = counter.ticket({"text": dumps(scene, "json")})
    from_link = counter.ticket({"link": share.to_link(scene)})
    for ticket in (from_file, from_json, from_nowhere, from_link):
        opened, entry = counter.scene({"ticket": ticket})
        assert entry == ""
        assert opened.balls.position.tolist() == scene.balls.position.tolist()


@pytest.mark.parametrize("told", [None, [], {}, {"text": 1}, {"link": None}])
def test_what_cannot_be_opened_is_one_clear_line(told):
    with pytest.raises(ArgumentError, match=r"nothing that could be read\. Use a scene file"):
        Counter().ticket(told)


def test_a_mistake_in_a_file_names_the_file():
    with pytest.raises(SceneError, match=r"mine\.toml"):
        Counter().ticket({"text": "balls = 3", "filename": "mine.toml"})


def test_old_tickets_are_forgotten():
    counter = Counter()
    counter.MOST = 3
    tickets = [counter.keep(library.load("empty")) for _ in range(4)]
    with pytest.raises(ArgumentError, match=r"no longer kept\. Open its file"):
        counter.scene({"ticket": tickets[0]})
    assert counter.scene({"ticket": tickets[-1]})


def body(*parts):
    """Stands for a request that brings these bytes, and keeps which were asked for."""
    asked = []

    async def stream():
        for part in parts:
            asked.append(part)
            yield part

    return SimpleNamespace(stream=stream, headers={"content-length": "1"}, asked=asked)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((b'{"link":', b' "1."}'), {"link": "1."}),
        ((b"{",), None),
        ((b"\xff",), None),
        ((), None),
        ((b"[" * 200_000,), None),
    ],
    ids=["whole", "broken", "not text", "empty", "nested"],
)
def test_what_a_request_brings(parts, told):
    assert asyncio.run(read_json(body(*parts), 10**6)) == told


def test_a_request_is_read_no_further_than_it_may_be_long_whatever_it_says_of_its_length():
    request = body(*[b'"' + b"a" * 99] * 100)
    assert asyncio.run(read_json(request, 250)) is None
    assert len(request.asked) == 3


def test_a_scene_is_made_beside_the_event_loop(monkeypatch):
    threads = []

    def load(name, *, count):
        threads.append(threading.get_ident())
        if count > 50:
            raise SceneError([Problem("count", "no", "Use fewer.")])

    page = Page()
    gallery = Gallery(WORDS, page)
    gallery.entry = entry_of("gas")
    monkeypatch.setattr(library, "load", load)
    asyncio.run(gallery._open({"parameter.count": "51"}))
    assert page.told[-1] == 'caromShell.wrong("parameter.count", "no. Use fewer.")'
    asyncio.run(gallery._open({"parameter.count": "50"}))
    assert page.told[-1] == "open /bench?scene=gas&count=50"
    assert len(threads) == 2
    assert threading.get_ident() not in threads


def test_a_link_is_made_beside_the_event_loop():
    page, threads = Page(), []
    runner = SimpleNamespace(share=lambda: threads.append(threading.get_ident()) or "1.abc")
    menus = Menus(Desk(WORDS, LiveTexts(page), SimpleNamespace(runner=runner)))
    asyncio.run(menus._link())
    assert threads
    assert threads[0] != threading.get_ident()
    assert page.told == ['caromShell.share("/#scene=1.abc")']


# Numbers.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.05, "−0.05000"),
        (12.345, "12.35"),
        (123456.7, "123457"),
        (5.97219e24, "5.972×10²⁴"),
        (-3.4e-9, "−3.400×10⁻⁹"),
        (float("nan"), "—"),
        (float("inf"), "∞"),
    ],
)
def test_numbers_to_read(value, text):
    assert plain(value) == text


def test_numbers_with_units():
    assert quantity(None, "J") == "—"
    assert quantity(2.0, "J") == "2.000\u202fJ"
    assert quantity(-2.5e-8, "J") == "−25.00\u202fnJ"
    assert quantity(3e7, "Pa") == "30.00\u202fMPa"
    assert quantity(4e-21, "J") == "4.000×10⁻²¹\u202fJ", "no prefix is known so well"
    assert quantity(2e-8, "m/s") == "2.000×10⁻⁸\u202fm/s"
    assert collision("31557600 s · 3", WORDS) == "365.2\u202fd · 3"
    assert collision("1.5e-06 s · x-", WORDS) == "1.500\u202fµs · x-"
    assert collision(None, WORDS) == "—"
    assert vector((1.0, -2.0), "N") == "(1.00, −2.00)\u202fN"
    assert typed(0.1) == "0.1"
    assert typed(-12.345678) == typed(-12.345678, letters=12) == "-12.345678"
    assert typed(3.3010006e23, letters=12) == "3.301001e+23"
    assert typed(-7.0098822e11, letters=12) == "-7.00988e+11"
    assert typed(-1.23456789e-105, letters=12) == "-1.2346e-105"
    assert typed(-0.00012345678, letters=12) == "-0.000123457"
    assert (factor(0.01), factor(1.0), factor(100.0)) == ("0.01", "1", "100")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0\u202fs"),
        (2e-9, "2.000\u202fns"),
        (0.25, "250.0\u202fms"),
        (12.0, "12.00\u202fs"),
        (1200.0, "20.00\u202fmin"),
        (86400.0 * 3, "3.000\u202fd"),
        (365.25 * 86400.0 * 3, "3.000\u202fyears"),
    ],
)
def test_times(value, text):
    assert seconds(value, WORDS) == text


def test_the_clock_keeps_its_width_while_seconds_run():
    assert clock(0.0, WORDS) == "0.000\u202fs"
    assert len(clock(1.5, WORDS)) == len(clock(9.123, WORDS))
    assert clock(86400.0 * 40, WORDS) == "40.0000\u202fd"


# Keys.


def test_every_key_is_shown_once_with_its_words():
    rows = dict(groups(KEYS, WORDS))
    assert rows["Run or pause"] == [["Space"], ["P"]]
    assert ["M", "+"] in rows["More mass"]
    assert ["Ctrl", "Z"] in rows["Undo"]
    assert not any(said.startswith("key.") for said in rows)
    assert all(rows.values())
    assert sign("ArrowUp") == "↑"


# Live.


def test_only_what_has_changed_is_sent():
    page = Page()
    live = LiveTexts(page)
    live.say("time", "1 s")
    live.say("mass", "2")
    live.flush()
    live.say("time", "2 s")
    live.say("mass", "2")
    live.flush()
    live.flush()
    assert page.told == ['caromShell.live({"time": "1 s", "mass": "2"})', 'caromShell.live({"time": "2 s"})']


def test_what_is_forgotten_is_sent_again():
    page = Page()
    live = LiveTexts(page)
    for _ in range(2):
        live.say("b.1.x", "3")
        live.flush()
        live.forget("b.")
    assert len(page.told) == 2


def test_words_from_files_cannot_become_a_script():
    page = Page()
    live = LiveTexts(page)
    live.say("scene.title", '");alert(1)//')
    live.flush()
    assert page.told == ['caromShell.live({"scene.title": "\\");alert(1)//"})']


# Messages.


@pytest.fixture
def desk():
    """A desk whose bench has a message, number by number."""
    runner = SimpleNamespace(view=SimpleNamespace(message=None), posted=[])
    runner.post = lambda name, /, **arguments: runner.posted.append((name, arguments))
    return Desk(WORDS, LiveTexts(Page()), SimpleNamespace(runner=runner))


@pytest.mark.requirement("T-05")
def test_a_wrong_value_is_told_beside_its_field_and_a_later_message_in_the_strip(desk):
    desk.edit("ball.mass", "change-selected", field="mass", value="-1")
    assert desk.bench.runner.posted == [("change-selected", {"field": "mass", "value": "-1"})]
    desk.show_message(SimpleNamespace(message=Message("error", "mass: -1 is not above 0.", "mass", 1)))
    assert desk.live.client.told[-1] == 'caromShell.wrong("ball.mass", "mass: -1 is not above 0.", "ball.mass")'
    assert desk.message == ""
    desk.show_message(SimpleNamespace(message=Message("error", "overlap", "", 2)))
    assert (desk.message, desk.kind) == ("overlap", "error")


def test_the_same_message_is_told_once(desk):
    view = SimpleNamespace(message=Message("info", "hello", "", 5))
    desk.show_message(view)
    desk.dismiss()
    desk.show_message(view)
    assert desk.message == ""


def test_a_message_long_after_an_edit_is_about_something_else(desk):
    desk.edit("ball.mass", "change-selected", field="mass", value="2")
    desk.edited_at -= 60.0
    desk.show_message(SimpleNamespace(message=Message("error", "it blew up", "", 1)))
    assert desk.message == "it blew up"


# Colours.


def tokens(theme: str) -> dict[str, str]:
    """The colours of a theme, from the style sheet."""
    css = resources.files("carom.lab").joinpath("static", "shell_tokens.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root(?:\[data-theme=\"dark\"\])? \{(.*?)\n\}", css, re.DOTALL)[:2]
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    return found | (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark)) if theme == "dark" else {})


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back", "least"),
    [
        *[("ink", back, 4.5) for back in ("ground", "surface", "raised", "sunken", "accent-soft")],
        *[("ink-soft", back, 4.5) for back in ("ground", "surface", "raised", "sunken", "accent-soft")],
        ("accent-strong", "surface", 4.5),
        ("accent-strong", "accent-soft", 4.5),
        ("on-accent", "accent", 4.5),
        ("danger", "surface", 4.5),
        ("danger", "danger-soft", 4.5),
        ("notice-ink", "notice-soft", 4.5),
        ("line-strong", "surface", 3.0),  # the frame of a field
        ("accent", "ground", 3.0),  # the ring of the focus
    ],
)
def test_words_stand_out_from_their_ground(theme, front, back, least):
    colours = tokens(theme)
    bright, dim = sorted((luminance(colours[front]), luminance(colours[back])), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= least


def test_every_style_sheet_is_there_and_used():
    static = resources.files("carom.lab").joinpath("static")
    there = {each.name for each in static.iterdir() if each.name.endswith(".css")}
    assert there == {f"{name}.css" for name in SHEETS}
