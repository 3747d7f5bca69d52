"""Command lines from strangers; and that nothing on the way from a text to a run can be done as a program."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom
from carom.cli import parsers
from effort import examples
from hostile.doors import refused, typed
from hostile.mutants import NASTY

SOURCE = Path(carom.__file__).parent
SCENE = "[[balls]]\nposition = [0, 0]\nradius = 1\nvelocity = [1, 0]\n[[balls]]\nposition = [5, 0]\nradius = 1\n"


@pytest.fixture(autouse=True)
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "s.toml"
    file.write_text(SCENE)
    return file


NUMBERS = ["nan", "-1", "1e999", "-inf", "", " ", "0x10", "9" * 6000, "1" + "0" * 30 + "x", "one", NASTY, "１ 2", "1,5"]


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize("option", ["--until", "--collisions", "--step", "--every", "--at", "--checkpoint"])
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: ascii(number)[:20])
def test_numbers_that_are_none(option: str, number: str) -> None:
    told = typed("run", "s.toml", f"{option}={number}")
    assert told.code == 2
    (line,) = told.err.splitlines()
    assert "carom: Invalid value for" in line
    assert len(line) < 400


@pytest.mark.parametrize("number", ["-5", "1.5", "1e3", "1" + "0" * 30, str(2**63), "9" * 6000])
def test_numbers_of_collisions_that_no_counter_holds(number: str) -> None:
    assert "is not a number of collisions" in refused("run", "s.toml", f"--collisions={number}")


def test_zero_has_no_sign() -> None:
    assert str(parsers.seconds("-0")) == "0.0"
    assert parsers.number(str(2**63 - 1)) == 2**63 - 1


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    "command",
    [
        [NASTY],
        ["run", NASTY, "--until", "1"],
        ["run", "s.toml", "--until", "1", "--solver", NASTY],
        ["run", "s.toml", f"--{NASTY}"],
        ["run", "s.toml", "--until", "1", "--save", f"{NASTY}/x.toml"],
        ["run", "s.toml", "--until", "1", "--save", "../nowhere/x.toml"],
        ["run", "s.toml", "--until", "1", "--save", "/dev/full"],
        ["check", NASTY],
        ["check", "\udcff.toml"],
        ["draw", "s.toml", "-o", f"{NASTY}/x.svg"],
        ["draw", "s.toml", "-o", "s.toml"],
        ["scenes", NASTY],
        ["scenes", "../../../etc/passwd"],
        ["scenes", "gas", "--save", "/dev/null/x.toml"],
        ["studies", NASTY],
        ["studies", "../ready/break"],
        ["sweep", NASTY],
        ["sweep", "s.toml", "--workers", "9" * 6000],
        ["sweep", "s.toml", "--scheduler", NASTY],
        ["lab", NASTY],
        ["lab", "--port", "9" * 6000],
        ["render", "s.toml", "x.mp4", "--size", "9" * 6000],
    ],
    ids=lambda command: ascii(" ".join(command))[:40],
)
def test_words_that_are_none(command: list[str]) -> None:
    assert refused(*command)


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(60))
@given(
    st.lists(
        st.sampled_from(["run", "check", "scenes", "draw", "solvers", "studies", "schema", "s.toml"])
        | st.sampled_from(["--json", "-q", "--", "--until", "--collisions", "--force", "--help", "--version"])
        | st.sampled_from(["--save=x/y.toml", "--out=x/y.h5"])
        | st.text(st.characters(exclude_characters="\0"), max_size=8),
        max_size=5,
    )
)
def test_any_words(words: list[str]) -> None:
    """Words in any order: an answer, or a line. `run` is never given a length here, so that it runs nothing."""
    if not {"--until", "--collisions", "draw", "lab", "sweep"} & set(words):
        typed(*words)


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path: Path) -> None:
    """Where it leads, a file would be made that nobody named."""
    (tmp_path / "out.toml").symlink_to(tmp_path / "elsewhere.toml")
    assert "exists already" in refused("scenes", "break", "--save", "out.toml")
    assert not (tmp_path / "elsewhere.toml").exists()


def test_a_lack_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("carom.cli.commands.check.load", greedy)
    assert refused("check", "s.toml") == (
        "carom: there is not enough memory for this. Use fewer balls, or a machine with more.\n"
    )


# Nothing is done that a file says.

FORBIDDEN = {"eval", "exec", "compile", "__import__", "breakpoint"}
DANGEROUS = {
    "pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "yaml", "code", "codeop", "runpy",
    "jsonpickle", "xml", "lxml",
}  # fmt: skip
ALLOWED: dict[str, set[str]] = {
    # Dask sends work to its own workers as pickles: from us, to processes that we started or that were named by hand.
    "sweeps/running/driver.py": {"cloudpickle"},
    "sweeps/running/work.py": {"pickle"},
    "lab/bench/track.py": {"pickle"},  # only written, to see how large a run is; never read
}


def offences(file: Path) -> Iterator[str]:
    """Calls and imports by which a text can become a program."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN:
            yield node.func.id
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names if name.name.split(".")[0] in DANGEROUS)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in DANGEROUS:
            yield (node.module or "").split(".")[0]
        if isinstance(node, ast.keyword) and node.arg in {"shell", "allow_pickle"} and not is_false(node.value):
            yield node.arg


def is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


@pytest.mark.requirement("T-05")
def test_no_text_is_ever_done_as_a_program() -> None:
    """No eval, exec or pickle in the whole package, but for what is allowed, with its reason."""
    found: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        words = set(offences(file))
        if words:
            found[file.relative_to(SOURCE).as_posix()] = words
    assert found == ALLOWED


@pytest.mark.parametrize(
    "text",
    ["eval('1')", "exec(x)", "import pickle", "from pickle import loads", "import yaml as y", "run(x, shell=True)",
     "np.load(f, allow_pickle=True)", "__import__(name)"],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.py"
    file.write_text(text)
    assert list(offences(file))
