"""The same bits, whatever the number of workers, processes or threads, the order, and what was done before."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

import carom
from carom.sweeps.table import Table
from sweeps.moody import random_study

REPEATS = 6


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
    scratch = str(tmp_path_factory.mktemp("scratch"))
    with (
        LocalCluster(
            n_workers=3, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0", local_directory=scratch
        ) as cluster,
        Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


def test_one_worker_and_two(alone: Path, tmp_path: Path) -> None:
    carom.sweep(random_study(REPEATS), out=tmp_path, workers=2)
    assert bytes_of(tmp_path) == bytes_of(alone)


def test_processes_and_threads(alone: Path, tmp_path: Path, client: Client) -> None:
    carom.sweep(random_study(REPEATS), out=tmp_path, client=client)
    assert bytes_of(tmp_path) == bytes_of(alone)
    assert client.status == "running", "another's client is left as it was"


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
