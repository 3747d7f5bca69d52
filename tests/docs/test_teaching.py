"""The lessons and the page of proven physics say what is there: exercises have answers, claims have tests."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from carom import library

ROOT = Path(__file__).parent.parent.parent
LESSONS = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
PROOF = (ROOT / "docs/proof.md").read_text(encoding="utf-8")
TOOL = ROOT / "tools/proof.py"
PICTURES = ("growth", "integrators", "maxwell", "oblique")


def lessons() -> dict[str, str]:
    """The text of each lesson by its heading."""
    parts = re.split(r"^## (\d+ .+)$", LESSONS, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def numbers(text: str) -> list[int]:
    """Of the items of a numbered list."""
    return [int(number) for number in re.findall(r"^(\d+)\. ", text, flags=re.MULTILINE)]


@pytest.mark.requirement("T-19")
@pytest.mark.parametrize("title", lessons())
def test_every_exercise_has_an_answer_and_a_run(title: str) -> None:
    exercises, answers = lessons()[title].split("### Answers to lesson")
    asked = numbers(exercises)
    assert asked == list(range(1, len(asked) + 1))
    assert 3 <= len(asked) <= 6
    assert numbers(answers) == asked
    assert answers.count("assert ") >= len(asked)
    assert "carom lab " in exercises


def test_every_experiment_stands_in_a_lesson() -> None:
    named = set(re.findall(r"`carom lab ([\w-]+)`", LESSONS))
    assert len(named) >= 20
    assert named <= set(library.names())
    table = LESSONS.partition("| lesson |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`([\w-]+)`", table)) == sorted(library.names())


def test_the_tables_hold_the_claims_of_the_tool() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def claims() -> list[list[str]]:
    """The rows of the measured tables: what holds, expected, carom, off by, test."""
    begin, end = (f"<!-- measured by tools/proof.py: {mark} -->" for mark in ("begin", "end"))
    lines = PROOF.partition(begin)[2].partition(end)[0].splitlines()
    return [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines if ".py: " in line]


def test_every_test_that_a_claim_names_is_there() -> None:
    named = [row[-1].split(": ") for row in claims()]
    assert len(named) >= 50
    missing = [
        (file, words)
        for file, words in named
        if f"def test_{words.replace(' ', '_')}(" not in (ROOT / "tests" / file).read_text(encoding="utf-8")
    ]
    assert not missing


def test_every_claim_held_when_it_was_measured() -> None:
    """Standard errors within 4; and no row without a figure."""
    rows = claims()
    assert all(len(row) == 5 and all(row) for row in rows)
    errors = [float(row[3].split()[0]) for row in rows if row[3].endswith("standard errors")]
    assert len(errors) > 10
    assert max(map(abs, errors)) <= 4.0


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_small_and_shown(name: str) -> None:
    assert 1_000 < (ROOT / f"docs/images/teach-{name}.svg").stat().st_size < 100_000
    assert f"images/teach-{name}.svg" in LESSONS
