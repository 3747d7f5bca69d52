"""The benchmark runs, and its page has the form it should have; how fast it is depends on the machine."""

import time
from functools import partial

import pytest
from benchmarks.__main__ import PAGE, chosen, run
from benchmarks.cases import sections
from benchmarks.model import FULL, Case, Effort, Section, Skipped
from benchmarks.store import Store
from rich.console import Console

from benchmarks import report, scenes, speed
from carom.scene.placement import check

TINY = Effort(slices=2, seconds=0.001, turnover=1, warm_up=1)
FACTS = {"date": "2026-01-02", "processor": "any", "load": "1.0"}


def unavailable(effort):
    raise Skipped("not installed")


def tiny_section():
    make = scenes.late(scenes.gas, 200, 0.2)
    cases = (
        Case("tiny", ("200",), partial(speed.alone, make), known=(2.0,)),
        Case("absent", ("201",), unavailable, known=("–",)),
    )
    return Section("tiny", "Tiny", "Text.", ("N",), (speed.RATE,), cases, ("goal",))


def stored(section, results, facts=FACTS, run="2026-01-02T03:04:05+00:00", store=None):
    store = store or Store()
    store.add(run, facts, results, [case.name for case in section.cases])
    return store


def rows_of(text, title):
    return [line for line in text.partition(f"## {title}")[2].splitlines() if line.startswith("|")]


def test_a_tiny_case_gives_a_table_of_the_right_form():
    section = tiny_section()
    results = run(list(section.cases), TINY, Console(quiet=True))
    text = report.page([section], stored(section, results), turnover=TINY.turnover)
    rows = rows_of(text.partition("## Figures")[0], "Tiny")
    assert rows[0] == "| N | million/s | goal | run |"
    assert {row.count("|") for row in rows} == {5}
    assert float(rows[2].split("|")[2]) > 0.0
    assert "skipped: not installed" in rows[3]
    assert "| 1 | 2026-01-02 | any |" in text


def test_the_page_tells_which_run_measured_what(tmp_path):
    """What a later run measured stands beside the rest of an earlier one; what nobody measures any more is gone."""
    section = tiny_section()
    store = stored(section, {"tiny": {speed.RATE: 1.0}, "absent": "not here", "gone": {speed.RATE: 7.0}})
    file = tmp_path / "results.json"
    store.save(file)
    later = stored(
        section,
        {"absent": {speed.RATE: 3.0}},
        {**FACTS, "date": "2026-02-03", "load": "9.0"},
        "2026-02-03T00:00:00+00:00",
        Store.load(file),
    )
    text = report.page([section], later, turnover=1).partition("## Figures")[0]
    assert rows_of(text, "Tiny")[2:] == ["| 200 | 1 | 2 | 1 |", "| 201 | 3 | – | 2 |"]
    assert [row.split("|")[2].strip() for row in rows_of(text, "Runs")[2:4]] == ["2026-01-02", "2026-02-03"]
    again = stored(section, {"tiny": {speed.RATE: 5.0}}, FACTS, "2026-03-04T00:00:00+00:00", later)
    assert list(again.runs) == ["2026-02-03T00:00:00+00:00", "2026-03-04T00:00:00+00:00"]


def test_the_page_in_the_repository_is_what_the_results_give():
    assert PAGE.read_text(encoding="utf-8") == report.page(sections(), Store.load(), turnover=FULL.turnover)


def test_no_table_compares_with_figures_of_other_machines():
    """Goals that are no ratio of one run, and what other codes reached elsewhere, stand apart, and named as that."""
    known = {heading for section in sections() for heading in section.known}
    assert known == {"relative, at least", "goal"}
    text = PAGE.read_text(encoding="utf-8")
    measured, _, elsewhere = text.partition("## Figures from elsewhere")
    assert "Nothing here was measured by these benchmarks" in elsewhere
    assert "Smallenburg" in elsewhere
    assert not any(name in measured for name in ("DynamO", "best C codes", "LAMMPS", "best other"))


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
    assert check.problems(make(300, 0.3)) == []
