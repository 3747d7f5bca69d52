"""The commands of recordings."""

import shutil
from pathlib import Path

import pytest

import carom
from carom.cli import main
from carom.cli.commands.record import duration
from carom.cli.terminal import Mistake
from carom.storage.recording import Recording


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


@pytest.mark.requirement("T-08")
def test_run_resume_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "gas.h5"
    arguments = ["run", "break", "--until", "0.5", "--out", str(out), "--every", "0.1", "--at", "0.25"]
    assert main([*arguments, "--observe", "energy", "--checkpoint", "60s"]) == 0
    assert f"{out}: 7 frames" in said(capsys)
    assert main(["resume", str(out), "--until", "0.8"]) == 0
    plain = carom.Simulation(carom.library.load("break")).run(until=0.8)
    with Recording(out) as recording:
        assert recording.complete
        assert recording.source == "break"
        assert recording.times.tolist() == [0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
        assert recording[-1].positions.tobytes() == plain.positions.tobytes()
    for ending in ("gsd", "xyz", "h5md"):
        assert main(["export", str(out), str(tmp_path / f"gas.{ending}"), "--quiet"]) == 0
        assert (tmp_path / f"gas.{ending}").stat().st_size > 1000


@pytest.mark.requirement("T-08")
def test_resume_writes_into_the_file_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, copy = tmp_path / "run.h5", tmp_path / "c.h5"
    arguments = ["run", "break", "--until", "0.2", "--out", str(out), "--every", "0.1", "--checkpoint", "60s", "-q"]
    assert main(arguments) == 0
    for ending in ("", ".checkpoint"):
        shutil.copy(f"{out}{ending}", f"{copy}{ending}")
    before = out.read_bytes()
    assert main(["resume", str(copy), "--until", "0.4", "-q"]) == 0
    assert out.read_bytes() == before
    with Recording(copy) as recording:
        assert recording.times.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert main([*arguments, "--force"]) == 0  # another run of that name: the checkpoint of the copy is not its own
    shutil.copy(f"{copy}.checkpoint", f"{out}.checkpoint")
    before = out.read_bytes()
    said(capsys)
    assert main(["resume", str(out), "--until", "0.5", "-q"]) == 1
    assert "run.h5: is another recording than that of the checkpoint. Give" in said(capsys)
    assert out.read_bytes() == before


def test_a_run_that_has_reached_its_goal_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "gas.h5"
    assert main(["run", "break", "--until", "0.5", "--out", str(out), "--checkpoint", "1h", "-q"]) == 0
    said(capsys)
    assert main(["resume", str(out), "--until", "0.2"]) == 2
    assert "the run stands at 0.5 s, beyond that. Say a later --until." in said(capsys)
    assert main(["resume", str(out), "-q"]) == 0  # nothing is left to do
    with Recording(out) as recording:
        assert recording.complete


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--out", "gas.txt"], "recordings are saved as .h5 or"),
        (["--out", "nowhere/gas.h5"], "there is no folder nowhere"),
        (["--out", "gas.h5", "--every", "0"], "--every: 0 is not a time between two frames"),
        (["--out", "gas.h5", "--checkpoint", "soon"], "'soon' is not a time"),
        (["--every", "0.1"], "--out FILE.h5"),
    ],
)
def test_mistakes_are_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "break", "--until", "1", *arguments]) == 2
    text = said(capsys)
    assert complaint in text
    assert len(text.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_an_unknown_observable_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "break", "--until", "1", "--out", str(tmp_path / "a.h5"), "--observe", "enrgy"]) == 1
    assert "there is no observable 'enrgy'. Did you mean 'energy'" in said(capsys)
    assert not list(tmp_path.iterdir())


def test_files_are_not_overwritten_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.h5"
    arguments = ["run", "break", "--until", "0.1", "--out", str(out), "-q"]
    assert main(arguments) == 0
    assert main(arguments) == 2
    assert "exists already. Choose another name, or overwrite it with --force." in said(capsys)
    assert main([*arguments, "--force"]) == 0
    assert main(["export", str(out), str(tmp_path / "a.pdb")]) == 2
    assert main(["export", str(tmp_path / "b.h5"), str(tmp_path / "b.gsd")]) == 1
    assert "there is no such file" in said(capsys)


@pytest.mark.parametrize(("text", "seconds"), [("60", 60.0), ("60s", 60.0), ("5min", 300.0), ("1.5 h", 5400.0)])
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1", "1d", "nan"])
def test_wrong_durations(text: str) -> None:
    with pytest.raises(Mistake, match=r"is not a time\. Give seconds such as 60s, or 5min, or 1h"):
        duration(text)
