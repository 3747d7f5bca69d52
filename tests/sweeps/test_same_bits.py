"""The same bits, whatever the number of workers, processes or threads, the order, and what was done before."""

import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client

import carom
from carom.observe.observable import Observable, RunState
from carom.sweeps.results.table import Table
from carom.sweeps.study.study import Study
from sweeps.conftest import played
from sweeps.moody import random_study

REPEATS = 6


class Wary(Observable):
    """It warns late in a run, when other threads have begun and ended theirs."""

    name, symbol, unit = "wary", "w", ""

    def sample(self, sim: RunState) -> float:
        if sim.time > 0.0:
            time.sleep(0.001 + 0.02 * (float(sim.positions[0, 0]) % 0.1))
        if sim.time > 0.45:
            warnings.warn(f"{sim.collisions} collisions", UserWarning, stacklevel=1)
        return 0.0


def wary_study() -> Study:
    return random_study(REPEATS).replace(observables=[Wary()])


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("table.csv", "table.parquet", "summary.csv")}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of one worker, with nobody beside it."""
    folder = tmp_path_factory.mktemp("alone")
    carom.sweep(random_study(REPEATS), out=folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Three workers of two threads each, in this process."""
    with played(tmp_path_factory.mktemp("scratch"), workers=3, threads=2) as connected:
        yield connected


def test_one_worker_and_two(alone: Path, tmp_path: Path) -> None:
    carom.sweep(random_study(REPEATS), out=tmp_path, workers=2)
    assert bytes_of(tmp_path) == bytes_of(alone)


def test_processes_and_threads(alone: Path, tmp_path: Path, client: Client) -> None:
    carom.sweep(random_study(REPEATS), out=tmp_path, client=client)
    assert bytes_of(tmp_path) == bytes_of(alone)
    assert client.status == "running", "another's client is left as it was"


def test_warnings_of_processes_and_threads(tmp_path: Path, client: Client) -> None:
    one, many = tmp_path / "one", tmp_path / "many"
    table = carom.sweep(wary_study(), out=one, workers=1)
    carom.sweep(wary_study(), out=many, client=client)
    assert all("collisions" in remark for remark in table["remarks"])
    assert bytes_of(many) == bytes_of(one)


def test_a_part_first_then_all(alone: Path, tmp_path: Path, client: Client) -> None:
    carom.sweep(random_study(2), out=tmp_path, client=client)
    table = carom.sweep(random_study(REPEATS), out=tmp_path, client=client, resume=True)
    assert len(table) == 2 * REPEATS
    assert bytes_of(tmp_path) == bytes_of(alone)


def test_another_seed_is_another_study(alone: Path, client: Client) -> None:
    table = carom.sweep(random_study(REPEATS, seed=1), client=client)
    first = Table.read(alone)
    assert set(table["id"]).isdisjoint(first["id"])
    assert (table["collisions"] != first["collisions"]).any()
