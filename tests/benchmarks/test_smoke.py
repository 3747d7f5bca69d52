"""The benchmark runs, and its page has the form it should have; how fast it is depends on the machine."""

import time
from dataclasses import asdict
from functools import partial

import pytest
from benchmarks.__main__ import chosen, run
from benchmarks.cases import sections
from benchmarks.model import Case, Effort, Section, Skipped
from rich.console import Console

from benchmarks import report, scenes, speed
from carom.world import placement

TINY = Effort(slices=2, seconds=0.001, turnover=1, warm_up=1)


def unavailable(effort):
    raise Skipped("not installed")


def tiny_section():
    make = scenes.late(scenes.gas, 200, 0.2)
    cases = (
        Case("tiny", ("200",), partial(speed.alone, make), known=(2.0,)),
        Case("absent", ("201",), unavailable, known=("–",)),
    )
    return Section("tiny", "Tiny", "Text.", ("N",), (speed.RATE,), cases, ("target",), (speed.RATE, "target"))


def test_a_tiny_case_gives_a_table_of_the_right_form():
    section = tiny_section()
    results = run(list(section.cases), TINY, Console(quiet=True))
    text = report.page([section], results, {"processor": "any"}, asdict(TINY))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows[0] == "| N | million/s | target | million/s ÷ target |"
    assert {row.count("|") for row in rows} == {5}
    assert float(rows[2].split("|")[2]) > 0.0
    assert "skipped: not installed" in rows[3]
    assert "- processor: any" in text


def test_the_best_of_all_rounds_counts():
    rates = iter([2.0, 5.0, 3.0])
    often = Case("often", (), lambda _: {speed.RATE: next(rates)}, best_of_rounds=speed.RATE)
    once = Case("once", (), lambda _: {speed.RATE: 1.0})
    effort = Effort(slices=2, seconds=0.001, turnover=1, warm_up=1, rounds=3)
    assert run([often, once], effort, Console(quiet=True)) == {"often": {speed.RATE: 5.0}, "once": {speed.RATE: 1.0}}
    assert next(rates, None) is None


def test_slices_go_on_until_they_are_enough_and_have_taken_long_enough():
    assert len(list(TINY.goes_on())) == 2
    patient = Effort(slices=2, seconds=0.001, turnover=1, warm_up=1, patience=0.02)
    begin = time.process_time()
    assert len(list(patient.goes_on())) > 2
    assert time.process_time() - begin >= 0.02


def test_case_names_are_unique_and_rows_fit_their_tables():
    every = sections()
    names = [case.name for section in every for case in section.cases]
    assert len(set(names)) == len(names)
    for section in every:
        for case in section.cases:
            assert len(case.labels) == len(section.labels), case.name
            assert len(case.known) == len(section.known), case.name


@pytest.mark.parametrize("quick", [False, True])
def test_a_pattern_chooses_cases(quick):
    picked = chosen(sections(), "disks-1e3", quick=quick)
    assert [case.name for case in picked] == [f"disks-1e3-{packing}" for packing in (0.05, 0.3, 0.5, 0.7)]


@pytest.mark.parametrize("make", [scenes.star, scenes.falling, scenes.masses, scenes.lossy, scenes.boxed])
def test_scenes_are_valid(make):
    assert placement.problems(make(300, 0.3)) == []
