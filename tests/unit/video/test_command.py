"""`carom render`, as its function: what is written, what is told, and what Ctrl-C leaves."""

import os
import signal
import subprocess
import sys
import time

import pytest

from carom import Simulation, library
from carom.cli import main

SMALL = ("--size", "320x180", "--fps", "10", "--arrows", "--trace", "0.1")


def run(source, target, *options):
    return main(["render", str(source), str(target), *SMALL, *map(str, options)])


def test_a_scene_of_the_library(tmp_path, capsys):
    assert run("break", tmp_path / "film.mp4", "--to", 0.5) == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"break filmed as {tmp_path / 'film.mp4'}: 6 pictures, 0.6 s, made in ")
    assert "\x1b" not in told.err  # no bar where there is no terminal
    assert run("break", tmp_path / "still.svg", "--at", 0.4, "--quiet") == 0
    assert capsys.readouterr().out == ""


def test_a_recording_with_its_events_has_every_instant(tmp_path, monkeypatch):
    simulation = Simulation(library.load("break"))
    with simulation.record(tmp_path / "run.h5", every=0.5):
        simulation.run(until=1.0)
    straight = Simulation(library.load("break")).run(until=0.73)
    shown = []
    from carom.video.painting.painter import Picture  # noqa: PLC0415  # what is looked into

    drawn = Picture.pixels
    monkeypatch.setattr(Picture, "pixels", lambda self, frame: shown.append(frame) or drawn(self, frame))
    assert run(tmp_path / "run.h5", tmp_path / "film.gif", "--from", 0.73, "--to", 0.9) == 0
    assert [round(frame.time, 9) for frame in shown] == [0.73, 0.83]
    assert (shown[0].positions == straight.positions).all()


def test_too_few_frames_are_remarked(tmp_path, capsys):
    simulation = Simulation(library.load("break"), solver="stepped")
    with simulation.record(tmp_path / "run.h5", every=0.2):
        simulation.run(until=0.4)
    assert run(tmp_path / "run.h5", tmp_path / "film.gif") == 0
    told = capsys.readouterr().err
    assert (
        "frames are 0.2 s apart, and a picture is due every 0.1 s: the film will jerk. Record with --every 0.1" in told
    )
    assert run(tmp_path / "run.h5", tmp_path / "fine.gif", "--fps", 5) == 0
    assert "jerk" not in capsys.readouterr().err


def test_what_is_there_stays_unless_forced(tmp_path, capsys):
    target = tmp_path / "film.gif"
    target.write_bytes(b"old")
    assert run("break", target, "--to", 0.2) == 2
    assert "exists already. Choose another name, or overwrite it with --force." in capsys.readouterr().err
    assert target.read_bytes() == b"old"
    assert run("break", target, "--to", 0.2, "--force", "--quiet") == 0
    assert target.read_bytes()[:3] == b"GIF"
    frames = tmp_path / "frames"
    assert run("break", frames / "%d.png", "--to", 0.2, "--quiet") == 0
    assert run("break", frames / "%d.png", "--to", 0.2) == 2
    assert "holds pictures already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "options", "says"),
    [
        ("nowhere/film.mp4", (), "there is no folder"),
        ("nowhere/deep/%d.png", (), "there is no folder"),
        ("film", (), "its ending does not name a format"),
        ("film.mp4", ("--at", 1), "--at is for one picture"),
        ("film.mp4", ("--size", "wide"), "'wide' is not WIDTHxHEIGHT"),
        ("film.mp4", ("--size", "1x1"), "size: 1x1 px is no size of a picture"),
        ("film.mp4", ("--size", "321x180"), "Use 322x180"),
        ("film.mp4", ("--fps", "1e9"), "fps: 1e+09 is no rate of pictures"),
        ("film.mp4", ("--from", 1, "--to", 0.5), "to: 0.5 s is before the start, 1 s"),
    ],
)
def test_mistakes_are_one_line(tmp_path, capsys, target, options, says):
    assert run("break", tmp_path / target, *options) in {1, 2}
    told = capsys.readouterr()
    assert says in told.err
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_cannot_go_on_is_told(tmp_path, capsys):
    scene = tmp_path / "stack.toml"
    scene.write_text(
        'gravity = [0.0, -9.81]\nrestitution = 0.5\n[stepping]\nsolver = "exact"\n[boundary]\nkind = "box"\n'
        "size = [1.0, 1.0]\n[[balls]]\nposition = [0.5, 0.1]\nradius = 0.1\n[[balls]]\nposition = [0.5, 0.32]\n"
        "radius = 0.1\n",
        encoding="utf-8",
    )
    assert run(scene, tmp_path / "film.mp4", "--to", 5) == 1
    told = capsys.readouterr().err
    assert "which the exact solver cannot hold" in told
    assert [each.name for each in tmp_path.iterdir()] == ["stack.toml"]


@pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are others there")
def test_ctrl_c_leaves_nothing(tmp_path):
    command = [sys.executable, "-m", "carom", "render", "break", str(tmp_path / "film.mp4"), "--speed", "0.001"]
    process = subprocess.Popen([*command, *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    patience = time.monotonic() + 60.0
    while not any(tmp_path.iterdir()) and time.monotonic() < patience:  # until the film is being written
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip().endswith("film.mp4 was not written.")
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told_of_the_way_to_a_still_and_of_looking_ahead(tmp_path):
    from carom.video import Look, Timing, film, still  # noqa: PLC0415  # needs matplotlib

    small, ways, pictures, ahead = Look(size=(64, 64)), [], [], []
    still(library.load("gas", count=50), tmp_path / "a.png", small, 0.5, lambda *told: ways.append(told))
    assert len(ways) > 1
    assert ways[-1] == (1.0, 0.5)
    film(
        library.load("inner-planets"), tmp_path / "a.gif", small, Timing(fps=2, end=1e6),
        lambda *told: pictures.append(told), lambda *told: ahead.append((len(pictures), *told)),
    )  # fmt: skip
    parts = [part for _, part, _ in ahead]
    assert parts == sorted(parts)
    assert (ahead[0][0], ahead[-1]) == (0, (0, 1.0, 1e6))  # before the first picture
    assert len(parts) >= 40
    assert pictures[-1][0] == 1.0


def test_the_bar_tells_which_part_it_is(monkeypatch):
    from carom.cli.commands.render import FilmBar  # noqa: PLC0415
    from carom.cli.interrupt import Interrupt  # noqa: PLC0415  # as above

    with Interrupt() as interrupt, FilmBar(interrupt, quiet=True) as bar:
        task = bar.progress.tasks[0]
        for call, part, words in (
            (bar.ahead, 0.25, "looking ahead, 25%"), (bar.run, 0.5, "running, 50%"), (bar, 0.5, "1/2 pictures"),
        ):  # fmt: skip
            call(part, 3.0)
            assert (task.fields["words"], task.completed, task.total) == (words, part, 1.0)
        monkeypatch.setattr(interrupt, "check", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            bar.ahead(0.5, 3.0)


def test_a_still_has_no_part(tmp_path, capsys):
    for option in ("--from", "--to"):
        assert run("break", tmp_path / "still.png", option, 0.1) == 2
        assert "--from and --to are for films. For one picture, use --at." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_gif_has_the_pictures_that_are_told(tmp_path, capsys):
    target = tmp_path / "film.gif"
    assert run("break", target, "--to", 0.4, "--fps", 100) == 0
    told = capsys.readouterr()
    assert f"{target}: made with 50 pictures per second, the maximum for a GIF." in told.err
    assert ": 21 pictures, 0.42 s, made in " in told.out
    assert target.read_bytes().count(b"\x21\xf9\x04") == 21  # what stands before each picture


def test_a_recording_is_known_by_its_content(tmp_path):
    simulation = Simulation(library.load("break"))
    with simulation.record(tmp_path / "run.h5", every=0.1):
        simulation.run(until=0.2)
    renamed = (tmp_path / "run.h5").rename(tmp_path / "renamed.dat")
    assert run(renamed, tmp_path / "still.png", "--quiet") == 0
    assert run(renamed, tmp_path / "film.gif", "--quiet") == 0
