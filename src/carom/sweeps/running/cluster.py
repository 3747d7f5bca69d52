"""Workers: processes of this machine, or those of a Dask scheduler. Most of what uses Dask is here."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from carom.errors import ArgumentError, ClusterError
from carom.extras import require
from carom.sweeps.running.shelter import shield_from_interrupts

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

CONNECT_TIMEOUT = 5.0
"""s within which a scheduler must answer."""
CLOSE_TIMEOUT = 20.0
"""s after which local workers are killed if they have not ended."""
REFRESH_INTERVAL = 1.0
"""s between two updates of the list of workers."""
MAX_WORKERS = 1024
"""Workers on one machine."""

LOOPBACK = "127.0.0.1"
"""Local workers listen on this machine only, with all ports that Dask opens."""

ADDRESS = re.compile(r"((tcp|tls|ucx|ws|wss)://)?[^/\s]+:\d{1,5}", re.ASCII)

RESUME_HINT = "Runs that have ended are saved; continue with resume=True (--resume)."


@dataclass(frozen=True)
class Outcome:
    """A task that has ended: with a result, with the error that it raised, or lost (neither)."""

    future: Future[Any]
    result: Any = None
    error: BaseException | None = None
    deaths: int = 0
    """How many workers died while they had the task."""
    lost: bool = False


class Crew:
    """Workers and their tasks. Use it as a context, or close it."""

    def __init__(
        self, client: Client, where: str, close: Callable[[], None], restart_dead: Callable[[], None] | None = None
    ) -> None:
        from distributed import as_completed  # noqa: PLC0415  # only a sweep needs Dask

        self.client = client
        self.where = where
        self.own = restart_dead is not None
        self._restart_dead = restart_dead
        self._close = close
        self._study: str | None = None
        self._completed = as_completed(loop=client.loop, with_results=True, raise_errors=False)
        self._threads: dict[str, int] = {}
        self._seen = -REFRESH_INTERVAL

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def workers(self) -> dict[str, int]:
        """Threads by the address of the worker; at most REFRESH_INTERVAL old."""
        if monotonic() - self._seen >= REFRESH_INTERVAL:
            with self._cluster_errors():
                self._threads = dict(self.client.nthreads())
                if self._restart_dead is not None:
                    self._restart_dead()
            self._seen = monotonic()
        return self._threads

    def share(self, payload: bytes) -> str:
        """Send what all runs share to every worker, also later ones; return the name under which workers find it."""
        name = f"carom-{uuid4().hex}"
        with self._cluster_errors():
            self.client.register_plugin(_job_plugin(payload, own=self.own), name=name)
        self._study = name
        return name

    def submit(self, task: Callable[..., Any], *args: Any, on: str) -> Future[Any]:
        """Submit a task to the named worker, or to another one if that is gone."""
        with self._cluster_errors():
            key = f"{task.__name__}-{uuid4().hex}"
            future = self.client.submit(task, *args, key=key, pure=False, workers=[on], allow_other_workers=True)
            self._completed.add(future)
        return future

    def outcomes(self, seconds: float) -> list[Outcome]:
        """Tasks that have ended; wait up to `seconds` for the first."""
        completed = self._completed
        with completed.thread_condition:
            if not completed.has_ready():
                completed.thread_condition.wait(timeout=seconds)
        found = [_outcome(future, result) for future, result in completed.next_batch(block=False)]
        if self.client.status != "running":
            found = [each for each in found if each.result is not None]
            if not found:  # results that have arrived are returned first
                raise self._scheduler_lost()
        if any(each.deaths for each in found):
            self._seen = -REFRESH_INTERVAL  # the workers have changed
        return found

    def cancel(self, futures: Sequence[Future[Any]]) -> None:
        """Cancel tasks."""
        with contextlib.suppress(*_loss_errors()):
            self.client.cancel(list(futures))

    def close(self) -> None:
        """End local workers; leave others as they were."""
        with contextlib.suppress(*_loss_errors()):
            if self._study is not None and not self.own and self.client.status == "running":
                self.client.unregister_worker_plugin(self._study)
        self._close()

    @contextlib.contextmanager
    def _cluster_errors(self) -> Iterator[None]:
        if self.client.status != "running":
            raise self._scheduler_lost()
        try:
            yield
        except _loss_errors() as error:
            raise self._scheduler_lost(f" ({short_message(error)})") from error

    def _scheduler_lost(self, why: str = "") -> ClusterError:
        return ClusterError(self.where, f"the scheduler was lost{why}", RESUME_HINT)


def open_crew(
    *,
    client: Any = None,
    scheduler: str | None = None,
    workers: int | None = None,
    runs: int = 1,
    waiting: Callable[[], object] = lambda: None,
) -> Crew:
    """Connect to a client's workers or a scheduler's, or start processes on this machine (by default one per core).

    `waiting` is called repeatedly while processes start.
    """
    check(client=client, scheduler=scheduler, workers=workers)
    if client is not None:
        return _from_client(client)
    if scheduler is not None:
        return _from_address(scheduler)
    return _local_crew(min(workers or cores(), max(1, runs)), waiting)


def check(*, client: Any = None, scheduler: str | None = None, workers: int | None = None) -> None:
    """ArgumentError for an invalid choice of workers; starts nothing."""
    exit_if_spawned()
    given = [name for name, value in (("client", client), ("scheduler", scheduler), ("workers", workers)) if value]
    if len(given) > 1:
        raise ArgumentError.of("sweep.both-given", where="sweep", given=given)
    if workers is not None and not (type(workers) is int and 1 <= workers <= MAX_WORKERS):
        raise ArgumentError.of("sweep.workers", where="workers", value=repr(workers), most=MAX_WORKERS)
    if workers == 1:
        return  # this process, without Dask
    require("sweep", "a sweep", "distributed")
    import distributed  # noqa: PLC0415  # only a sweep needs Dask

    if client is not None and (not isinstance(client, distributed.Client) or client.asynchronous):
        raise ArgumentError.of("sweep.client", where="client", name=type(client).__name__)


def exit_if_spawned() -> None:
    """Exit silently if this process is a worker that is being started; its parent reports the error.

    A worker first imports the user's script; a script that sweeps at its top level would start a sweep in each worker.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # as `multiprocessing` itself checks
        raise SystemExit(1)


def cores() -> int:
    """The number of cores that this process may use."""
    with contextlib.suppress(AttributeError):  # not on every system
        return min(MAX_WORKERS, len(os.sched_getaffinity(0)))
    return min(MAX_WORKERS, os.cpu_count() or 1)


def machine(address: str) -> str:
    """The machine of a worker's address; its workers share compiled kernels."""
    return address.rpartition("/")[0] if address.startswith("inproc") else address.rpartition(":")[0]


def _from_client(client: Any) -> Crew:
    if client.status != "running":
        raise ClusterError("client", f"it is {client.status}", "Give a connected client.")
    return Crew(client, _address(client), lambda: None)


def _from_address(address: str) -> Crew:
    from distributed import Client  # noqa: PLC0415  # as above

    remedy = "Start it (dask scheduler), or check the address, which is like tcp://10.0.0.1:8786."
    if not ADDRESS.fullmatch(address):
        raise ClusterError(f"scheduler {address!r}", "that is no address", remedy)
    try:
        with ThreadPoolExecutor(1) as thread:  # this thread may have an event loop, as in a notebook
            thread.submit(asyncio.run, _try_connection(address)).result()
        client = Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except Exception as error:  # anything may listen there
        raise ClusterError(address, f"no Dask scheduler answers there ({short_message(error)})", remedy) from error
    unsilence = _silence_dask()

    def close() -> None:
        _close_quietly(client.close)
        unsilence()

    return Crew(client, address, close)


def _silence_dask() -> Callable[[], None]:
    """Stop Dask from logging to the terminal, as carom reports a lost scheduler in one line; return the undo."""

    def critical(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.CRITICAL

    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    loggers = [logging.getLogger(name) for name in names]
    for each in loggers:
        each.addFilter(critical)

    def undo() -> None:
        for each in loggers:
            each.removeFilter(critical)

    return undo


async def _try_connection(address: str) -> None:
    """Connect as a client does, but with a timeout if something listens without answering."""
    from distributed.comm.core import connect  # noqa: PLC0415  # as above
    from distributed.security import Security  # noqa: PLC0415  # as above

    async with asyncio.timeout(CONNECT_TIMEOUT + 1.0):
        comm = await connect(address, timeout=CONNECT_TIMEOUT, **Security().get_connection_args("client"))
    comm.abort()


def _local_crew(count: int, waiting: Callable[[], object]) -> Crew:
    from distributed import Client  # noqa: PLC0415  # as above

    remedy = (
        "Call sweep under `if __name__ == '__main__':` in a script, because each worker imports the script. "
        "Otherwise try fewer workers (workers=…, --workers)."
    )
    with contextlib.ExitStack() as stack:
        # A separate folder: in Dask's common one, Dask first removes files of earlier runs, which can take long.
        scratch = stack.enter_context(TemporaryDirectory(prefix="carom-dask-", ignore_cleanup_errors=True))
        try:
            cluster = shield_from_interrupts(
                lambda: _local_cluster(count, scratch), waiting, lambda made: _close_quietly(made.close)
            )
            stack.callback(_close_quietly, cluster.close)
            client = Client(cluster, timeout=CONNECT_TIMEOUT, set_as_default=False)
            stack.callback(_close_quietly, client.close)
        except (OSError, RuntimeError, TimeoutError) as error:
            raise ClusterError("sweep", f"the workers did not start ({short_message(error)})", remedy) from None

        def restart_dead() -> None:
            """Restart dead workers: Dask forgets one 15 s after its death, even if it was restarted meanwhile."""
            cluster.scale(count)

        return Crew(client, "the workers of this machine", stack.pop_all().close, restart_dead)


def _local_cluster(count: int, scratch: str) -> LocalCluster:
    """Start processes on this machine, and their scheduler."""
    from distributed import LocalCluster  # noqa: PLC0415  # as above

    # With no allowed failures, a batch is returned as soon as its worker has died, and `Flow` decides what to do.
    return LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host=LOOPBACK, memory_limit=0,
        dashboard_address=f"{LOOPBACK}:0", worker_dashboard_address=f"{LOOPBACK}:0",
        silence_logs=logging.CRITICAL, local_directory=scratch,
        scheduler_kwargs={"allowed_failures": 0, "dashboard": False, "local_directory": scratch},
    )  # fmt: skip


def _close_quietly(close: Callable[..., object]) -> None:
    with contextlib.suppress(*_loss_errors()):
        close(timeout=CLOSE_TIMEOUT)


def _job_plugin(payload: bytes, *, own: bool) -> Any:
    """A plugin that holds the job on each worker. A local class, so that workers without carom can unpickle it."""
    from distributed.diagnostics.plugin import WorkerPlugin  # noqa: PLC0415  # as above

    class JobPlugin(WorkerPlugin):
        def __init__(self) -> None:
            self.payload = payload
            self.job = None

        def setup(self, worker: Any) -> None:  # noqa: ARG002  # Dask gives it
            """Ignore Ctrl-C on local workers: the terminal sends it to them too, but the sweep ends them."""
            import signal  # noqa: PLC0415  # read on the worker
            import threading  # noqa: PLC0415  # as above

            if own and threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, signal.SIG_IGN)

    return JobPlugin()


def _outcome(future: Future[Any], result: Any) -> Outcome:
    from distributed.scheduler import KilledWorker  # noqa: PLC0415  # as above

    if future.status == "finished":
        return Outcome(future, result)
    if future.status != "error":
        return Outcome(future, lost=True)
    error = result[1]
    if isinstance(error, KilledWorker):
        return Outcome(future, deaths=error.allowed_failures + 1)
    return Outcome(future, error=error)


def _loss_errors() -> tuple[type[BaseException], ...]:
    """The errors that Dask raises when the scheduler is gone."""
    from distributed.client import ClosedClientError  # noqa: PLC0415  # as above

    return (OSError, TimeoutError, CancelledError, asyncio.CancelledError, ClosedClientError)


def _address(client: Any) -> str:
    return str(client.scheduler.address) if client.scheduler is not None else "client"


def short_message(error: BaseException) -> str:
    """The message of an error on one line, cut to 200 characters."""
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
