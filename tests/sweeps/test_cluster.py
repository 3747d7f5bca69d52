"""Workers of this machine and elsewhere: reached, or one clear line."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cloudpickle
import distributed
import pytest
from distributed import Client, LocalCluster

from carom.errors import ClusterError
from carom.sweeps.running import cluster


@pytest.fixture
def silent() -> Iterator[str]:
    """Somebody who listens and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("place", ["closed", "silent"])
def test_who_does_not_answer_is_told_in_time(place: str, silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cluster.CONNECT_TIMEOUT + 1.0 < 10.0
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 0.5)
    address = silent if place == "silent" else "tcp://127.0.0.1:1"
    begun = time.monotonic()
    with pytest.raises(ClusterError, match="no Dask scheduler answers there") as caught:
        cluster.open_crew(scheduler=address)
    assert time.monotonic() - begun < 5.0
    assert str(caught.value).startswith(f"{address}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["", "somewhere", "ftp://127.0.0.1:21", "tcp://127.0.0.1", "tcp://a b:1", "tcp://:x"]
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(ClusterError, match="no address"):
        cluster.open_crew(scheduler=address)


def test_a_client_that_is_closed_is_refused(tmp_path: Path) -> None:
    with LocalCluster(
        n_workers=1, processes=False, dashboard_address="127.0.0.1:0", local_directory=str(tmp_path)
    ) as made:
        with Client(made, set_as_default=False) as client:
            pass
        with pytest.raises(ClusterError, match="closed"):
            cluster.open_crew(client=client)


def test_rows_that_have_come_are_handed_over_before_a_lost_scheduler_is_told() -> None:
    ready: list[Any] = [
        (SimpleNamespace(status="finished"), ["row"]),
        (SimpleNamespace(status="cancelled"), None),
    ]
    client: Any = SimpleNamespace(status="connecting", loop=None)
    crew = cluster.Crew.__new__(cluster.Crew)
    crew.client, crew.where = client, "somewhere"
    crew._completed = SimpleNamespace(  # type: ignore[assignment]  # played
        thread_condition=threading.Condition(),
        has_ready=lambda: True,
        next_batch=lambda block: [ready.pop() for _ in range(len(ready))],
    )
    assert [each.result for each in crew.outcomes(0.0)] == [["row"]]
    with pytest.raises(ClusterError, match=r"the scheduler was lost\. .*resume"):
        crew.outcomes(0.0)
    with pytest.raises(ClusterError, match="the scheduler was lost"):
        crew.submit(print, on="a")


def test_workers_that_cannot_be_reached_are_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    closed: list[str] = []

    class Cluster:
        def __init__(self, **options: Any) -> None:
            self.scratch = options["local_directory"]

        def close(self, timeout: float) -> None:
            closed.append(self.scratch)

    def unreachable(*_: object, **__: object) -> None:
        raise TimeoutError("no answer")

    monkeypatch.setattr(distributed, "LocalCluster", Cluster)
    monkeypatch.setattr(distributed, "Client", unreachable)
    with pytest.raises(ClusterError, match=r"did not start \(no answer\)"):
        cluster.open_crew(workers=1)
    (scratch,) = closed
    assert not Path(scratch).exists()


def test_workers_of_one_machine() -> None:
    assert cluster.machine("tcp://10.0.0.1:4001") == cluster.machine("tcp://10.0.0.1:4002") == "tcp://10.0.0.1"
    assert cluster.machine("inproc://10.0.0.1/77/3") == cluster.machine("inproc://10.0.0.1/77/4")
    assert cluster.machine("tcp://[::1]:4001") == "tcp://[::1]"


def test_a_worker_without_carom_can_still_join(tmp_path: Path) -> None:
    file = tmp_path / "plugin"
    file.write_bytes(cloudpickle.dumps(cluster._job_plugin(b"job", own=False)))
    code = f"import sys, pickle; sys.modules['carom'] = None; print(pickle.load(open({str(file)!r}, 'rb')).payload)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert found.stdout == "b'job'\n"


def test_cores_are_those_that_may_be_used() -> None:
    assert 1 <= cluster.cores() <= (os.cpu_count() or 1)
