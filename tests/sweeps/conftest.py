"""Real schedulers and workers, each a separate process, only on this machine."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from distributed import Client, LocalCluster

import carom

PATIENCE = 60.0
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(Path(carom.__file__).parents[1]), str(Path(__file__).parents[1])]),
}


def until(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for a condition."""
    last = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < last, "it does not come to be"
        time.sleep(0.02)


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


LOOPBACK = ("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")


@dataclass
class DaskCluster:
    """A Dask scheduler and its workers, as on a cluster."""

    address: str
    processes: list[subprocess.Popen[str]]
    scratch: str

    @property
    def scheduler(self) -> subprocess.Popen[str]:
        return self.processes[0]

    def workers(self) -> list[int]:
        """Process ids of the workers themselves: children of their nannies."""
        nannies = [psutil.Process(process.pid) for process in self.processes[1:]]
        children = [child for nanny in nannies for child in nanny.children()]
        return [child.pid for child in children if "spawn_main" in " ".join(child.cmdline())]

    def add(self) -> None:
        options = ["--nthreads", "1", "--memory-limit", "0", *LOOPBACK]
        options += ["--local-directory", self.scratch]
        self.processes.append(_started("distributed.cli.dask_worker", self.address, *options))


def _started(module: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler with two workers of one thread each."""
    with running_cluster(tmp_path_factory.mktemp("scratch"), 2) as made:
        yield made


@contextmanager
def running_cluster(scratch: Path, workers: int) -> Iterator[DaskCluster]:
    """A scheduler with a number of workers of one thread each."""
    scheduler = _started("distributed.cli.dask_scheduler", "--port", "0", *LOOPBACK)
    processes = [scheduler]
    try:
        assert scheduler.stderr is not None
        for line in scheduler.stderr:
            if found := re.search(r"Scheduler at:\s*(tcp://\S+)", line):
                break
        made = DaskCluster(found[1], processes, str(scratch))
        for _ in range(workers):
            made.add()
        yield made
    finally:
        for process in processes[::-1]:
            process.terminate()
        for process in processes[::-1]:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stderr is not None
            process.stderr.close()


@contextmanager
def played(scratch: Path, workers: int, threads: int) -> Iterator[Client]:
    """A client of workers that are threads of this process."""
    options = {"processes": False, "dashboard_address": "127.0.0.1:0", "local_directory": str(scratch)}
    with (
        LocalCluster(n_workers=workers, threads_per_worker=threads, **options) as made,
        Client(made, set_as_default=False) as connected,
    ):
        yield connected
