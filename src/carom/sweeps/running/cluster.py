"""Who does the runs: processes of this machine, or the workers of a Dask scheduler. All that carom knows of Dask."""

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
from carom.sweeps.running.shelter import sheltered

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

PATIENCE = 5.0
"""A scheduler that does not answer within so many seconds is not there."""
CLOSING = 20.0
"""s for our own workers to end, before they are ended."""
GLANCE = 1.0
"""s between two looks at who works."""
MOST_WORKERS = 1024
"""On one machine."""

LOOPBACK = "127.0.0.1"
"""Our own workers listen on this machine alone, also those doors of Dask's that nobody asked for."""

ADDRESS = re.compile(r"((tcp|tls|ucx|ws|wss)://)?[^/\s]+:\d{1,5}", re.ASCII)

GO_ON = "What has ended is kept; go on with resume=True (--resume)."


@dataclass(frozen=True)
class Ended:
    """A task that has ended: with a result, or with the error that it raised, or lost (neither)."""

    future: Future[Any]
    result: Any = None
    error: BaseException | None = None
    deaths: int = 0
    """How many workers died while they had it."""
    lost: bool = False


class Crew:
    """Workers, and what they have been given to do. Use it in a `with`, or close it."""

    def __init__(
        self, client: Client, where: str, close: Callable[[], None], heal: Callable[[], None] | None = None
    ) -> None:
        from distributed import as_completed  # noqa: PLC0415  # only a sweep needs Dask

        self.client = client
        self.where = where
        self.own = heal is not None
        self._heal = heal
        self._close = close
        self._study: str | None = None
        self._completed = as_completed(loop=client.loop, with_results=True, raise_errors=False)
        self._threads: dict[str, int] = {}
        self._seen = -GLANCE

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def workers(self) -> dict[str, int]:
        """Who works now: threads by address; a second old at most."""
        if monotonic() - self._seen >= GLANCE:
            with self._told():
                self._threads = dict(self.client.nthreads())
                if self._heal is not None:
                    self._heal()
            self._seen = monotonic()
        return self._threads

    def tell(self, payload: bytes) -> str:
        """Tell every worker, also those that come later, what the runs have in common. The name to call it by."""
        name = f"carom-{uuid4().hex}"
        with self._told():
            self.client.register_plugin(_plugin(payload, own=self.own), name=name)
        self._study = name
        return name

    def give(self, task: Callable[..., Any], *args: Any, on: str) -> Future[Any]:
        """Have a worker do something: the one named, if it is still there."""
        with self._told():
            key = f"{task.__name__}-{uuid4().hex}"
            future = self.client.submit(task, *args, key=key, pure=False, workers=[on], allow_other_workers=True)
            self._completed.add(future)
        return future

    def ended(self, seconds: float) -> list[Ended]:
        """What has ended, or ends within so many seconds."""
        completed = self._completed
        with completed.thread_condition:
            if not completed.has_ready():
                completed.thread_condition.wait(timeout=seconds)
        found = [_ended(future, result) for future, result in completed.next_batch(block=False)]
        if self.client.status != "running":
            found = [each for each in found if each.result is not None]
            if not found:  # what has arrived is kept first
                raise self._lost()
        if any(each.deaths for each in found):
            self._seen = -GLANCE  # who works is not as it was
        return found

    def drop(self, futures: Sequence[Future[Any]]) -> None:
        """Nobody wants these any more."""
        with contextlib.suppress(*_lost_ways()):
            self.client.cancel(list(futures))

    def close(self) -> None:
        """End our own workers; leave others as they were."""
        with contextlib.suppress(*_lost_ways()):
            if self._study is not None and not self.own and self.client.status == "running":
                self.client.unregister_worker_plugin(self._study)
        self._close()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        if self.client.status != "running":
            raise self._lost()
        try:
            yield
        except _lost_ways() as error:
            raise self._lost(f" ({line(error)})") from error

    def _lost(self, why: str = "") -> ClusterError:
        return ClusterError(self.where, f"the scheduler was lost{why}", GO_ON)


def crew(
    *,
    client: Any = None,
    scheduler: str | None = None,
    workers: int | None = None,
    runs: int = 1,
    waiting: Callable[[], object] = lambda: None,
) -> Crew:
    """Workers of a client, of the scheduler at an address, or so many processes of this machine (one per core).

    `waiting` is called while processes of this machine start.
    """
    check(client=client, scheduler=scheduler, workers=workers)
    if client is not None:
        return _of(client)
    if scheduler is not None:
        return _at(scheduler)
    return _here(min(workers or cores(), max(1, runs)), waiting)


def check(*, client: Any = None, scheduler: str | None = None, workers: int | None = None) -> None:
    """Refuse what cannot be meant; nothing is started."""
    leave_if_starting()
    given = [name for name, value in (("client", client), ("scheduler", scheduler), ("workers", workers)) if value]
    if len(given) > 1:
        raise ArgumentError.of("sweep.both-given", where="sweep", given=given)
    if workers is not None and not (type(workers) is int and 1 <= workers <= MOST_WORKERS):
        raise ArgumentError.of("sweep.workers", where="workers", value=repr(workers), most=MOST_WORKERS)
    if workers == 1:
        return  # which needs no Dask
    require("sweep", "a sweep", "distributed")
    import distributed  # noqa: PLC0415  # only a sweep needs Dask

    if client is not None and (not isinstance(client, distributed.Client) or client.asynchronous):
        raise ArgumentError.of("sweep.client", where="client", name=type(client).__name__)


def leave_if_starting() -> None:
    """End a worker that is being started, without a word: whoever started it says what to do.

    It reads the user's script first, and one that sweeps at its top level would begin a sweep in each worker.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # as `multiprocessing` itself asks
        raise SystemExit(1)


def cores() -> int:
    """Cores that this process may use."""
    with contextlib.suppress(AttributeError):  # not on every system
        return min(MOST_WORKERS, len(os.sched_getaffinity(0)))
    return min(MOST_WORKERS, os.cpu_count() or 1)


def machine(address: str) -> str:
    """The machine of a worker's address: workers of one share its compiled kernels."""
    return address.rpartition("/")[0] if address.startswith("inproc") else address.rpartition(":")[0]


def _of(client: Any) -> Crew:
    if client.status != "running":
        raise ClusterError("client", f"it is {client.status}", "Give a client that is connected.")
    return Crew(client, _address(client), lambda: None)


def _at(address: str) -> Crew:
    from distributed import Client  # noqa: PLC0415  # as above

    remedy = "Start it (dask scheduler), or check the address, which is like tcp://10.0.0.1:8786."
    if not ADDRESS.fullmatch(address):
        raise ClusterError(f"scheduler {address!r}", "that is no address", remedy)
    try:
        with ThreadPoolExecutor(1) as thread:  # there may be a loop in this one, as in a notebook
            thread.submit(asyncio.run, _shake_hands(address)).result()
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # whatever it is that listens there
        raise ClusterError(address, f"no Dask scheduler answers there ({line(error)})", remedy) from error
    loud = _hushed()

    def close() -> None:
        _closed(client.close)
        loud()

    return Crew(client, address, close)


def _hushed() -> Callable[[], None]:
    """Keep what Dask logs from the terminal: a scheduler that is lost is told in one line. What undoes that."""

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


async def _shake_hands(address: str) -> None:
    """As a client does, but not for ever if something listens that does not answer."""
    from distributed.comm.core import connect  # noqa: PLC0415  # as above
    from distributed.security import Security  # noqa: PLC0415  # as above

    async with asyncio.timeout(PATIENCE + 1.0):
        comm = await connect(address, timeout=PATIENCE, **Security().get_connection_args("client"))
    comm.abort()


def _here(count: int, waiting: Callable[[], object]) -> Crew:
    from distributed import Client  # noqa: PLC0415  # as above

    remedy = (
        "A script that sweeps does so under `if __name__ == '__main__':`, because each worker reads it anew. "
        "If it does, try fewer workers (workers=…, --workers)."
    )
    with contextlib.ExitStack() as stack:
        # A folder of its own: in Dask's common one, what others left behind is tidied up first, which can take long.
        scratch = stack.enter_context(TemporaryDirectory(prefix="carom-dask-", ignore_cleanup_errors=True))
        try:
            cluster = sheltered(lambda: _processes(count, scratch), waiting, lambda made: _closed(made.close))
            stack.callback(_closed, cluster.close)
            client = Client(cluster, timeout=PATIENCE, set_as_default=False)
            stack.callback(_closed, client.close)
        except (OSError, RuntimeError, TimeoutError) as error:
            raise ClusterError("sweep", f"the workers did not start ({line(error)})", remedy) from None

        def heal() -> None:
            """Dask gives up a worker that is found dead 15 s after it died, also if that is another time it died."""
            cluster.scale(count)

        return Crew(client, "the workers of this machine", stack.pop_all().close, heal)


def _processes(count: int, scratch: str) -> LocalCluster:
    """So many processes of this machine, and their scheduler."""
    from distributed import LocalCluster  # noqa: PLC0415  # as above

    # With no allowed failures, a batch comes back as soon as its worker has died: what to do is ours to say.
    return LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host=LOOPBACK, memory_limit=0,
        dashboard_address=f"{LOOPBACK}:0", worker_dashboard_address=f"{LOOPBACK}:0",
        silence_logs=logging.CRITICAL, local_directory=scratch,
        scheduler_kwargs={"allowed_failures": 0, "dashboard": False, "local_directory": scratch},
    )  # fmt: skip


def _closed(close: Callable[..., object]) -> None:
    with contextlib.suppress(*_lost_ways()):
        close(timeout=CLOSING)


def _plugin(payload: bytes, *, own: bool) -> Any:
    """What a worker keeps of a study. A class of this function, so that workers without carom can read it too."""
    from distributed.diagnostics.plugin import WorkerPlugin  # noqa: PLC0415  # as above

    class Told(WorkerPlugin):
        def __init__(self) -> None:
            self.payload = payload
            self.job = None

        def setup(self, worker: Any) -> None:  # noqa: ARG002  # Dask gives it
            """Ctrl-C in a terminal reaches all its processes; our workers wait for us to end them."""
            import signal  # noqa: PLC0415  # read on the worker
            import threading  # noqa: PLC0415  # as above

            if own and threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, signal.SIG_IGN)

    return Told()


def _ended(future: Future[Any], result: Any) -> Ended:
    from distributed.scheduler import KilledWorker  # noqa: PLC0415  # as above

    if future.status == "finished":
        return Ended(future, result)
    if future.status != "error":
        return Ended(future, lost=True)
    error = result[1]
    if isinstance(error, KilledWorker):
        return Ended(future, deaths=error.allowed_failures + 1)
    return Ended(future, error=error)


def _lost_ways() -> tuple[type[BaseException], ...]:
    """How Dask says that the scheduler is gone."""
    from distributed.client import ClosedClientError  # noqa: PLC0415  # as above

    return (OSError, TimeoutError, CancelledError, asyncio.CancelledError, ClosedClientError)


def _address(client: Any) -> str:
    return str(client.scheduler.address) if client.scheduler is not None else "client"


def line(error: BaseException) -> str:
    """What an error says, in a line that is not too long."""
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
