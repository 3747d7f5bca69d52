"""What the plot of a study shows, and that it can be drawn."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carom.errors import StudyError
from carom.observe.measures import theory
from carom.sweeps.results.gather import summary
from carom.sweeps.results.plot import draw, write
from carom.sweeps.results.points import lines, others, wilson
from carom.sweeps.study.laws import LAWS
from carom.sweeps.study.study import Study

ETAS = [0.1, 0.2, 0.3]


@dataclass
class Rows:
    """A table of these rows."""

    all: list[dict[str, Any]]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.all[0])

    def rows(self) -> Iterator[dict[str, Any]]:
        return iter(self.all)


def study(**plot: Any) -> Study:
    return Study(
        name="A $strange name",
        scene={"generator": {"kind": "gas"}},
        parameters={"generator.packing_fraction": ETAS, "generator.count": [16, 64]},
        run={"until": 1.0, "every": 0.1},
        observables=["compressibility", "collision_rate"],
        repeats=3,
        plot={"x": "generator.packing_fraction", "y": "compressibility", "series": "generator.count", **plot},
    )


def table(repeats: int = 3, **more: Any) -> Rows:
    """Z is 10 η + N + the repeat; the last repeat of the last point has failed."""
    made = []
    for point in range(6):
        eta, count = ETAS[point // 2], (16, 64)[point % 2]
        for repeat in range(repeats):
            z = 10.0 * eta + count + repeat
            row = {
                "point": point, "status": "done", "generator.packing_fraction": eta, "generator.count": count,
                "compressibility": z, "compressibility_error": 0.3, "collision_rate": 2.0, "collision_rate_error": 0.1,
            }  # fmt: skip
            made.append({**row, **more})
    made[-1] = {**made[-1], "status": "failed", "compressibility": None}
    return Rows(made)


def test_points_are_means_over_repeats_with_the_error_of_their_scatter() -> None:
    few, many = lines(table(), study())
    assert (few.name, many.name) == ("count = 16", "count = 64")
    assert [dot.x for dot in few.dots] == ETAS
    assert few.y == pytest.approx([18.0, 19.0, 20.0])
    assert few.bars == pytest.approx(np.full((2, 3), 1.0 / sqrt(3.0)))
    assert [dot.runs for dot in many.dots] == [3, 3, 2]
    assert many.dots[-1].y == pytest.approx(67.5)
    # Two runs are too few for their scatter: their own errors, 0.3 each, are combined.
    assert many.dots[-1].up == pytest.approx(0.3 / sqrt(2.0))


def test_error_bars_are_those_of_the_summary() -> None:
    """Also where one of two repeats has no error of its own: then nobody knows that of the mean."""
    rows = table(repeats=2)
    rows.all[1]["compressibility_error"] = None
    rows.all[4]["compressibility_error"] = float("nan")
    kept = summary(rows.rows(), [*study().parameters], ["compressibility", "compressibility_error"])
    few, many = lines(rows, study())
    for line, points in ((few, kept[::2]), (many, kept[1::2])):
        assert line.y.tolist() == [point["compressibility"] for point in points]
        assert line.bars[0].tolist() == [point["compressibility_error"] or 0.0 for point in points]
    assert few.bars[0].tolist()[:2] == [0.0, 0.0]
    assert many.dots[0].up == pytest.approx(0.3 / sqrt(2.0))


def test_what_is_swept_and_not_shown_is_no_noise() -> None:
    """A dot for each point, with the error of its repeats alone, and a line that says what else differs."""
    alone = study(series=None)
    (line,) = lines(table(), alone)
    assert [dot.x for dot in line.dots] == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    assert line.y[:2] == pytest.approx([18.0, 66.0])
    assert line.bars[0][:5] == pytest.approx(np.full(5, 1.0 / sqrt(3.0)))
    axes = draw(table(), alone).axes[0]
    assert axes.get_title(loc="left") == "A $strange name\none dot per count"
    assert axes.get_lines()[0].get_linestyle() == "None"
    assert draw(table(), study()).axes[0].get_title(loc="left") == "A $strange name"


def test_what_goes_together_with_x_needs_no_word() -> None:
    zipped = Study(
        scene={"generator": {"kind": "gas"}},
        parameters={
            "generator.packing_fraction": ETAS,
            "run.every": [0.1, 0.2, 0.3],
            "generator.temperature": {"uniform": [1.0, 2.0]},
            "generator.count": [16],
        },
        zip=[["generator.packing_fraction", "run.every"]],
        run={"until": 1.0},
        observables=["compressibility"],
        plot={"x": "run.every", "y": "compressibility"},
    )
    assert zipped.plot is not None
    assert others(zipped, zipped.plot) == []
    assert others(study(), study(series=None).plot) == ["generator.count"]
    assert others(study(), study(x="collision_rate", series=None).plot) == []


def test_a_parameter_that_is_drawn_has_a_dot_for_each_run() -> None:
    drawn = Study(
        scene={"generator": {"kind": "gas"}},
        parameters={"generator.packing_fraction": {"uniform": [0.1, 0.3]}},
        run={"until": 1.0, "every": 0.1},
        observables=["compressibility"],
        repeats=3,
        plot={"x": "generator.packing_fraction", "y": "compressibility"},
    )
    rows = [
        {"point": 0, "status": "done", "generator.packing_fraction": x, "compressibility": 10.0 * x}
        for x in (0.3, 0.1, 0.2)
    ]
    (line,) = lines(Rows(rows), drawn)
    assert [dot.x for dot in line.dots] == [0.1, 0.2, 0.3]


def test_one_column_by_another() -> None:
    few, _ = lines(table(repeats=1), study(per="collision_rate"))
    assert few.y == pytest.approx([8.5, 9.0, 9.5])
    assert few.dots[0].up == pytest.approx(8.5 * sqrt((0.3 / 17.0) ** 2 + (0.1 / 2.0) ** 2))


def test_the_share_above_a_value_has_wilsons_error() -> None:
    few, _ = lines(table(), study(above=17.5))
    assert few.y == pytest.approx([2 / 3, 1.0, 1.0])
    assert (few.dots[0].down, few.dots[0].up) == wilson(2 / 3, 3)


def test_wilson() -> None:
    """At z = 1: (p + 1/2n ± √(p (1 - p)/n + 1/4n²)) / (1 + 1/n)."""
    down, up = wilson(0.5, 100)
    assert down == pytest.approx(up)
    assert down == pytest.approx(0.05, rel=0.01)
    down, up = wilson(1.0, 9)
    assert (down, up) == (pytest.approx(0.1), 0.0)


def test_runs_that_are_no_number_are_left_out() -> None:
    with pytest.raises(StudyError, match="no run has ended"):
        lines(table(compressibility=float("nan")), study())


@pytest.mark.parametrize("key", ["x", "y", "per"])
def test_a_column_that_is_not_there_is_named_with_the_nearest(key: str) -> None:
    with pytest.raises(StudyError, match=rf"plot\.{key}: the table has no column 'compresibility'.*compressibility"):
        draw(table(), study(**{key: "compresibility"}))


def test_a_study_without_a_plot_says_so() -> None:
    with pytest.raises(StudyError, match="Add a \\[plot\\] table"):
        draw(table(), study().replace(plot=None))


@pytest.mark.parametrize(
    "plot",
    [
        {},
        {"log": ["x", "y"], "law": "virial", "compare": True},
        {"law": "virial", "compare": True},
        {"above": 17.0, "law": "uniform"},
        {"x": "generator.count", "series": None},
        {"x": "collision_rate"},
    ],
)
def test_it_is_drawn_the_same_each_time(plot: dict[str, Any], tmp_path: Path) -> None:
    once = write(table(), study(**plot), tmp_path / "once.svg").read_bytes()
    assert once == write(table(), study(**plot), tmp_path / "again.svg").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.svg", "once.svg"]


def test_a_law_is_drawn_for_each_series() -> None:
    axes = draw(table(), study(law="virial")).axes[0]
    curves = [line for line in axes.get_lines() if len(np.asarray(line.get_xdata())) > 10]
    for curve, count in zip(curves, (16, 64), strict=True):
        expected = theory.compressibility(0.3, 2) + theory.finite_size(0.3, 2, count)
        assert np.asarray(curve.get_ydata())[-1] == pytest.approx(expected)


def test_what_a_law_needs_and_nobody_says_is_named() -> None:
    alone = Study(
        scene="bouncing-ball",
        parameters={"balls[0].mass": [1.0, 2.0]},
        run={"until": 1.0},
        plot={"x": "balls[0].mass", "y": "collisions", "law": "galperin"},
    )
    rows = Rows([{"point": 0, "status": "done", "balls[0].mass": 1.0, "collisions": 3}])
    with pytest.raises(StudyError, match=r"plot\.law: the law 'galperin' needs balls\[1\]\.mass"):
        draw(rows, alone)


def test_a_law_is_not_drawn_for_one_of_many_values() -> None:
    with pytest.raises(
        StudyError, match=r"plot\.law: .* needs generator\.count, which has many values\. .* the series"
    ):
        draw(table(), study(series=None, law="virial"))


def test_the_ending_of_the_file_says_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"\.svg, \.png, \.pdf"):
        write(table(), study(), tmp_path / "plot.gif")
    assert write(table(), study(), tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_laws_that_leave_something_open_go_through_the_first_points() -> None:
    steps = [0.1, 0.05, 0.025]
    made = Study(
        scene="two-bodies",
        parameters={"run.integrator": ["verlet", "pefrl"], "run.step": steps},
        run={"until": 1.0, "every": 0.1},
        observables=[{"name": "energy", "take": "drift"}],
        plot={"x": "run.step", "y": "energy_drift", "series": "run.integrator", "log": ["x", "y"], "law": "order"},
    )
    order = {"verlet": 2, "pefrl": 4}
    rows = [
        {"point": k, "status": "done", "run.integrator": name, "run.step": step, "energy_drift": 7.0 * step**p}
        for k, (name, p) in enumerate(order.items())
        for step in steps
    ]
    axes = draw(Rows(rows), made).axes[0]
    curves = [line for line in axes.get_lines() if len(np.asarray(line.get_xdata())) > 10]
    for curve, p in zip(curves, order.values(), strict=True):
        assert np.asarray(curve.get_ydata())[-1] == pytest.approx(7.0 * 0.1**p)


def test_every_law_has_its_formula_and_source() -> None:
    assert all(law.title and law.formula and law.source for law in LAWS.values())
    assert LAWS["santos"].value({"generator.packing_fraction": 0.0}) == 1.0
    # B_3 / B_2² is 0.782; Henderson has 25/32 = 0.781, Santos and others (4 - (2 η₀ - 1)/η₀²) / 4 = 0.753.
    for name, off in (("henderson", 0.005), ("santos", 0.02)):
        for eta in (0.2, 0.4, 0.5):
            found = LAWS[name].value({"generator.packing_fraction": eta})
            assert found == pytest.approx(theory.compressibility(eta, 2), rel=off)
    assert LAWS["carnahan-starling"].value({"generator.packing_fraction": 0.3}) == pytest.approx(3.98, abs=0.02)
