"""`carom run`."""

import json
import re
import signal
from pathlib import Path

import pytest

from carom import library
from carom.cli.progress import RunBar
from carom.cli.summary import count, is_elastic
from carom.errors import StackError
from carom.scene.io.files import loads


def figures(answer) -> dict:
    assert answer.code == 0, answer.err
    assert answer.out.count("\n") == 1
    return json.loads(answer.out)


def test_summary_table(carom, unequal: Path) -> None:
    answer = carom("run", unequal, "--until", "2")
    assert answer.code == 0
    rows = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in answer.out.splitlines())
    assert rows["time"] == "2 s"
    assert rows["collisions"] == "1"
    assert rows["ball-ball"] == "1"
    assert rows["ball-wall"] == "0"
    assert rows["energy"] == "0.00015 J"
    assert {"energy drift", "momentum", "wall time", "speed"} <= rows.keys()


@pytest.mark.requirement("T-02")  # the scene is a file of a few lines that a person types
def test_json_is_one_object(carom, unequal: Path) -> None:
    found = figures(carom("run", unequal, "--until", "2", "--json"))
    assert found["time"] == 2.0
    assert found["collisions"] == 1
    assert found["collisions_by_kind"] == {"ball-ball": 1, "ball-wall": 0}
    assert found["energy"] == pytest.approx(1.5e-4, rel=1e-15)
    assert found["energy_change"] == pytest.approx(0.0, abs=1e-15)
    assert found["momentum"] == pytest.approx([0.001, 0.0], abs=1e-18)
    assert found["stopped"] == "at the time asked for"
    assert found["error"] is None


def test_a_number_of_collisions(carom, unequal: Path) -> None:
    found = figures(carom("run", unequal, "--collisions", "7", "--json"))
    assert found["collisions"] == 7
    assert found["stopped"] == "after the collisions asked for"


def test_whichever_comes_first(carom, unequal: Path) -> None:
    found = figures(carom("run", unequal, "--collisions", "700", "--until", "2", "--json"))
    assert (found["collisions"], found["time"]) == (1, 2.0)


def test_nothing_collides_any_more(carom, tmp_path: Path) -> None:
    lone = tmp_path / "lone.toml"
    lone.write_text("[[balls]]\nposition = [0.0, 0.0]\nvelocity = [1.0, 0.0]\n", encoding="utf-8")
    found = figures(carom("run", lone, "--collisions", "3", "--json"))
    assert found["collisions"] == 0
    assert found["stopped"] == "nothing collides any more"


def test_a_scene_of_the_library(carom) -> None:
    assert figures(carom("run", "break", "--until", "0.5", "--json"))["collisions"] > 0


def test_quiet_says_nothing(carom, unequal: Path) -> None:
    answer = carom("run", unequal, "--until", "2", "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


def test_no_energy_to_compare_with(carom, tmp_path: Path) -> None:
    still = tmp_path / "still.toml"
    still.write_text("[[balls]]\nposition = [0.0, 0.0]\n", encoding="utf-8")
    assert figures(carom("run", still, "--until", "1", "--json"))["energy_change"] is None
    assert "none to compare with" in carom("run", still, "--until", "1").out


def test_a_ball_that_comes_to_rest_is_reported(carom, tmp_path: Path) -> None:
    dropped = tmp_path / "dropped.toml"
    dropped.write_text(
        "gravity = [0.0, -9.81]\nrestitution = 0.5\n[boundary]\nkind = 'box'\nsize = [1.0, 1.0]\n"
        "[[balls]]\nposition = [0.5, 0.5]\nradius = 0.1\n",
        encoding="utf-8",
    )
    found = figures(carom("run", dropped, "--until", "10", "--json"))
    assert found["resting"] == 1
    assert not found["elastic"]
    answer = carom("run", dropped, "--until", "10")
    assert re.search(r"at rest +1 ball\n", answer.out)
    assert "energy change" in answer.out


@pytest.mark.parametrize(
    ("extra", "elastic"),
    [
        ("", True),
        ("restitution = 0.9\n", False),
        ("friction = 0.1\n", False),
        ("drag = 0.1\n", False),
        ("drag = 0.0\nfriction = 0.0\n", True),
        ('attraction = {G = 1.0, touch = "merge"}\n', False),
        ('attraction = {G = 1.0, touch = "bounce"}\n', True),
        ("links = [{between = [0, 1], stiffness = 1.0}]\n", True),
        ("links = [{between = [0, 1], stiffness = 1.0, damping = 0.1}]\n", False),
        ("links = [{between = [0, 1], stiffness = 1.0, breaking = 0.1}]\n", False),
    ],
)
def test_elastic_means_that_nothing_takes_energy_away(extra: str, elastic: bool) -> None:
    balls = "[[balls]]\nposition = [0, 0]\nradius = 0.1\n[[balls]]\nposition = [1, 0]\nradius = 0.1\n"
    assert is_elastic(loads(extra + balls)) is elastic


class TestSaving:
    def test_the_final_state_is_a_scene(self, carom, unequal: Path, tmp_path: Path) -> None:
        half, whole, rest = tmp_path / "half.toml", tmp_path / "whole.json", tmp_path / "rest.json"
        assert carom("run", unequal, "--until", "1.5", "--save", half).code == 0
        assert carom("check", half).code == 0
        assert carom("run", half, "--until", "0.5", "--save", rest).code == 0
        assert carom("run", unequal, "--until", "2", "--save", whole).code == 0
        ends = [json.loads(path.read_text(encoding="utf-8"))["balls"] for path in (rest, whole)]
        for one, other in zip(*ends, strict=True):
            assert one["position"] == pytest.approx(other["position"], rel=1e-12)
            assert one["velocity"] == pytest.approx(other["velocity"], rel=1e-12)

    def test_the_table_names_the_file(self, carom, unequal: Path, tmp_path: Path) -> None:
        assert "end.toml" in carom("run", unequal, "--until", "1", "--save", tmp_path / "end.toml").out

    def test_nothing_is_overwritten_unasked(self, carom, unequal: Path) -> None:
        before = unequal.read_bytes()
        answer = carom("run", unequal, "--until", "1", "--save", unequal)
        assert answer.code == 2
        assert "--force" in answer.err
        assert unequal.read_bytes() == before
        assert carom("run", unequal, "--until", "1", "--save", unequal, "--force").code == 0
        assert unequal.read_bytes() != before

    @pytest.mark.parametrize("target", ["end.txt", "end", "missing/end.toml"])
    def test_a_place_that_cannot_be_is_refused_before_the_run(
        self, carom, unequal: Path, tmp_path: Path, target: str
    ) -> None:
        answer = carom("run", unequal, "--until", "1", "--save", tmp_path / target)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.count("\n") == 1


class TestMistakes:
    @pytest.mark.requirement("T-05")
    def test_a_bad_scene_is_one_line_a_problem(self, carom, overlapping: Path) -> None:
        answer = carom("run", overlapping, "--until", "1")
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.count("\n") == 1
        assert answer.err.startswith(f"{overlapping}: ")
        assert "overlap" in answer.err

    def test_a_missing_file(self, carom, tmp_path: Path) -> None:
        answer = carom("run", tmp_path / "nowhere.toml", "--until", "1")
        assert answer.code == 1
        assert answer.err.count("\n") == 1
        assert "nowhere.toml" in answer.err

    def test_a_name_that_is_nearly_right(self, carom) -> None:
        answer = carom("run", "braek", "--until", "1")
        assert answer.code == 2
        assert answer.err.count("\n") == 1
        assert "Did you mean 'break'?" in answer.err

    def test_a_name_that_is_nothing_like(self, carom) -> None:
        answer = carom("run", "xyzzy", "--until", "1")
        assert answer.code == 2
        assert "carom scenes" in answer.err

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ([], "--until"),
            (["--until", "inf"], "inf"),
            (["--until", "nan"], "nan"),
            (["--until", "-1"], "-1"),
            (["--until", "soon"], "soon"),
            (["--collisions", "-5"], "-5"),
            (["--collisions", "1.5"], "1.5"),
            (["--untill", "1"], "--untill"),
        ],
    )
    def test_options_that_cannot_be(self, carom, unequal: Path, options: list[str], word: str) -> None:
        answer = carom("run", unequal, *options)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.count("\n") == 1
        assert word in answer.err

    def test_an_error_of_the_solver_comes_with_what_was_done(self, carom, unequal: Path, monkeypatch) -> None:
        def fail(self: RunBar, fraction: float) -> None:
            raise StackError((0, 1), 0.5)

        monkeypatch.setattr(RunBar, "__call__", fail)
        answer = carom("run", unequal, "--until", "2", "--json")
        assert answer.code == 1
        assert json.loads(answer.out)["stopped"] == "by an error"
        assert f"{unequal}: balls 0 and 1 rest on each other" in answer.err
        assert answer.err.count("\n") == 1


def test_ctrl_c_stops_in_good_order(carom, unequal: Path, monkeypatch) -> None:
    before = signal.getsignal(signal.SIGINT)  # whoever runs the tests may have it ignored
    watch = RunBar.__call__

    def press(self: RunBar, fraction: float) -> None:
        signal.raise_signal(signal.SIGINT)
        watch(self, fraction)

    monkeypatch.setattr(RunBar, "__call__", press)
    answer = carom("run", unequal, "--collisions", "1000000", "--json")
    assert answer.code == 130
    found = json.loads(answer.out)
    assert found["stopped"] == "by Ctrl-C"
    assert found["energy_change"] == pytest.approx(0.0, abs=1e-12)
    assert signal.getsignal(signal.SIGINT) is before


DAY = 86400.0
IN_STEPS = {
    # How long, s, and how far the account may be off, as a part of the largest energy: about twice what was found
    # on the way. It is of second order in the step (by velocity Verlet), where nothing else is said.
    "pour": (10.0, 1e-4),  # soft contacts, by Euler in substeps
    "planetary-system": (3650 * DAY, 1e-9),  # PEFRL, of fourth order
    "inner-planets": (3650 * DAY, 3e-8),
    "two-bodies": (20.0, 5e-4),
    "figure-eight": (20.0, 3e-4),
    "satellite": (1e5, 2e-4),
    "slope": (2.0, 1e-14),  # uniform gravity is exact: rounding
    "coupled-oscillators": (20.0, 1.5e-3),
    "rope": (10.0, 2e-3),  # the rope whips the ball, and how often depends on the step
    "hair": (5.0, 5e-6),
    "cloth-on-a-ball": (1.0, 3e-4),
    "soft-body": (10.0, 2e-3),
    "water-on-a-ball": (4.0, 1e-4),
    "water-on-cloth": (1.0, 6e-4),
    "goo-tower": (10.0, 5e-6),
}


def test_every_scene_in_steps_has_its_allowance() -> None:
    assert set(IN_STEPS) == {name for name in library.names() if library.load(name).forces_needed}


@pytest.mark.parametrize("name", library.names())
def test_every_scene_of_the_library_runs_and_stays_valid(carom, tmp_path: Path, name: str) -> None:
    """After many collisions no ball overlaps another or stands outside: the end of a run is a valid scene."""
    end = tmp_path / "end.toml"
    in_steps = name in IN_STEPS
    goal = ("--until", str(IN_STEPS[name][0])) if in_steps else ("--collisions", "5000", "--until", "100")
    found = figures(carom("run", name, *goal, "--save", end, "--json", "--quiet"))
    checked = carom("check", end)
    assert (checked.code, checked.err) == (0, "")
    assert checked.out == f"{end}: valid ({count(found['balls'], 'ball')}, {found['dimension']}D)\n"
    if in_steps:
        scale = max(abs(found["kinetic_energy"]), abs(found["potential_energy"]), *map(abs, found["lost"].values()))
        assert found["time"] > 0.0
        assert abs(found["integrator_error"]) <= IN_STEPS[name][1] * scale
    elif found["elastic"] and found["energy_at_start"]:
        assert found["energy_change"] == pytest.approx(0.0, abs=1e-12)


def test_a_step_that_takes_the_place_of_the_exact_solver_is_told_in_one_line(carom) -> None:
    answer = carom("run", "central-horizontal", "--until", "0.1", "--step", "0.01", "--quiet")
    assert answer.code == 0
    assert re.fullmatch(
        r"central-horizontal: the run goes in steps because of a step; [^\n]*--solver st[^\n]*\n", answer.err
    )
    assert carom("run", "central-horizontal", "--until", "0.1", "--step", "0.01", "--solver", "stepped", "-q").err == ""


def test_a_step_that_is_too_large_is_warned_of_in_one_line(carom, tmp_path: Path) -> None:
    spring = tmp_path / "spring.toml"
    balls = "[[balls]]\nposition = [0, 0]\n[[balls]]\nposition = [1, 0]\n"
    spring.write_text(balls + "[[links]]\nbetween = [0, 1]\nstiffness = 100\n", encoding="utf-8")
    answer = carom("run", spring, "--until", "1", "--step", "0.5", "--quiet")
    assert answer.code == 0
    assert re.fullmatch(rf"{re.escape(str(spring))}: step: 0\.5 s may be too large [^\n]*\n", answer.err)
