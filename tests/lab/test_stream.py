"""At most two frames are under way, the latest wins, and nobody waits for a browser that has gone."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from carom.lab.seen.stream import MAX_NOTES, WINDOW, Stream, Window
from carom.lab.seen.view import Message, View
from lab.reading import read_frame
from lab.samples import view


class Socket:
    """A browser's end: keeps what arrives; `full` makes sending wait, as a line does that takes no more."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.texts: list[dict[str, Any]] = []
        self.order: list[str] = []
        self.open = asyncio.Event()
        self.open.set()
        self.gone = False

    async def send(self, message: str | bytes) -> None:
        await self.open.wait()
        if self.gone:
            raise ConnectionResetError
        if isinstance(message, bytes):
            self.frames.append(read_frame(message))
            self.order.append("frame")
        else:
            said = json.loads(message)
            self.texts.append(said)
            self.order.append(next(iter(said)))

    def said(self, kind: str) -> list[dict[str, Any]]:
        return [text[kind] for text in self.texts if kind in text]


class FrameSource:
    """A bench that describes scenes and has one chart sample for every look."""

    def __init__(self) -> None:
        self.described = 0

    def scene(self, seen: View) -> dict[str, Any]:
        self.described += 1
        return {"epoch": seen.epoch, "origin": [0.25, 0.0]}

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        return {"reset": since == 0, "time": [float(since)]}, since + 1


class Clock:
    """Stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A stream under test with its two ends."""

    def __init__(self) -> None:
        self.socket, self.source, self.clock = Socket(), FrameSource(), Clock()
        self.stream = Stream(self.socket.send, self.source, self.clock)
        self.task = asyncio.ensure_future(self.stream.run())

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    async def offer(self, *views: View) -> None:
        for one in views:
            self.stream.offer(one)
            await self.settle()

    async def end(self) -> None:
        self.stream.close()
        await asyncio.wait_for(self.task, 1.0)


def on_a_bench(play: Callable[[Bench], Any]) -> None:
    async def run() -> None:
        bench = Bench()
        await play(bench)
        if not bench.task.done():
            await bench.end()

    asyncio.run(run())


def times(*values: float) -> list[View]:
    return [view(time=value, running=True, end=9.0) for value in values]


def test_the_window_lets_two_frames_be_under_way() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(*times(1.0, 2.0, 3.0, 4.0))
        assert [frame["time"] for frame in bench.socket.frames] == [1.0, 2.0]
        assert [frame["number"] for frame in bench.socket.frames] == [1, 2]

    on_a_bench(play)


def test_the_latest_wins() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(*times(1.0, 2.0, 3.0, 4.0, 5.0))
        bench.stream.acknowledge(1)
        await bench.settle()
        assert [frame["time"] for frame in bench.socket.frames] == [1.0, 2.0, 5.0], "3 and 4 are old by now"

    on_a_bench(play)


def test_a_view_is_sent_once() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(view())
        bench.stream.acknowledge(1)
        await bench.settle()
        assert len(bench.socket.frames) == 1

    on_a_bench(play)


def test_a_late_acknowledgement_stands_for_all_before_it() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(*times(1.0, 2.0, 3.0))
        bench.stream.acknowledge(2)
        await bench.offer(*times(4.0, 5.0))
        assert [frame["number"] for frame in bench.socket.frames] == [1, 2, 3, 4]

    on_a_bench(play)


@pytest.mark.parametrize("number", [0, 3, 4294967295, -1])
def test_unknown_numbers_open_no_window(number: int) -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(*times(1.0, 2.0, 3.0))
        assert not bench.stream.acknowledge(number)
        await bench.settle()
        assert len(bench.socket.frames) == WINDOW

    on_a_bench(play)


def test_the_same_acknowledgement_counts_once() -> None:
    window = Window()
    window.count(), window.count()
    assert window.acknowledge(1)
    assert not window.acknowledge(1)
    window.count()
    assert not window.room()
    assert window.room(urgent=True)
    window.count()
    assert not window.room(urgent=True), "one, and no more"


def test_a_full_window_does_not_keep_a_stream_alive() -> None:
    """The race that kept a server from stopping: its client goes while the sender waits for room."""

    async def play(bench: Bench) -> None:
        await bench.offer(*times(1.0, 2.0, 3.0))
        assert not bench.task.done()
        bench.stream.close()
        await asyncio.wait_for(bench.task, 1.0)

    on_a_bench(play)


def test_closing_between_the_look_and_the_wait_is_noticed() -> None:
    """`close` is called while something is being sent: the stream must not go to sleep afterwards."""

    async def play(bench: Bench) -> None:
        bench.socket.open.clear()
        await bench.offer(view())
        bench.stream.close()
        bench.socket.open.set()
        await asyncio.wait_for(bench.task, 1.0)
        assert bench.socket.order == ["scene", "frame"], "what was begun is ended, and nothing is begun any more"

    on_a_bench(play)


def test_a_line_that_breaks_ends_the_stream() -> None:
    async def play(bench: Bench) -> None:
        bench.socket.gone = True
        await bench.offer(view())
        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(bench.task, 1.0)

    on_a_bench(play)


def test_a_slow_line_holds_one_view_only() -> None:
    async def play(bench: Bench) -> None:
        bench.socket.open.clear()
        await bench.offer(*times(*range(1, 1000)))
        bench.socket.open.set()
        await bench.settle()
        assert [frame["time"] for frame in bench.socket.frames] == [1.0, 999.0]

    on_a_bench(play)


def test_notes_do_not_pile_up() -> None:
    async def play(bench: Bench) -> None:
        bench.socket.open.clear()
        for number in range(1000):
            bench.stream.note("error", str(number))
        await bench.settle()
        bench.socket.open.set()
        await bench.settle()
        notes = bench.socket.said("note")
        assert notes[-1] == {"kind": "error", "text": "999"}
        assert len(notes) <= MAX_NOTES + 1

    on_a_bench(play)


def test_a_scene_goes_before_the_first_frame_of_its_epoch() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(view(epoch=1), view(epoch=1, time=1.0))
        bench.stream.acknowledge(2)
        await bench.offer(view(epoch=2))
        order = [kind for kind in bench.socket.order if kind in {"scene", "frame"}]
        assert order == ["scene", "frame", "frame", "scene", "frame"]
        assert [scene["epoch"] for scene in bench.socket.said("scene")] == [1, 2]
        assert bench.socket.frames[0]["positions"][0] == [0.0, -0.5], "relative to the scene's origin"

    on_a_bench(play)


def test_scenes_that_nobody_could_see_are_not_made() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(*[view(epoch=epoch) for epoch in range(1, 50)])
        assert bench.source.described == WINDOW

    on_a_bench(play)


def test_state_comes_ten_times_a_second_at_most() -> None:
    async def play(bench: Bench) -> None:
        for step in range(60):
            bench.clock.now = 100.0 + step / 60
            await bench.offer(*times(step))
            bench.stream.acknowledge(step + 1)
        states = bench.socket.said("state")
        assert 9 <= len(states) <= 10
        assert len(bench.socket.frames) == 60
        assert len(bench.socket.said("chart")) == len(states)

    on_a_bench(play)


def test_the_last_state_arrives_though_nothing_follows() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(*times(1.0, 2.0))
        assert [state["time"] for state in bench.socket.said("state")] == [1.0]
        bench.clock.now += 0.2
        for _ in range(100):  # it wakes by itself, after 0.1 s or when the machine has time
            await asyncio.sleep(0.05)
            if len(bench.socket.said("state")) == 2:
                break
        assert [state["time"] for state in bench.socket.said("state")] == [1.0, 2.0]

    on_a_bench(play)


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 3},
        {"running": True},
        {"held": True},
        {"selected": (1,)},
        {"working": "compiling"},
        {"message": Message("error", "no", number=1)},
    ],
)
def test_what_a_person_did_is_told_at_once(change: dict[str, Any]) -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(view(), view(**change))
        assert len(bench.socket.said("state")) == 2

    on_a_bench(play)


def test_it_is_told_though_the_window_is_full() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(*times(1.0, 2.0, 3.0), view(seq=9))
        assert bench.socket.said("state")[-1]["seq"] == 9
        assert [frame["seq"] for frame in bench.socket.frames] == [0, 0, 9], "it goes beside those under way"
        await bench.offer(*(view(seq=number) for number in range(10, 20)))
        assert len(bench.socket.frames) == WINDOW + 1, "one at a time"

    on_a_bench(play)


def test_a_long_work_is_told_again_and_again() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(view(working="compiling"))
        bench.clock.now += 1.1
        bench.stream.wake.set()
        await bench.settle()
        assert [state["working"] for state in bench.socket.said("state")] == ["compiling"] * 2

    on_a_bench(play)


def test_charts_go_on_from_where_they_were() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(view(seq=1), view(seq=2))
        assert bench.socket.said("chart") == [{"reset": True, "time": [0.0]}, {"reset": False, "time": [1.0]}]

    on_a_bench(play)


def test_a_wish_shows_in_the_next_frame_even_of_the_same_view() -> None:
    async def play(bench: Bench) -> None:
        await bench.offer(view())
        bench.stream.want(velocities=True, forces=True)
        await bench.settle()
        assert [frame["velocities"] is not None for frame in bench.socket.frames] == [False, True]
        assert bench.socket.frames[1]["forces"] is None, "the view carries none"

    on_a_bench(play)
