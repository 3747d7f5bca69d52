"""The history of a run: from its events, any instant again, bit for bit.

A history is a row of **pages**. A page is a state of the run, and after it a row an event: when (after the origin of
time of that state), which ball, with whom, and how; `replay` does them again by the very laws that the run went by. An
event takes 17 bytes, and a page begins every 8 events a ball (at least 1024), whenever the origin of time moves, and
whenever the run is edited, which begins a new **chapter** with a scene of its own.

A history lives in memory, or in columns that grow at their ends alone (`drain`), and are read page by page (`over`):

event_*    time, ball, partner, kind: a row an event
frame_*    a row a page: its first event and anchor, its chapter, the time from which it counts, the latest event of
           the page before (after its own origin), and the moments and counts of `stored`
anchor_*   a row a ball and page: the columns of `stored`
chapter_*  scenes after the first as text in bytes, and where each begins
marks      a row a drain: how many events, pages and chapters are whole, and up to when the run is known. It comes last.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, SolverError
from carom.scene import Scene
from carom.scene.fields.base import shown
from carom.scene.io.files import dumps, loads
from carom.solvers.exact.balls import MOVING
from carom.solvers.exact.history.notes import SEAMS, decoded, note_record
from carom.solvers.exact.history.replay import Rerun
from carom.solvers.exact.kinds import KINDS, NOTHING, SEAM
from carom.solvers.exact.origin import absolute, find_last_moment, relative
from carom.solvers.exact.state import COUNTS, MOMENTS, fitted
from carom.solvers.exact.world import World

Floats = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]

EVENTS = note_record.names or ()
IMAGES = 27
"""Of a ball, with itself, where all axes are periodic."""
MOST = 2.0**53
FRAMES = {"event": "i8", "anchor": "i8", "chapter": "i8", "since": "f8", "reach": "f8"}


@dataclass(frozen=True)
class Instant:
    """A run at a time: a row a ball; turns are of three numbers, the others of as many as there are dimensions."""

    time: float
    places: Floats
    velocities: Floats
    turns: NDArray[np.int64]


@dataclass
class Page:
    """A state, and what happened after it."""

    state: Arrays
    notes: NDArray[Any]
    since: float = -np.inf
    """From which time on it counts, s; if it is not said, from the end of the page before."""
    count: int = 0
    """Events so far."""

    @property
    def reach(self) -> float:
        """The latest event, s after the origin."""
        return float(self.notes["time"][: self.count].max(initial=-np.inf))

    @property
    def nbytes(self) -> int:
        """What it holds."""
        return note_record.itemsize * self.count + sum(each.nbytes for each in self.state.values())


@dataclass(frozen=True)
class Heading:
    """What must be known of a page to find a time in it."""

    start: float
    """Where it begins, s, but for rounding."""
    origin: tuple[float, float]
    since: float
    chapter: int


def heading(moments: NDArray[Any], since: float, chapter: int) -> Heading:
    """That of a page, from the moments of its state."""
    high, low, now = moments[:3].tolist()
    return Heading(absolute((high, low), now), (high, low), since, chapter)


class History:
    """All that a run of the exact solver has been through, from when it was told to remember."""

    def __init__(self, scene: Scene) -> None:
        self._scenes: list[Scene] = [scene]
        self._headings: list[Heading] = []
        self._reaches: list[float] = []
        """Of all pages but the last, the latest event."""
        self._pages: dict[int, Page] = {}
        self._columns: _Columns | None = None
        self.end = -np.inf
        """Up to when the run is known, s."""
        self.events = 0
        """In all pages but the last."""
        self._held = 0
        """Bytes in pages in memory but the last."""
        self._drained = _Drained()
        self._rerun: tuple[int, Rerun] | None = None
        self._stands = (-1, np.inf)

    # Growing.

    def add(self, page: Page) -> None:
        """Turn to a new page; the last is complete."""
        last = len(self._headings) - 1
        if last >= 0:
            closed = self._pages.get(last)
            self._reaches.append(closed.reach if closed else -np.inf)
            self.events += closed.count if closed else 0
            self._held += closed.nbytes if closed else 0
        self._headings.append(heading(page.state["moments"], page.since, len(self._scenes) - 1))
        self._pages[last + 1] = page

    def open_chapter(self, scene: Scene) -> None:
        """The pages to come are of another scene."""
        self._scenes.append(scene)

    def reaches(self, t: float) -> None:
        """The run is known up to a time."""
        self.end = max(self.end, t)

    # Reading.

    @property
    def start(self) -> float:
        """From when on the run is known, s."""
        return self._headings[0].since if self._headings else np.inf

    def knows(self, t: float) -> bool:
        """Can `at` tell of a time?"""
        if not self.start <= t <= self.end:
            return False
        k = self._find(t)
        return k in self._pages or (self._columns is not None and k < len(self._columns))

    @property
    def nbytes(self) -> int:
        """What it holds in memory."""
        last = self._pages.get(len(self._headings) - 1)
        return self._held + (last.nbytes if last else 0)

    def keep_within(self, nbytes: int) -> None:
        """Let go of the oldest pages in memory until there are no more bytes than these, or one page is left."""
        last = len(self._headings) - 1
        for k in list(self._pages):
            if self.nbytes <= nbytes or k == last:
                return
            self._let_go(k)

    def _let_go(self, k: int) -> None:
        self._held -= self._pages.pop(k).nbytes

    def __len__(self) -> int:
        """How many events it knows."""
        last = self._pages.get(len(self._headings) - 1)
        return self.events + (last.count if last else 0)

    @property
    def bytes_per_event(self) -> float:
        """What it holds in memory, by events that it holds."""
        return self.nbytes / max(sum(page.count for page in self._pages.values()), 1)

    def at(self, t: float) -> Instant:
        """The run as it was at a time: as one that was run until then has it, bit for bit."""
        rerun, s = self._stand(t)
        return Instant(float(t), *rerun.look_after_origin(s), rerun.turns)

    def state(self, t: float) -> Arrays:
        """The state of the run then, from which an engine of `scene(t)` goes on."""
        return self._stand(t)[0].state()

    def scene(self, t: float) -> Scene:
        """What there was; its balls as they were at the start, or when they were last edited."""
        return self._scenes[self._headings[self._find(t)].chapter]

    def _stand(self, t: float) -> tuple[Rerun, float]:
        """A run that stands at a time, and that time after its origin."""
        number = self._find(t)
        head = self._headings[number]
        if self._rerun is None or self._rerun[0] != head.chapter:
            self._rerun, self._stands = (head.chapter, Rerun(World.of(self._scenes[head.chapter]))), (-1, np.inf)
        rerun, last = self._rerun[1], find_last_moment(*head.origin, t)
        page = self._page(number, rerun.world)
        if self._stands[0] != number or last < self._stands[1]:
            rerun.begin(page.state)
        self._stands = (number, last)
        rerun.go(page.notes, page.count, last)
        return rerun, relative(head.origin, t)

    def _find(self, given: Any) -> int:
        """The number of the page that has a time in it."""
        number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
        if not number or np.isnan(given):
            raise ArgumentError.of("time.not-a-time", where="t", value=shown(given))
        t = float(given)
        if not self.start <= t <= self.end:
            problem = "history.outside" if self._headings else "history.empty"
            raise ArgumentError.of(problem, where="t", t=t, start=self.start, end=self.end)
        k = max(bisect_right(self._headings, t, key=lambda each: each.start) - 1, 0)
        while k > 0 and not self._begun(k, t):
            k -= 1
        while k + 1 < len(self._headings) and self._begun(k + 1, t):
            k += 1
        return k

    def _begun(self, k: int, t: float) -> bool:
        """Has page k begun at a time? When its time has come, or all of the page before has happened."""
        since = self._headings[k].since
        if since > -np.inf:
            return t >= since
        return self._reaches[k - 1] <= find_last_moment(*self._headings[k - 1].origin, t)

    def _page(self, k: int, world: World) -> Page:
        if k in self._pages:
            return self._pages[k]
        if self._columns is None or k >= len(self._columns):
            raise ArgumentError.of("history.gone", where="t", page=k)
        return self._columns.page(k, world)

    # Columns.

    def drain(self, *, forget: bool = False) -> Arrays:
        """What has grown since the last time, as rows to be appended to columns of the same names, in this order.

        `forget` lets go of what was handed out and is complete; `at` does not reach it any more.
        """
        done, last = self._drained, len(self._headings) - 1
        pages = [(k, self._pages[k]) for k in range(done.page, last + 1)]
        parts = _Grown()
        for k, page in pages:
            if k >= done.frames:
                parts.add_frame(page.state, done, self._headings[k], self._reaches[k - 1] if k else -np.inf)
            first = done.rows if k == done.page else 0
            parts.add_events(page.notes, first, page.count)
            done.page, done.rows, done.events = k, page.count, done.events + page.count - first
            if forget and k < last:
                self._let_go(k)
        for scene in self._scenes[done.chapters :]:
            text = dumps(scene, "json").encode() if done.chapters else b""  # the first is given to `over`
            parts.add_chapter(text, done)
        parts.marks.append((done.events, done.frames, done.chapters, self.end))
        return parts.columns()

    @classmethod
    def over(cls, scene: Scene, columns: Mapping[str, Any]) -> History:
        """A history in columns, which are read when they are needed; it can go on to grow."""
        history = cls(scene)
        read = _Columns(columns)
        history._columns, history.end, history.events = read, read.end, read.events
        history._scenes += [loads(text, "json") for text in read.scenes()]
        history._headings, history._reaches = read.headings(), read.reaches()
        history._drained = read.drained()
        return history


@dataclass
class _Drained:
    """How much was handed out."""

    page: int = 0
    rows: int = 0
    """Of that page."""
    events: int = 0
    frames: int = 0
    anchors: int = 0
    chapters: int = 0
    text: int = 0


class _Grown:
    """Rows to be appended to columns."""

    def __init__(self) -> None:
        self.parts: dict[str, list[Any]] = {
            **{f"event_{name}": [np.zeros(0, note_record[name])] for name in EVENTS},
            **{f"anchor_{name}": [np.zeros((0, *each.shape), each.kind)] for name, each in MOVING.items()},
            **{f"frame_{name}": [np.zeros(0, kind)] for name, kind in FRAMES.items()},
            "frame_moments": [np.zeros((0, len(MOMENTS)))],
            "frame_counts": [np.zeros((0, len(COUNTS)), np.int64)],
            "chapter_scene": [np.zeros(0, np.uint8)],
            "chapter_first": [np.zeros(0, np.int64)],
        }
        self.marks: list[tuple[float, ...]] = []

    def add_events(self, notes: NDArray[Any], first: int, last: int) -> None:
        for name in EVENTS:
            self.parts[f"event_{name}"].append(notes[name][first:last])

    def add_frame(self, state: Arrays, done: _Drained, head: Heading, reach: float) -> None:
        for name in MOVING:
            self.parts[f"anchor_{name}"].append(state[name])
        values = (done.events, done.anchors, head.chapter, head.since, reach)
        for (name, kind), value in zip(FRAMES.items(), values, strict=True):
            self.parts[f"frame_{name}"].append(np.array([value], kind))
        for name in ("moments", "counts"):
            self.parts[f"frame_{name}"].append(state[name][None])
        done.frames += 1
        done.anchors += len(state["time"])

    def add_chapter(self, text: bytes, done: _Drained) -> None:
        self.parts["chapter_scene"].append(np.frombuffer(text, np.uint8))
        self.parts["chapter_first"].append(np.array([done.text]))
        done.chapters += 1
        done.text += len(text)

    def columns(self) -> Arrays:
        return {**{name: np.concatenate(each) for name, each in self.parts.items()}, "marks": np.array(self.marks)}


class _Columns:
    """A history that was written down, as far as its last mark vouches for it."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = columns
        marks = self._column("marks")
        if not len(marks):
            raise SolverError("history: there is no mark in it. Nothing was written down; record the run anew.")
        last = np.asarray(marks[len(marks) - 1])
        if last.shape != (4,) or np.isnan(last).any() or (last[:3] < 0).any() or (last[:3] > MOST).any():
            raise _misfit("its last mark is none")
        events, frames, chapters, self.end = last.tolist()
        self.events, self.frames, self.chapters = int(events), int(frames), int(chapters)
        self.table = {
            name: np.asarray(self._column(f"frame_{name}")[: self.frames]) for name in (*FRAMES, "moments", "counts")
        }
        if any(len(each) < self.frames for each in self.table.values()):
            raise _misfit("pages are missing that its last mark counts")
        self._check()
        self.open: tuple[int, Page] | None = None
        self.bounds = _Bounds()

    def _check(self) -> None:
        """Do pages begin at rows that are there, one after the other, and in chapters that are there?"""
        table = self.table
        shapes = {**dict.fromkeys(FRAMES, ()), "moments": (len(MOMENTS),), "counts": (len(COUNTS),)}
        kinds = {**FRAMES, "moments": "f8", "counts": "i8"}
        if any(each.shape[1:] != shapes[name] or each.dtype != kinds[name] for name, each in table.items()):
            raise _misfit("its pages have other columns")
        if self.events and not self.frames:
            raise _misfit("there are events, but no page")
        if any(len(self._column(f"event_{name}")) < self.events for name in EVENTS):
            raise _misfit("events are missing that its last mark counts")
        for name, most in (("event", self.events), ("anchor", len(self._column("anchor_time")))):
            rows = table[name]
            if len(rows) and (rows[0] != 0 or rows[-1] > most or (np.diff(rows) < 0).any()):
                raise _misfit("its pages begin at rows that are not there")
        chapter = table["chapter"]
        if len(chapter) and (chapter[0] < 0 or chapter[-1] >= max(self.chapters, 1) or (np.diff(chapter) < 0).any()):
            raise _misfit("its pages are of chapters that are not there")
        if not np.isfinite(table["moments"]).all() or np.isnan(table["since"]).any() or np.isnan(table["reach"]).any():
            raise _misfit("its pages begin at no time")

    def _column(self, name: str) -> Any:
        if name not in self.columns:
            raise SolverError(f"history: the column {name} is missing. The file is not whole, or of another version.")
        return self.columns[name]

    def __len__(self) -> int:
        return self.frames

    def headings(self) -> list[Heading]:
        rows = zip(self.table["moments"], self.table["since"].tolist(), self.table["chapter"].tolist(), strict=True)
        return [heading(moments, since, chapter) for moments, since, chapter in rows]

    def reaches(self) -> list[float]:
        """Of all pages but the last, the latest event."""
        return [float(each) for each in self.table["reach"][1:]]

    def scenes(self) -> list[str]:
        """The texts of all scenes but the first."""
        first = np.asarray(self._column("chapter_first")[: self.chapters]).tolist()
        if len(first) < 2:
            return []
        text = bytes(np.asarray(self._column("chapter_scene")[:]))
        ends = [*first[1:], len(text)]
        if len(first) < self.chapters or any(not 0 <= one <= two for one, two in zip(first, ends, strict=True)):
            raise _misfit("its chapters are not there")
        return [text[begin:end].decode() for begin, end in zip(first[1:], ends[1:], strict=True)]

    def drained(self) -> _Drained:
        """From where on a run that goes on is written down."""
        anchors = self._column("anchor_time")
        text = self._column("chapter_scene")
        return _Drained(self.frames, 0, self.events, self.frames, len(anchors), self.chapters, len(text))

    def page(self, k: int, world: World) -> Page:
        """A page, read and looked through; the last one is kept."""
        if self.open is None or self.open[0] != k:
            self.open = (k, self._read(k, world))
        return self.open[1]

    def _read(self, k: int, world: World) -> Page:
        first = int(self.table["event"][k])
        last = int(self.table["event"][k + 1]) if k + 1 < self.frames else self.events
        rows = int(self.table["anchor"][k])
        balls = slice(rows, rows + len(world.anchors))
        state: Arrays = {name: np.asarray(self._column(f"anchor_{name}")[balls]) for name in MOVING}
        state["moments"], state["counts"] = self.table["moments"][k], self.table["counts"][k]
        columns = {name: np.asarray(self._column(f"event_{name}")[first:last]) for name in EVENTS}
        if any(len(column) < last - first for column in columns.values()):
            raise _misfit("events are missing that its last mark counts")
        self.bounds.check(world, columns)
        notes = np.empty(last - first, note_record)
        for name, column in columns.items():
            notes[name] = column
        return Page(fitted(world, state), notes, float(self.table["since"][k]), last - first)


class _Bounds:
    """What events may name, by their kind: kernels look that up without asking, so it must be there."""

    def __init__(self) -> None:
        self._world: World | None = None
        self._real = np.zeros(256, np.bool_)
        """Is there such a kind?"""
        self._below = np.zeros(256, np.int64)
        """Its partners are below this."""

    def check(self, world: World, columns: Mapping[str, NDArray[Any]]) -> None:
        """Refuse events that cannot be done."""
        if self._world is not world:
            self._world, (self._real, self._below) = world, _kinds(world)
        time, ball, partner, kind = (columns[name] for name in EVENTS)
        if any(column.dtype != note_record[name] for name, column in columns.items()):
            raise _misfit("events have other columns")
        if not self._real[kind].all():
            raise _misfit("events are of no kind that there is")
        if ball.max(initial=0) >= len(world.anchors) or not (partner < self._below[kind]).all():
            raise _misfit("events name balls or walls that are not there")
        if np.isnan(time).any():
            raise _misfit("events are at no time")


def _kinds(world: World) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Of each number, whether it is a kind of event, and below which number its partner is: any, for a seam."""
    most = {"ball": len(world.anchors), "wall": world.walls.records.size, "": 2**32}
    real, below = np.zeros(256, np.bool_), np.full(256, 2**32, np.int64)
    real[SEAMS + SEAM : SEAMS + SEAM + 2 * world.dimension] = True
    for code in range(SEAMS):
        kind, image = decoded(code)
        if NOTHING < kind < len(KINDS) and image < IMAGES:
            real[code], below[code] = True, most[KINDS[kind].partner]
    return real, below


def _misfit(what: str) -> SolverError:
    return SolverError(f"history: {what}. The file is not whole.")
