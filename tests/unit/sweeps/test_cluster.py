"""Who does the runs. Real workers are in tests/sweeps."""

import multiprocessing

import pytest

from carom.sweeps.running import cluster


def test_a_worker_that_is_being_started_does_not_sweep(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It reads a script that sweeps at its top level; hundreds of lines of tracebacks were printed, of each worker."""
    cluster.check()
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(SystemExit) as caught:
        cluster.check()
    assert caught.value.code == 1
    assert capsys.readouterr() == ("", "")
