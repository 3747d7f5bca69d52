"""What a sweep does from its plan to its table, on workers in this process."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

import carom
from carom.errors import CaromError, ClusterError, InputError, StorageError
from carom.sweeps.results import journal
from carom.sweeps.results.table import Table
from carom.sweeps.running import cluster, work
from carom.sweeps.running.driver import Progress
from carom.sweeps.running.probe import estimate, trials
from sweeps.conftest import played
from sweeps.moody import GOOD, RAISES, SCENE, Moody, random_study, study


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with played(tmp_path_factory.mktemp("scratch"), workers=2, threads=1) as connected:
        yield connected


def test_the_table_is_in_memory_if_no_folder_is_named(client: Client, tmp_path: Path) -> None:
    table = carom.sweep(study([GOOD, RAISES], speeds=3), client=client)
    assert list(table["status"]) == ["done", "failed"] * 3
    assert list(table["balls[0].mass"]) == [GOOD, RAISES] * 3
    assert [row["index"] for row in table.failed()] == [1, 3, 5]


def test_progress_is_told(client: Client, tmp_path: Path) -> None:
    told: list[Progress] = []
    carom.sweep(study([GOOD], speeds=20), out=tmp_path, client=client, progress=told.append)
    phases = [each.phase for each in told]
    assert [phase for k, phase in enumerate(phases) if k == 0 or phases[k - 1] != phase] == [
        "starting", "compiling", "running", "writing",
    ]  # fmt: skip
    ended = [each.ended for each in told]
    assert ended == sorted(ended)
    assert (ended[-1], told[-1].total, told[-1].kept) == (20, 20, 0)
    running = [each for each in told if each.phase == "running"]
    assert all(each.workers == 2 and each.left is not None for each in running)


def test_what_has_ended_is_not_done_again(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = study([GOOD, RAISES], speeds=2)
    carom.sweep(wanted, out=tmp_path, client=client)
    with pytest.raises(StorageError, match="4"):
        carom.sweep(wanted, out=tmp_path, client=client)
    before = (tmp_path / "runs.jsonl").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(cluster, "open_crew", lambda **_: pytest.fail("nobody is needed"))
        carom.sweep(wanted, out=tmp_path, resume=True)
    assert (tmp_path / "runs.jsonl").read_bytes() == before
    told: list[Progress] = []
    table = carom.sweep(wanted, out=tmp_path, client=client, resume=True, retry=True, progress=told.append)
    assert list(table["status"]) == ["done", "failed"] * 2
    assert told[0].kept == 2


def test_control_c_keeps_what_has_ended(client: Client, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.phase == "running" and progress.ended:
            raise KeyboardInterrupt

    wanted = random_study(400)
    with pytest.raises(KeyboardInterrupt):
        carom.sweep(wanted, out=tmp_path, client=client, progress=interrupt)
    partly = len(Table.read(tmp_path))
    assert 0 < partly < 800
    stop: list[int] = []

    def later(progress: Progress) -> None:
        stop.append(progress.kept)
        if progress.ended > progress.kept:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carom.sweep(wanted, out=tmp_path, client=client, resume=True, progress=later)
    assert stop[0] == partly


def test_a_study_may_be_a_dictionary(client: Client) -> None:
    told: dict[str, Any] = {
        "scene": SCENE,
        "parameters": {"balls[0].velocity[0]": [0.1, 0.2]},
        "run": {"until": 0.5},
        "observables": [{"name": "energy", "take": "last"}],
    }
    assert len(carom.sweep(told, client=client)) == 2


@pytest.mark.parametrize("kind", [dict, carom.Study])
def test_own_observables_may_be_given_apart(kind: Any, client: Client) -> None:
    given = {
        "scene": SCENE,
        "parameters": {"balls[0].velocity[0]": [0.1, 0.2]},
        "run": {"until": 0.5, "every": 0.5},
        "observables": [{"name": "moody", "take": "last"}],
    }
    table = carom.sweep(kind(**given), client=client, observables=[Moody()])
    assert list(table["moody_last"]) == [1.0, 1.0]


def test_a_row_of_another_study_does_not_keep_it_going(client: Client, tmp_path: Path) -> None:
    wanted = study([GOOD], speeds=3)
    carom.sweep(wanted, out=tmp_path, client=client)
    row = {"id": "0" * 16, "status": "done", "reason": "", "values": {}, "seconds": 1.0}
    with (tmp_path / "runs.jsonl").open("ab") as file:
        file.write(journal.encode(row))
    told: list[Progress] = []

    def hear(progress: Progress) -> None:
        told.append(progress)
        assert progress.phase in {"starting", "writing"}, "nothing is left to do"

    assert len(carom.sweep(wanted, out=tmp_path, client=client, resume=True, progress=hear)) == 3
    assert told[-1].ended == told[-1].total == 3


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"workers": 0}, "workers: 0 is no number of processes"),
        ({"workers": True}, "workers: True is no number"),
        ({"workers": 2, "scheduler": "tcp://127.0.0.1:1"}, "scheduler and workers are given"),
        ({"client": "tcp://127.0.0.1:1"}, "client: str is no dask.distributed.Client"),
        ({"resume": True}, "resume: there is no folder"),
        ({"scheduler": "nowhere"}, "scheduler 'nowhere': that is no address"),
    ],
)
def test_bad_arguments_get_one_line(arguments: dict[str, Any], line: str) -> None:
    with pytest.raises(CaromError, match=re.escape(line)) as caught:
        carom.sweep(study([GOOD]), **arguments)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, InputError | ClusterError)


def test_another_version_on_a_worker_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    errand = work.Errand.of("nothing", [])
    monkeypatch.setattr(carom, "__version__", "99.0")
    with pytest.raises(ClusterError, match=r"has carom 99\.0, but the study was begun with"):
        client.submit(work.do_batch, errand, 1.0).result()


def test_nothing_of_a_study_stays_with_the_workers(client: Client) -> None:
    def kept(dask_worker: Any) -> list[str]:
        return [name for name in dask_worker.plugins if name.startswith("carom")]

    carom.sweep(study([GOOD]), client=client)
    assert set(map(tuple, client.run(kept).values())) == {()}


def test_what_is_tried_first() -> None:
    wanted = carom.Study(
        scene=SCENE,
        parameters={"run.integrator": ["verlet", "rk4"], "balls[0].velocity[0]": {"linear": [0.1, 1.0], "count": 9}},
        run={"until": 0.1, "solver": "stepped"},
        observables=[{"name": "energy", "take": "last"}],
    )
    tried = trials(wanted)
    assert [each.spec.index for each in tried][:3] == [0, 8, 17]
    assert {each.covers for each in tried} == {"run.integrator = 'verlet'", "run.integrator = 'rk4'"}


def test_how_long_it_would_take() -> None:
    found = estimate(study([GOOD], speeds=1000), workers=2)
    assert (found.runs, found.workers) == (1000, 2)
    assert 0.0 < found.run_seconds < 5.0
    assert found.seconds > 500 * found.run_seconds
