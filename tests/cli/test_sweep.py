"""`carom sweep` and `carom studies`."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from carom.cli import main
from carom.cli.interrupt import Interrupt
from carom.cli.sweep_progress import SweepBar, duration
from carom.cli.sweep_table import plain, shortened, with_error
from carom.cli.terminal import console
from carom.errors import ClusterError
from carom.storage.lock import Lock
from carom.sweeps import ready
from carom.sweeps.running import driver
from carom.sweeps.running.driver import Progress
from carom.sweeps.study.study import Study

PLOT = """\
[plot]
x = "balls[1].mass"
y = "collisions"
"""
STUDY = (
    """\
name = "Two balls"
observables = [{ name = "kinetic_energy", take = "last" }]
[parameters]
"balls[1].mass" = [0.01, 0.02, 0.04]
[run]
until = 2.0
"""
    + PLOT
    + """\
[scene]
boundary = { kind = "box", size = [0.5, 0.3] }
balls = [
  { position = [0.10, 0.1], velocity = [0.1, 0.0], mass = 0.02, radius = 0.02 },
  { position = [0.35, 0.1], velocity = [-0.1, 0.0], mass = 0.01, radius = 0.01 },
]
"""
)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study and its results, made once."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "two.toml").write_text(STUDY, encoding="utf-8")
    assert main(["sweep", str(folder / "two.toml"), "--out", str(folder / "out"), "--workers", "1", "--quiet"]) == 0
    return folder


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study file in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "two.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


# Real results.


def test_a_sweep_leaves_tables_and_a_plot(swept: Path) -> None:
    names = {path.name for path in (swept / "out").iterdir()}
    assert names >= {"study.toml", "runs.jsonl", "table.csv", "table.parquet", "summary.csv", "plot.svg"}


def test_the_status_of_a_folder(carom, swept: Path) -> None:
    answer = carom("sweep", swept / "out", "--status")
    assert answer.code == 0
    told = dict(line.split(maxsplit=1) for line in answer.out.splitlines())
    assert (told["study"], told["runs"], told["done"], told["left"]) == ("Two balls", "3", "3", "0")
    told = json.loads(carom("sweep", swept / "two.toml", "--out", swept / "out", "--status", "--json").out)
    assert (told["study"], told["runs"], told["done"], told["left"], told["failed"]) == ("Two balls", 3, 3, 0, 0)


def test_results_that_are_there_are_not_done_anew(carom, swept: Path) -> None:
    answer = carom("sweep", swept / "two.toml", "--out", swept / "out", "--quiet")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "3 runs" in answer.err
    assert "resume" in answer.err


def test_resuming_what_is_done_prints_it_again(carom, swept: Path) -> None:
    answer = carom("sweep", swept / "out", "--resume")
    assert answer.code == 0
    lines = [line.split() for line in answer.out.splitlines()]
    assert lines[0] == ["balls[1].mass", "kinetic_energy_last", "runs"]
    assert [line[0] for line in lines[1:]] == ["0.01", "0.02", "0.04"]
    assert "Two balls: 3 runs" in answer.err
    assert "3 runs had ended before" in answer.err
    assert "table.csv" in answer.err


def test_what_machines_read(carom, swept: Path) -> None:
    told = json.loads(carom("sweep", swept / "out", "--resume", "--json", "--quiet").out)
    assert (told["runs"], told["done"], told["failed"], told["timed_out"]) == (3, 3, 0, 0)
    assert told["plots"] == [str(swept / "out/plot.svg")]


def test_a_plot_of_results_without_any_run(carom, swept: Path, tmp_path: Path) -> None:
    answer = carom("sweep", swept / "out", "--plot", tmp_path / "plot.png")
    assert answer.code == 0
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    answer = carom("sweep", swept / "out", "--plot", tmp_path / "plot.gif")
    assert answer.code == 2
    assert ".svg or .png or .pdf" in answer.err


def test_a_folder_alone_says_too_little(carom, swept: Path) -> None:
    answer = carom("sweep", swept / "out")
    assert answer.code == 2
    assert "--status" in answer.err


def test_a_dry_run_counts_estimates_and_writes_nothing(carom, study: Path) -> None:
    answer = carom("sweep", study, "--dry-run")
    assert answer.code == 0
    assert answer.out.startswith("Two balls: 3 runs\n")
    assert "one run takes about" in answer.out
    assert [path.name for path in study.parent.iterdir()] == ["two.toml"]


# Pretended ones: how a sweep is told of.


class Pretended:
    """A table in which the second of three runs has failed, and one has timed out."""

    columns = ("balls[1].mass", "status", "reason", "collisions")
    parameters = ("balls[1].mass",)
    values = ("collisions",)

    def rows(self) -> Iterator[dict[str, Any]]:
        for k, status in enumerate(("done", "failed", "timed out")):
            reason = "" if status == "done" else f"it {status}"
            yield {"point": k, "balls[1].mass": 0.01, "status": status, "reason": reason, "collisions": 2}

    def summary(self) -> list[dict[str, Any]]:
        return [{"balls[1].mass": 0.01, "collisions": 2.0, "collisions_error": 0.1, "done": 1, "failed": 2}]


def pretend(monkeypatch: pytest.MonkeyPatch, act: Callable[..., Any]) -> None:
    monkeypatch.setattr(driver, "sweep", act)


def test_runs_that_failed_are_told_and_make_the_exit_code(carom, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def act(wanted: Study, *, out: Path, progress: Callable[[Progress], object], **options: Any) -> Pretended:
        out.mkdir()
        progress(Progress("running", 3, workers=2, left=75.0, run_seconds=0.05, notes=("the study has changed",)))
        return Pretended()

    pretend(monkeypatch, act)
    answer = carom("sweep", study)
    assert answer.code == 1
    assert "the study has changed" in answer.err
    assert "on 2 workers, 50 ms per run: about 1 min 15 s" in answer.err
    assert "1 run: it failed" in answer.err
    assert "1 run done, 1 failed, 1 timed out" in answer.err
    assert "to repeat those that failed or timed out: carom sweep two-results --retry" in answer.err
    assert "2.00 ± 0.10" in answer.out
    assert "1 of 3" in answer.out


def test_ctrl_c_stops_in_order_and_says_how_to_go_on(carom, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def act(*given: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    pretend(monkeypatch, act)
    answer = carom("sweep", study, "--out", "there")
    assert answer.code == 130
    assert f"carom sweep {study} --out there --resume" in answer.err


def test_what_the_driver_is_told(carom, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def act(wanted: Study, **options: Any) -> None:
        asked.update(options, study=wanted)
        raise ClusterError("tcp://127.0.0.1:1", "nobody answers", "Check the address.")

    pretend(monkeypatch, act)
    answer = carom("sweep", study, "--scheduler", "tcp://127.0.0.1:1", "--retry", "--quiet")
    assert (answer.code, answer.err) == (1, "tcp://127.0.0.1:1: nobody answers. Check the address.\n")
    assert (asked["scheduler"], asked["workers"], asked["resume"], asked["retry"]) == ("tcp://127.0.0.1:1", None, 1, 1)
    assert asked["out"] == Path("two-results")
    assert asked["study"] == Study.load(study)


# Mistakes.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["two.toml", "--workers", "0"], "not a number of workers"),
        (["two.toml", "--workers", "2", "--scheduler", "tcp://x:1"], "one of them"),
        (["two.toml", "--status", "--resume"], "Choose one"),
        (["two.toml", "--dry-run", "--scheduler", "tcp://x:1"], "Leave --scheduler"),
        (["two.toml", "--status", "--plot", "x.svg"], "Leave --scheduler and --plot out"),
        (["two.toml", "--status", "--workers", "1"], "Leave --workers out"),
        (["bare.toml", "--plot", "x.svg"], "Add a [plot] table"),
        (["two.toml", "--plot", "there.svg"], "--force"),
        (["pie"], "Did you mean 'pi'?"),
        (["."], "holds no results"),
    ],
)
def test_a_command_that_is_wrong_is_one_line(carom, study: Path, arguments: list[str], words: str) -> None:
    (study.parent / "bare.toml").write_text(STUDY.replace(PLOT, ""), encoding="utf-8")
    (study.parent / "there.svg").touch()
    answer = carom("sweep", *arguments)
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert words in answer.err


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("balls[1].mass", "balls[2].mass", "2"),
        ("[0.01, 0.02, 0.04]", "[]", "parameters"),
        ("[0.01, 0.02, 0.04]", "{ linear = [0.01, 1], count = 1000000000000 }", "parameters"),
        ("[0.01, 0.02, 0.04]", "[0.01, -0.02]", "-0.02"),
        ("until = 2.0", "untill = 2.0", "until"),
        ('y = "collisions"', 'y = "collisions"\nlaw = "pie"', "law"),
        ('y = "collisions"', 'y = "kinetic_energy_lst"', "plot.y: the table has no column 'kinetic_energy_lst'"),
        ('y = "collisions"', 'y = "collisions"\nper = "enrgy"', "plot.per: the table has no column 'enrgy'"),
        ('"kinetic_energy"', '"highest"', "The command line has none of your own"),
        ('y = "collisions"', 'y = "stopped"', "plot.y: 'stopped' holds words"),
        ('y = "collisions"', 'y = "collisions"\nlaw = "virial"', "needs generator.packing_fraction"),
    ],
)
def test_a_bad_study_is_one_line_before_anything_runs(carom, study: Path, old: str, new: str, words: str) -> None:
    study.write_text(STUDY.replace(old, new), encoding="utf-8")
    answer = carom("sweep", study, "--dry-run")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert answer.err.startswith(f"{study}: ")
    assert words in answer.err


@pytest.mark.parametrize("options", [[], ["--plot", "x.svg"], ["--dry-run"]])
def test_a_plot_that_cannot_be_is_told_before_anything_starts(
    carom, study: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, lambda *given, **rest: pytest.fail("it began"))
    study.write_text(STUDY.replace('y = "collisions"', 'y = "colisions"'), encoding="utf-8")
    answer = carom("sweep", study, *options, "--quiet")
    assert answer.code == 1
    assert answer.err.startswith(f"{study}: plot.y: ")


def test_a_plot_that_was_asked_for_and_not_drawn_is_no_success(
    carom, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nothing(Pretended):
        def rows(self) -> Iterator[dict[str, Any]]:
            yield {"point": 0, "balls[1].mass": 0.01, "status": "done", "reason": "", "collisions": None}

    def act(wanted: Study, *, out: Path, **options: Any) -> Nothing:
        out.mkdir()
        return Nothing()

    pretend(monkeypatch, act)
    answer = carom("sweep", study, "--plot", "x.svg", "--quiet")
    assert answer.code == 1
    assert "no run has ended that has collisions" in answer.err


@pytest.mark.parametrize(
    ("options", "law", "words"),
    [
        ("dimension = 3", "henderson", "is for disks, and generator.dimension is 3"),
        ("dimension = 3", "santos", "is for disks, and generator.dimension is 3"),
        ("dimension = 2", "carnahan-starling", "is for balls in space, and generator.dimension is 2"),
        ("fraction = 0.5, radius_ratio = 2.0", "virial", "is for equal balls"),
    ],
)
def test_a_law_that_is_for_something_else_is_refused(carom, study: Path, options: str, law: str, words: str) -> None:
    study.write_text(
        f"""scene = {{ generator = {{ kind = "gas", count = 16, {options} }} }}
        observables = ["compressibility"]
        [parameters]
        "generator.packing_fraction" = [0.1, 0.2]
        [run]
        until = 1.0
        every = 0.1
        [plot]
        x = "generator.packing_fraction"
        y = "compressibility"
        law = "{law}"
        """,
        encoding="utf-8",
    )
    answer = carom("sweep", study, "--dry-run")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert words in answer.err


# The ready ones.


def test_the_list_of_ready_studies(carom) -> None:
    lines = carom("studies").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(ready.names())


def test_one_ready_study_shown_and_saved(carom, tmp_path: Path) -> None:
    assert carom("studies", "pi").out == ready.text("pi")
    answer = carom("studies", "pi", "--save", tmp_path / "my.toml")
    assert answer.code == 0
    assert Study.load(tmp_path / "my.toml") == Study.load("pi")
    assert carom("studies", "pi", "--save", tmp_path / "my.toml").code == 2
    assert carom("studies", "pi", "--save", tmp_path / "my.toml", "--force").code == 0


@pytest.mark.parametrize(("arguments", "words"), [(["pie"], "'pi'"), (["--save", "x.toml"], "name the study")])
def test_mistakes_in_studies(carom, arguments: list[str], words: str) -> None:
    answer = carom("studies", *arguments)
    assert answer.code == 2
    assert words in answer.err


def test_the_schema_of_studies(carom) -> None:
    assert "parameters" in json.loads(carom("schema", "--study").out)["properties"]


# Words.


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "12.3 ms"), (3.44, "3.44 s"), (59.96, "1 min"), (125.0, "2 min 5 s"), (3600.0, "1 h"),
        (12_000.0, "3 h 20 min"), (190_000.0, "2 d 4 h"), (0.0, "0 ms"),
    ],
)  # fmt: skip
def test_a_time_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1.23456, 0.0123, "1.235 ± 0.012"), (2.0, None, "2"), (3, 0.0, "3"), (None, None, ""), ("until", None, "until"),
        (1e9, 2.0, "1e+09 ± 2"), (0.5, 1e-20, "0.5"), (20.0, 3.0, "20.0 ± 3.0"),
    ],
)  # fmt: skip
def test_a_value_with_its_error(value: Any, error: Any, text: str) -> None:
    assert with_error(value, error) == text


def test_long_tables_are_cut_in_the_middle() -> None:
    lines = [{"k": k} for k in range(30)]
    assert shortened(lines[:20]) == lines[:20]
    cut = shortened(lines)
    assert len(cut) == 20
    assert (cut[0], cut[10], cut[-1]) == ({"k": 0}, None, {"k": 29})


def test_the_name_of_a_ready_study_wins_over_a_folder_without_results(carom, study: Path) -> None:
    (study.parent / "pi").mkdir()
    answer = carom("sweep", "pi", "--status")
    assert answer.code == 1
    assert answer.err.startswith("pi-results: ")
    assert carom("sweep", "pi/", "--status").err.startswith("pi: ")


def test_a_results_folder_that_is_called_as_a_ready_study_wins(carom, swept: Path, study: Path) -> None:
    shutil.copytree(swept / "out", "pi")
    answer = carom("sweep", "pi", "--status")
    assert answer.code == 0
    assert "Two balls" in answer.out
    assert answer.err == "pi means the results folder here, not the ready study.\n"
    assert "carom studies pi --save" in carom("sweep", "pi", "--quiet").err


def test_folders_with_blanks_are_quoted(carom, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def act(*given: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    pretend(monkeypatch, act)
    assert 'carom sweep two.toml --out "my results" --resume' in carom("sweep", "two.toml", "--out", "my results").err


def told(*steps: Progress, limit: float | None = None) -> list[str]:
    """The lines that a sweep says, where there is no terminal."""
    text = StringIO()
    with SweepBar(console(text), Interrupt(), quiet=False, limit=limit) as bar:
        for step in steps:
            bar(step)
    return text.getvalue().splitlines()


def test_the_time_that_is_told_is_that_of_the_whole_even_if_runs_have_ended() -> None:
    lines = told(Progress("running", 400, done=400, workers=2, left=0.0, run_seconds=0.01))
    assert lines == ["on 2 workers, 10 ms per run: about 2 s"]


def test_no_run_is_said_to_take_longer_than_it_may() -> None:
    assert told(Progress("running", 4, workers=2, left=200.0, run_seconds=100.0), limit=10.0) == [
        "on 2 workers, 10 s per run: about 20 s"
    ]


def test_without_a_terminal_there_is_a_line_a_minute() -> None:
    steps = [Progress("running", 1000, done=k, workers=1, seconds=k, left=9.0, rate=2.0) for k in range(0, 130, 10)]
    assert told(*steps)[1:] == ["running: 60 of 1,000, 2 runs/s, 9 s left", "running: 120 of 1,000, 2 runs/s, 9 s left"]


def test_a_changed_study_of_which_nothing_counts_says_so() -> None:
    stay = "they stay in the journal, but not in the tables"
    notes = (f"out/runs.jsonl: 3 runs do not belong to the study any more: {stay}.",)
    assert "all runs start anew" in told(Progress("starting", 3, notes=notes))[-1]
    assert not any("anew" in line for line in told(Progress("starting", 3, done=1, kept=1, notes=notes)))


def test_the_status_tells_the_time_left_while_someone_writes(carom, swept: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(swept / "out", tmp_path / "out")
    journal = folder / "runs.jsonl"
    lines = journal.read_text("utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]), encoding="utf-8")
    assert "time left" not in carom("sweep", folder, "--status").out
    with Lock(journal):
        assert re.search(r"time left +about \d", carom("sweep", folder, "--status").out)
        found = json.loads(carom("sweep", folder, "--status", "--json").out)
    assert (found["left"], found["seconds_left"]) == (1, found["seconds_per_run"])


def test_a_dry_run_with_results_tells_what_is_left(carom, swept: Path, study: Path) -> None:
    study.write_text(STUDY.replace("0.02, 0.04]", "0.02, 0.04, 0.08]"), encoding="utf-8")
    answer = carom("sweep", study, "--out", swept / "out", "--dry-run")
    assert "1 are left" in answer.out
    assert "the remaining runs" in answer.out


def test_a_study_without_a_name_is_called_as_its_folder(carom, study: Path) -> None:
    study.write_text(STUDY.replace('name = "Two balls"\n', ""), encoding="utf-8")
    answer = carom("sweep", study, "--out", "here", "--dry-run")
    assert answer.out.startswith("here: 3 runs")


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (1234567, "1234567"), (0.1, "0.1"), ("pefrl", "pefrl")])
def test_a_value_in_a_table(value: Any, text: str) -> None:
    assert plain(value) == text
