"""The calendar gives events in the order of a plain sort, whatever is filed, refiled and turned over."""

import heapq

import numpy as np
import pytest

from carom.solvers.exact.balls import Bodies, ball_record
from carom.solvers.exact.clock import clock_record
from carom.solvers.exact.events import calendar
from carom.solvers.exact.kinds import BALL, CONTACT, MOST_KINDS, SEAM, WALL
from carom.solvers.exact.world import Contact, Rules
from reference.laws import called

file, first_of_ties, catch_up = called(calendar.file), called(calendar.first_of_ties), called(calendar.catch_up)
open_bucket, pop, push = called(calendar.open_bucket), called(calendar.pop), called(calendar.push)
AT_ONCE, LATER = (), (0, 0)
EMPTY = tuple(np.zeros(0, np.int32) for _ in Bodies._fields[1:])
RULES = Rules((0, 0), None, None, None, Contact(0.0, 0.0), ())


class Calendar:
    """A calendar of n balls, driven as the main loop drives it."""

    def __init__(self, times, *, width=0.01, buckets=16, heap=None, spare=64, ahead=AT_ONCE):
        self.ahead = ahead
        self.balls = np.zeros(len(times), ball_record)
        self.balls["te"] = times
        self.balls["id"] = np.arange(len(times))
        self.balls["exit"] = CONTACT
        self.balls["kind"] = WALL
        self.clocks = np.zeros(1, clock_record)
        self.clocks["width"], self.clocks["buckets"], self.clocks["bucket"] = width, buckets, -1
        size = heap or 2 * len(times) + 64
        self.blocks = np.zeros((buckets + spare) * 8, np.uint32)
        self.calendar = calendar.Calendar(np.zeros(size), np.zeros(size, np.uint32), self.blocks, ahead)
        self.turn()

    @property
    def parts(self):
        return self.balls, self.calendar, self.clocks[0]

    def turn(self):
        calendar.turn_year(self.balls, self.calendar._replace(ahead=LATER), self.clocks[0])

    def file(self, i, time):
        self.balls["te"][i] = time
        if not file(*self.parts, self.ahead, i):
            self.turn()

    def next(self):
        """The first valid entry, popped; None when nothing is left."""
        clock = self.clocks[0]
        while True:
            if clock["heap"] == 0:
                counts = self.blocks.reshape(-1, 8)[: clock["buckets"], calendar.COUNT]
                full = np.flatnonzero(counts[clock["bucket"] + 1 :])
                bucket = clock["bucket"] + 1 + full[0] if full.size else clock["buckets"] - 1
                if clock["soonest"] <= bucket:
                    if not catch_up(self.blocks, clock):
                        self.turn()
                    continue
                if not full.size:
                    self.turn()
                    if clock["bucket"] == clock["buckets"]:
                        return None
                    continue
                clock["bucket"] = bucket
                open_bucket(Bodies(self.balls, *EMPTY), RULES, None, self.calendar, clock, AT_ONCE)
                continue
            i = int(self.calendar.balls[0])
            if self.calendar.times[0] != self.balls["te"][i]:
                pop(self.calendar, clock)
                continue
            first = int(first_of_ties(*self.parts))
            if first == i:
                pop(self.calendar, clock)
            clock["looked"] += 1
            return float(self.balls["te"][first]), first


@pytest.mark.parametrize("width", [1e-6, 1e-3, 0.1, 100.0])
def test_events_come_in_the_order_of_time(width):
    rng = np.random.default_rng(1)
    times = rng.exponential(1.0, 300)
    book = Calendar(times.copy(), width=width)
    found = []
    for _ in range(300):
        time, i = book.next()
        found.append((time, i))
        book.file(i, np.inf)
    assert found == sorted(zip(times.tolist(), range(300), strict=True))
    assert book.next() is None


@pytest.mark.parametrize("ahead", [AT_ONCE, LATER])
@pytest.mark.parametrize("width", [1e-4, 1e-2, 1.0])
def test_refiling_keeps_the_order(width, ahead):
    """Each ball that comes up is filed anew, and so is a random other one, which leaves a stale entry behind."""
    rng = np.random.default_rng(2)
    n = 100
    times = rng.exponential(1.0, n)
    book = Calendar(times.copy(), width=width, ahead=ahead)
    now = 0.0
    for _ in range(3000):
        earliest = min((t, k) for k, t in enumerate(book.balls["te"].tolist()))
        time, i = book.next()
        assert (time, i) == earliest
        assert time >= now
        now = time
        book.file(i, now + rng.exponential(1.0))
        book.file(int(rng.integers(n)), now + rng.exponential(10.0 ** rng.uniform(-3, 1)))


@pytest.mark.parametrize("ahead", [AT_ONCE, LATER])
def test_when_no_block_is_free_everything_is_filed_anew(ahead):
    """A calendar so short of room that it must turn again and again still forgets nobody."""
    rng = np.random.default_rng(3)
    times = rng.uniform(0.0, 1.0, 200)
    book = Calendar(times.copy(), width=0.01, spare=40, ahead=ahead)
    turned = int(book.clocks["turned"][0])
    for k in range(1000):
        earliest = min((t, j) for j, t in enumerate(book.balls["te"].tolist()))
        time, i = book.next()
        assert (time, i) == earliest, k
        book.file(i, time + 0.1 + 0.01 * rng.uniform())  # all into the same few buckets
    assert book.clocks["turned"][0] > turned


def test_a_full_heap_is_compacted():
    """The same balls are filed again and again in the current bucket: stale entries may not crowd out the others."""
    n = 20
    book = Calendar(np.linspace(1.0, 2.0, n), width=1000.0, heap=2 * n + 4)
    for k in range(200):
        book.file(k % n, 1.5 + 1e-3 * k)
    expected = sorted((t, i) for i, t in enumerate(book.balls["te"].tolist()))
    found = []
    for _ in range(n):
        time, i = book.next()
        found.append((time, i))
        book.file(i, np.inf)
    assert found == expected


@pytest.mark.requirement("T-12")
def test_ties_are_broken_by_kind_then_by_numbers():
    """Bookkeeping first, then pairs, then walls, then seams; each by the balls' numbers in the scene."""
    book = Calendar(np.full(9, 1.0))
    balls = book.balls
    balls["id"] = [80, 70, 60, 50, 40, 30, 20, 10, 0]
    here = BALL + MOST_KINDS * 13  # a ball, seen across no seam: what the prediction writes down
    balls["kind"] = [WALL, WALL, here, here, here, here, WALL, WALL, here]
    balls["partner"][2:6] = [3, 2, 5, 4]  # two pairs: (60, 50) and (40, 30)
    balls["exit"][6] = SEAM
    balls["exit"][7] = 3  # leaves its cell
    balls["partner"][8], balls["moved"][1] = 1, 99  # its partner has meanwhile collided with another
    order = []
    for _ in range(9):
        _, i = book.next()
        order.append(int(balls["id"][i]))
        book.file(i, np.inf)
    assert set(order[:2]) == {10, 0}
    assert [order[2] in (40, 30), order[3] in (40, 30)] == [True, True]
    assert [order[4] in (60, 50), order[5] in (60, 50)] == [True, True]
    assert order[6:] == [70, 80, 20]


def test_many_ties_against_a_sort():
    rng = np.random.default_rng(4)
    times = rng.integers(0, 5, 200) * 0.25 + 1.0
    book = Calendar(times.copy(), width=0.1)
    book.balls["id"] = rng.permutation(200)
    expected = sorted(zip(times.tolist(), book.balls["id"].tolist(), strict=True))
    found = []
    for _ in range(200):
        time, i = book.next()
        found.append((time, int(book.balls["id"][i])))
        book.file(i, np.inf)
    assert found == expected


def test_a_width_below_the_spacing_of_floats_is_widened():
    book = Calendar(1e9 + np.arange(5.0), width=1e-12)
    assert [book.next()[0] - 1e9 for _ in range(1)] == [0.0]
    assert book.clocks["base"][0] + book.clocks["width"][0] * 16 > book.clocks["base"][0]


def test_an_empty_calendar_says_so():
    book = Calendar(np.full(3, np.inf))
    assert book.next() is None


def test_push_and_pop_are_a_heap():
    rng = np.random.default_rng(5)
    clocks = np.zeros(1, clock_record)
    heap = calendar.Calendar(np.zeros(600), np.zeros(600, np.uint32), np.zeros(0, np.uint32), AT_ONCE)
    reference = []
    for k in range(2000):
        if reference and (rng.uniform() < 0.5 or len(reference) == 600):
            assert heap.times[0] == heapq.heappop(reference)
            pop(heap, clocks[0])
        else:
            t = float(rng.uniform())
            heapq.heappush(reference, t)
            push(heap, clocks[0], t, k)
        assert clocks["heap"][0] == len(reference)
