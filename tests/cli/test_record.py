"""Runs in files, as they are typed: what is refused loses nothing, and a full disk is told in a line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from carom.storage.recording import Recording

KILLED = """
import os, sys, carom
sim = carom.Simulation(carom.library.load("gas", count=8))
recorder = sim.record(sys.argv[1], every=0.01, checkpoint=1000)
sim.run(until=0.1)
recorder.checkpoint()
sim.run(until=0.5)
recorder.flush()
os._exit(9)
"""

LIMITED = """
import resource, signal, sys
from carom.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording whose run was killed long after its checkpoint."""
    out = tmp_path_factory.mktemp("killed") / "gas.h5"
    done = subprocess.run([sys.executable, "-c", KILLED, str(out)], check=False, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    return out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "does not say how long the run lasts"),
        (("--until", "0.05"), "the run stands at 0.1 s, beyond that. Say a later --until."),
        (("--collisions", "0"), "collisions, beyond that. Say a larger --collisions."),
    ],
)
def test_a_refused_resume_leaves_the_recording_as_it_is(carom, killed: Path, options: tuple[str, ...], says: str):
    before = killed.read_bytes()
    answer = carom("resume", killed, *options)
    assert answer.code == 2
    assert says in answer.err
    assert answer.err.count("\n") == 1
    assert killed.read_bytes() == before
    with Recording(killed) as recording:
        assert not recording.complete
        assert len(recording) == 51


@pytest.mark.skipif(os.name == "nt", reason="the size of files is not limited there")
@pytest.mark.parametrize("more", [(), ("--checkpoint", "0.05s")])
def test_a_full_disk_is_one_line(tmp_path: Path, more: tuple[str, ...]):
    out = tmp_path / "gas.h5"
    typed = ["run", "gas", "--until", "20", "--out", str(out), "--every", "0.01", "--json", *more]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "800000", *typed], check=False, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    told = [line for line in done.stderr.splitlines() if "ompil" not in line]
    assert len(told) == 1, done.stderr
    assert told[0].startswith("gas: ")
    assert "there is no room left on the disk. Make room and resume" in told[0]
    with Recording(out) as recording:
        assert not recording.complete
        assert len(recording) > 0


def test_who_keeps_one_frame_is_told(carom, tmp_path: Path):
    words = ("any instant can be reconstructed from it", "only the first frame will be recorded. Add --every 0.1")
    run = ("run", "break", "--until", "0.1", "--out")
    exact = carom(*run, tmp_path / "a.h5").err
    assert f"{tmp_path / 'a.h5'}: 1 frame, " in exact
    assert [word in exact for word in words] == [True, False]
    stepped = carom(*run, tmp_path / "b.h5", "--solver", "stepped").err
    assert [word in stepped for word in words] == [False, True]
    bare = carom(*run, tmp_path / "c.h5", "--no-events").err
    assert [word in bare for word in words] == [False, True]
    frames = carom(*run, tmp_path / "d.h5", "--every", "0.05").err
    assert [word in frames for word in words] == [False, False]


def test_who_keeps_no_frame_is_told(carom, tmp_path: Path):
    answer = carom("run", "break", "--until", "0.1", "--out", tmp_path / "a.h5", "--at", "5")
    assert answer.code == 0
    (line,) = [line for line in answer.err.splitlines() if "no frame" in line]
    assert f"{tmp_path / 'a.h5'}: holds no frame" in line
    assert "The first was to be at 5 s, and the run ended at 0.1 s: let it run longer." in line
