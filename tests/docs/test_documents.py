"""The documents tell the truth: their code runs, their commands work, the files that they name exist.

In a document, in order and in one empty folder: a `toml` block whose first line is a comment with a file name
(`# gas.toml`) is written to that file; a `python` block runs, in one namespace a document; in a `console` block each
line `$ carom …` runs and must succeed (or exit with n where the line ends in `# exit n`).
"""

import contextlib
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from carom.cli import main

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PLACES = [ROOT, ROOT / "src/carom"]  # what a path in a document may be relative to, besides its own folder

each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@dataclass(frozen=True)
class Block:
    language: str
    line: int
    text: str


def blocks(markdown: str) -> list[Block]:
    found = re.finditer(r"^```([a-z]+)\n(.*?)^```$", markdown, flags=re.MULTILINE | re.DOTALL)
    return [Block(match[1], markdown.count("\n", 0, match.start()) + 2, match[2]) for match in found]


def without_blocks(markdown: str) -> str:
    return re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)


def run_command(line: str) -> None:
    """Run one `$ carom …` line, here and now."""
    expected = int(match[1]) if (match := re.search(r"# exit (\d+)$", line)) else 0
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(shlex.split(line.removeprefix("$ carom"), comments=True))
    assert code == expected, f"{line}\n{said.getvalue()}"


def run_block(block: Block, document: Path, folder: Path, namespace: dict[str, object]) -> None:
    if block.language == "toml" and (name := re.match(r"# (\S+\.toml)\n", block.text)):
        (folder / name[1]).write_text(block.text, encoding="utf-8")
    elif block.language == "python":
        source = "\n" * (block.line - 1) + block.text  # a traceback then names the document's own line
        exec(compile(source, str(document), "exec"), namespace)
    elif block.language == "console":
        for line in block.text.splitlines():
            if line.startswith("$ carom "):
                run_command(line)


@each_document
def test_code_in_documents_runs(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "document"}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks(document.read_text(encoding="utf-8")):
            run_block(block, document, tmp_path, namespace)


@each_document
def test_links_in_documents_lead_somewhere(document: Path) -> None:
    text = without_blocks(document.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    local = [target.partition("#")[0] for target in targets if not re.match(r"[a-z]+:|#", target)]
    missing = [target for target in local if not (document.parent / target).exists()]
    assert not missing


@each_document
def test_paths_in_documents_exist(document: Path) -> None:
    """A path is a word in backticks with a slash in it that ends in a slash or a suffix of ours; it may hold `*`."""
    text = without_blocks(document.read_text(encoding="utf-8"))
    named = re.findall(r"`([\w.*-]+/[\w./*-]*?(?:/|\.(?:py|md|toml|json|png|svg)))`", text)
    named += re.findall(r"`([\w.-]+/)`", text)
    missing = [path for path in named if not any(list(place.glob(path)) for place in [document.parent, *PLACES])]
    assert not missing


@each_document
def test_make_targets_in_documents_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = re.findall(r"(?:`|^\$ |^)make ([a-z]+)", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(named) <= targets


def test_blocks_are_found() -> None:
    text = "Words.\n\n```python\nx = 1\n```\n\n```console\n$ carom scenes\nbreak\n```\n"
    assert blocks(text) == [Block("python", 4, "x = 1\n"), Block("console", 8, "$ carom scenes\nbreak\n")]


def test_a_failing_command_is_noticed() -> None:
    with pytest.raises(AssertionError, match="nothing-of-that-name"):
        run_command("$ carom check nothing-of-that-name.toml")
    run_command("$ carom check nothing-of-that-name.toml  # exit 1")
