"""Study files from strangers."""

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from carom.cli.commands.sweep import folder_of
from carom.errors import StudyError
from carom.sweeps import ready
from carom.sweeps.study.study import Study
from effort import examples
from hostile.doors import answered, refused, typed, with_limited_memory
from hostile.mutants import NASTY, as_toml, documents, texts

TEXTS = {name: ready.text(name) for name in ready.names()}
TEXTS["own"] = (
    "name = 'own'\nrepeats = 2\nseed = 1\nzip = [['generator.count', 'generator.packing_fraction']]\n"
    "observables = ['energy', { name = 'temperature', take = 'last' }]\n[scene]\nrestitution = 0.9\n"
    "generator = { kind = 'gas', count = 10 }\n[run]\nuntil = 1\nevery = 0.1\nsettle = 0.2\n[parameters]\n"
    "'generator.count' = { linear = [10, 20], count = 3 }\n'generator.packing_fraction' = [0.1, 0.2, 0.3]\n"
    "'generator.speed' = { uniform = [1, 2] }\n'restitution.ball_ball' = { log = [0.1, 1], count = 4 }\n"
    "[plot]\nx = 'generator.count'\ny = 'energy'\n"
)
DOCUMENTS = {name: tomllib.loads(text) for name, text in TEXTS.items()}


def seen_through(text: str) -> None:
    """Read, counted, its first and last runs looked at, written, and read again."""
    study = answered(lambda: Study.loads(text, name="s"))
    if study is None:
        return
    first, last = study.run_at(0), study.run_at(len(study) - 1)
    assert first.index <= last.index
    again = Study.loads(study.dumps())
    assert again.run_at(0) == first
    assert again.digest == study.digest


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(60))
@given(documents(DOCUMENTS))
def test_changed_keys_and_values(content: Any) -> None:
    text = as_toml(content)
    if text is not None:
        seen_through(text)


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(60))
@given(texts(list(TEXTS.values())))
def test_changed_letters_and_bytes(raw: bytes) -> None:
    seen_through(raw.decode("utf-8-sig", "surrogateescape"))


RUN = "scene = 'gas'\n[run]\nuntil = 1\n"
BOMBS: dict[str, tuple[Callable[[], str], str]] = {
    "1e30 runs": (
        lambda: (
            f"{RUN}[parameters]\n'generator.speed' = {{ linear = [1, 2], count = 10_000_000 }}\n"
            "'generator.mass' = { linear = [1, 2], count = 10_000_000 }\n"
        ),
        "the study has 100,000,000,000,000 runs",
    ),
    "endless steps": (
        lambda: f"{RUN}[parameters]\n'generator.speed' = {{ linear = [0, 1e150], step = 1e-150 }}\n",
        "more than 10000000 values",
    ),
    "a range of 1e9": (
        lambda: f"{RUN}[parameters]\n'generator.speed' = {{ log = [1, 2], count = 1_000_000_000 }}\n",
        "more than 10000000 values",
    ),
    "many parameters": (
        lambda: f"{RUN}[parameters]\n" + "".join(f"'balls[{k}].mass' = [1, 2]\n" for k in range(20_000)),
        "20000 parameters are more than 1000",
    ),
    "unknown parameters": (
        lambda: f"{RUN}[parameters]\n" + "".join(f"'a{k}' = [1, 2]\n" for k in range(1000)),
        "and 980 more",
    ),
    "many observables": (
        lambda: f"observables = {['energy'] * 20_000}\n{RUN}",
        "'energy' is there twice",
    ),
    "unknown keys": (lambda: "".join(f"k{k} = 1\n" for k in range(20_000)), "unknown key"),
    "a long path": (lambda: f"{RUN}[parameters]\n'{'a.' * 100_000}' = [1]\n", "is not a path"),
    "a path of rows": (lambda: f"{RUN}[parameters]\n'balls{'[9]' * 60_000}' = [1]\n", "is not a path"),
    "a crowd": (
        lambda: "[scene]\ngenerator = { kind = 'gas', count = 1_000_000_000 }\n[run]\nuntil = 1\n",
        "scene.gen",
    ),
    "many samples": (lambda: "scene = 'gas'\n[run]\nuntil = 1e9\nevery = 1e-9\n", "more than 10000000 samples"),
}


@pytest.mark.requirement("T-05")
def test_bombs_are_refused_in_bounded_time_and_memory(tmp_path: Path) -> None:
    for number, (text, _) in enumerate(BOMBS.values()):
        (tmp_path / f"{number}.toml").write_text(text())
    answers = with_limited_memory([["sweep", f"{number}.toml", "--dry-run"] for number in range(len(BOMBS))], tmp_path)
    for (name, (_, words)), told in zip(BOMBS.items(), answers, strict=True):
        assert told.code == 1, name
        assert words in told.err, (name, told.err[:600])
    assert len(list(tmp_path.iterdir())) == len(BOMBS), "nothing was written"


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        ("/dev/zero", "there is no scene 'zero' in the library"),
        ("/etc/passwd", "there is no scene 'passwd' in the library"),
        ("pipe.toml", "is a device or a pipe"),
        ("zero.toml", "is a device or a pipe"),
        ("self.toml", "unknown key"),
        ("../" * 50 + "etc/hostname.toml", "there is no such file"),
        ("a" * 5000, "scene: "),
        (NASTY, "scene: "),
    ],
    ids=ascii,
)
def test_scenes_that_a_study_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scene: str, words: str) -> None:
    """The file of another scene is read as one, and nothing else of it is told than that it is none."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.toml")
    Path("zero.toml").symlink_to("/dev/zero")
    Path("self.toml").write_text(f"scene = {json.dumps(scene)}\n[run]\nuntil = 1\n")
    assert words in refused("sweep", "self.toml", "--dry-run")


@pytest.mark.requirement("T-05")
def test_no_name_steers_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    word = json.dumps(NASTY)
    for text in (
        f"{word} = 1\n{RUN}",
        f"scene = {word}\n[run]\nuntil = 1\n",
        f"{RUN}[parameters]\n{word} = [1]\n",
        f"{RUN}[parameters]\n'generator.speed' = {{ {word} = [1] }}\n",
        f"observables = [{word}]\n{RUN}every = 0.1\n",
        f"zip = [[{word}, 'b']]\n{RUN}",
        f"{RUN}integrator = {word}\nsolver = 'stepped'\n",
        f"{RUN}[plot]\nx = {word}\ny = 'energy'\nlaw = {word}\n",
    ):
        Path("s.toml").write_text(text)
        assert "\x1b" not in refused("sweep", "s.toml", "--dry-run")


def test_the_name_of_a_study_makes_no_path(tmp_path: Path) -> None:
    """Results go to where the file's own name tells, whatever the study calls itself."""
    file = tmp_path / "s.toml"
    file.write_text(f"name = '../../../evil'\n{RUN}")
    assert Study.load(file).name == "../../../evil"
    assert folder_of(str(file)) == Path("s-results")
    assert folder_of("../../../etc/passwd.toml") == Path("passwd-results")


def test_a_python_program_is_no_study(tmp_path: Path) -> None:
    """What stands in a study is never done: templates, calls and imports are texts."""
    for text in ("__import__('os').system('touch x')", "{{7*7}}", "!!python/object/apply:os.system ['touch x']"):
        with pytest.raises(StudyError):
            Study.loads(f"scene = {json.dumps(text)}\n[run]\nuntil = 1\n")
    assert typed("studies").code == 0
