"""Many collisions: a structured array for speed, a table of pandas for words."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from carom import ArgumentError, Ball, Box, Cloth, HalfSpace, Recording, Scene, Simulation, extras
from carom.errors import MissingExtraError
from carom.solvers.collision_record import NOBODY

SCENE = Scene(
    boundary=Box((1.0, 1.0)),
    balls=[
        Ball((0.3, 0.5), velocity=(1.0, 0.0), radius=0.1),
        Ball((0.7, 0.5), velocity=(-1.0, 0.25), radius=0.1),
    ],
)
SOLID = SCENE.replace(
    boundary=Box((1.0, 1.0, 1.0)),
    balls=[Ball((0.3, 0.5, 0.5), velocity=(1.0, 0.1, 0.2), radius=0.1)],
)


@pytest.mark.parametrize("solver", ["exact", "stepped"])
def test_a_table_has_words_names_and_the_dimension_of_the_scene(solver) -> None:
    sim = Simulation(SCENE, solver=solver)
    met = sim.collide(until=3.0)
    table = met.to_pandas()
    assert list(table.columns) == [
        "time", "kind", "a", "b", "wall", "place_x", "place_y", "normal_x", "normal_y", "impulse", "softened",
    ]  # fmt: skip
    assert len(table) == len(met) == sim.collisions > 4
    assert table["kind"].tolist() == [{1: "ball-ball", 2: "ball-wall"}[int(kind)] for kind in met["kind"]]
    between = table[table["kind"] == "ball-ball"]
    at_walls = table[table["kind"] == "ball-wall"]
    assert len(between)
    assert between["wall"].isna().all()
    assert (between["b"] == met["b"][met["kind"] == 1]).all()
    assert set(at_walls["wall"]) <= {"x-", "x+", "y-", "y+"}
    assert at_walls["wall"].tolist() == [sim.wall_name(int(k)) for k in met["wall"] if k != NOBODY]
    assert at_walls["b"].isna().all()
    assert (table["place_y"] == met["place"][:, 1]).all()
    assert (table["impulse"] == met["impulse"]).all()
    assert not table["softened"].any()
    assert table.groupby("kind").size().sum() == len(table)


def test_a_table_of_three_dimensions() -> None:
    table = Simulation(SOLID).collide(until=3.0).to_pandas()
    assert {"place_z", "normal_z"} <= set(table.columns)


def test_a_table_of_nothing() -> None:
    table = Simulation(SCENE).collide(until=0.0).to_pandas()
    assert len(table) == 0
    assert table["b"].dtype == "Int64"


def test_a_collision_with_a_cloth_has_neither_wall_nor_second_ball() -> None:
    cloth = Cloth(corner=(0.0, 0.0, 0.0), sides=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), counts=(3, 3), stiffness=10.0)
    ball = Ball((0.4, 0.3, 0.3), velocity=(0.0, 0.0, -2.0), radius=0.1)
    scene = Scene(balls=[ball], structures=[cloth], obstacles=[HalfSpace((0.0, 0.0, -5.0), (0.0, 0.0, 1.0))])
    table = Simulation(scene).collide(until=0.3).to_pandas()
    met = table[table["kind"] == "ball-cloth"]
    assert len(met)
    assert met[["b", "wall"]].isna().all(axis=None)


def test_the_array_is_as_fast_and_plain_as_before() -> None:
    met = Simulation(SCENE).collide(until=3.0)
    assert isinstance(met, np.ndarray)
    assert type(met["time"]) is type(met["place"]) is type(met["a"] + 1) is np.ndarray
    assert type(met[0]) is np.void
    assert met["time"].sum() == sum(row["time"] for row in met)
    some = met[met["kind"] == 1]
    assert len(some.to_pandas()) == len(some)
    assert len(met[:2].to_pandas()) == 2
    met["impulse"] *= 2.0  # it is one's own
    same = pickle.loads(pickle.dumps(met))
    pd.testing.assert_frame_equal(same.to_pandas(), met.to_pandas())
    assert (same == met).all()


def test_names_of_walls_that_are_lost_are_told() -> None:
    met = Simulation(SCENE).collide(until=3.0)
    lost = np.concatenate([met, met]).view(type(met))
    with pytest.raises(ArgumentError, match=r"the names of the walls were lost .* pandas\.concat"):
        lost.to_pandas()
    between = np.concatenate([met[met["kind"] == 1]]).view(type(met))
    assert between.to_pandas()["wall"].isna().all()


def test_walls_are_those_of_the_run_after_an_edit() -> None:
    sim = Simulation(SCENE)
    first = sim.collide(until=1.0)
    sim.change_scene(boundary=Box((1.0, 1.0), periodic=(True, False)))
    then = sim.collide(until=20.0)
    assert {"x-", "x+"} & set(first.to_pandas()["wall"].dropna())
    assert set(then.to_pandas()["wall"].dropna()) <= {"y-", "y+"}


def test_collisions_of_a_recording_are_the_same_table(tmp_path: Path) -> None:
    sim = Simulation(SCENE)
    with sim.record(tmp_path / "a.h5") as recorder:
        met = sim.collide(until=3.0)
    with Recording(recorder.path) as recording:
        pd.testing.assert_frame_equal(recording.collisions[:].to_pandas(), met.to_pandas())
        assert len(recording.collisions.between(0.0, 1.0).to_pandas()) == (met["time"] < 1.0).sum()


def test_without_pandas_it_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda module: False)
    with pytest.raises(MissingExtraError, match=r'^a table of pandas needs pandas: pip install "carom\[pandas\]"$'):
        Simulation(SCENE).collide(until=1.0).to_pandas()
