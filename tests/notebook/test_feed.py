"""Between a player and its pages, without a notebook: what goes out, and when."""

import json
from typing import Any

import numpy as np
import pytest

from carom import Ball, Box, Scene, Simulation
from carom.lab.seen.frames import HEADER
from carom.notebook.feed import MAX_ADVANCE, Feed
from carom.notebook.player import RunPlayer

SCENE = Scene(
    name="Two",
    boundary=Box(size=(1.0, 0.6)),
    balls=[
        Ball(position=(0.5, 0.3), radius=0.1, mass=1.0),
        Ball(position=(0.2, 0.3), velocity=(0.4, 0.05), radius=0.05, mass=0.2),
    ],
)


class Page:
    """A page that notes what it hears, with a clock that it sets."""

    def __init__(self, sim: Simulation | None = None) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.now = 0.0
        self.player = RunPlayer(sim or Simulation(SCENE))
        self.player.session.clock = lambda: self.now
        self.feed = Feed(self.player, self.hear, clock=lambda: self.now)
        self.say(hello={"page": "p", "view": "v"})

    def hear(self, words: dict[str, Any], buffers: list[bytes]) -> None:
        json.dumps(words, allow_nan=False)  # what cannot be sent fails here
        self.heard.extend(words.items())
        self.heard.extend(("frame", HEADER.unpack_from(each)) for each in buffers)

    def say(self, **message: Any) -> list[str]:
        """Say something; gives the kinds of what came back."""
        before = len(self.heard)
        self.feed.receive(message)
        return [kind for kind, _ in self.heard[before:]]

    def do(self, name: str, **arguments: Any) -> list[str]:
        return self.say(do=name, seq=1, **{"with": arguments})

    def last(self, kind: str) -> Any:
        return next(told for each, told in reversed(self.heard) if each == kind)

    def drawn(self, after: float = 1 / 60) -> list[str]:
        """The last frame was drawn, so long after it came."""
        self.now += after
        return self.say(ack=self.last("frame")[3])


def test_a_new_view_hears_everything() -> None:
    page = Page()
    assert [kind for kind, _ in page.heard] == ["about", "scene", "frame", "state", "chart"]
    assert page.last("scene")["radii"] == [0.1, 0.05]
    assert page.last("about") == {"kind": "run", "start": 0.0}


def test_time_passes_only_as_frames_are_drawn() -> None:
    page = Page()
    assert page.drawn() == []  # it stands
    assert "frame" in page.do("run")
    page.now += 100.0
    assert page.player.view().time == 0.0  # nobody has drawn anything
    assert "frame" in page.drawn(after=0.0)
    assert page.player.view().time == pytest.approx(MAX_ADVANCE)  # a pause of the kernel is not caught up with
    page.drawn(after=0.1)
    assert page.player.view().time == pytest.approx(MAX_ADVANCE + 0.1)


def test_at_most_two_frames_are_under_way() -> None:
    page = Page()
    page.do("run")
    for _ in range(5):
        page.now += 0.01
        page.feed.publish()
    sent, drawn = page.feed.window.sent, page.feed.window.drawn
    assert sent - drawn == 2
    assert page.say(ack=sent + 7) == []  # no such frame
    assert page.say(ack="x") == []


def test_what_is_seen_is_a_copy() -> None:
    sim = Simulation(SCENE).run(until=0.1)
    page = Page(sim)
    page.do("run")
    for _ in range(30):
        page.drawn()
    assert sim.time == 0.1
    assert page.player.view().time > 0.5
    assert page.last("about")["start"] == 0.1
    ahead = page.player.simulation()
    again = Simulation(SCENE).run(until=ahead.time)
    assert (ahead.positions == again.positions).all()


def test_going_back_gives_the_same_bits() -> None:
    page = Page()
    page.do("run")
    for _ in range(90):
        page.drawn()
    page.do("scrub", time=0.7)
    assert page.player.view().time == 0.7
    assert (page.player.view().positions == Simulation(SCENE).run(until=0.7).positions).all()
    page.do("to-start")
    assert page.player.view().time == 0.0


def test_selecting_and_the_next_collision() -> None:
    page = Page()
    page.do("select", indices=[1])
    assert page.last("state")["inspector"]["index"] == 1
    page.do("collision")
    state = page.last("state")
    assert state["meters"]["collisions"] == 1
    assert state["time"] == pytest.approx(Simulation(SCENE).upcoming[0].time)
    page.do("select-none")
    assert page.last("state")["inspector"] is None


@pytest.mark.parametrize(
    "message",
    [None, 7, [], {}, {"do": "remove", "with": {}}, {"do": "open", "with": {"entry": "gas"}}, {"do": 3}, {"want": 1}],
)
def test_what_means_nothing_changes_nothing(message: Any) -> None:
    page = Page()
    before = page.player.view()
    page.feed.receive(message)
    after = page.player.view()
    assert (after.positions == before.positions).all()
    assert after.selected == before.selected


def test_a_refusal_is_told() -> None:
    page = Page()
    page.do("select", indices=[99])
    message = page.last("state")["message"]
    assert message["kind"] == "error"
    assert "99" in message["text"]


def test_velocities_come_when_they_are_wanted() -> None:
    page = Page()
    assert page.last("frame")[2] & 1 == 0
    page.say(want={"velocities": True, "forces": False})
    assert page.last("frame")[2] & 1 == 1


def test_when_the_last_view_has_gone_time_stands() -> None:
    page = Page()
    page.say(hello={"page": "p", "view": "w"})
    page.do("run")
    page.say(bye={"page": "p", "view": "v"})
    assert page.feed.has_views
    assert page.player.view().running
    page.say(bye={"page": "p", "view": "w"})
    assert not page.feed.has_views
    assert not page.player.view().running


def test_a_page_loaded_anew_replaces_the_old_one() -> None:
    page = Page()
    page.say(hello={"page": "q", "view": "x"})
    page.say(bye={"page": "q", "view": "x"})
    assert not page.feed.has_views


def test_a_closed_feed_is_silent_and_frees_the_past() -> None:
    page = Page()
    page.feed.close()
    assert page.say(hello={"page": "p", "view": "z"}) == []
    assert page.player.session.run is None


def test_a_still_picture_is_whole() -> None:
    page = Page()
    words, frame = page.feed.still()
    assert set(words) == {"about", "scene", "state"}
    n, dimension = HEADER.unpack_from(frame)[7:9]
    places = np.frombuffer(frame, "<f4", n * dimension, HEADER.size).reshape(n, dimension)
    assert places == pytest.approx(SCENE.balls.position)
