"""The documents as a site: built without a warning, whole, nothing loaded from elsewhere; and the reference is true."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import h5py
import pytest

import carom
from carom import Simulation, library
from carom.cli import main
from carom.cli.app import app

ROOT = Path(__file__).parent.parent.parent
REFERENCE = ROOT / "docs/reference"
LONGEST_README = 120  # lines


class Read(HTMLParser):
    """What is of interest in a page: where it leads, what it loads, its anchors, its words outside code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.words: list[str] = []
        self._inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attributes}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        elif tag != "a":
            self.loads += [named[name] for name in ("src", "href") if name in named]
        if tag in ("pre", "code", "script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and tag == self._inside[-1]:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.words.append(data)


def build(config: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config), "--site-dir", str(target)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # of the end of the theme's life, not of our pages
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def wrong_links(name: str, pages: dict[str, Read], site: Path) -> list[str]:
    """Links of a page to nowhere in the site, or to elsewhere but not in the form of an address."""
    wrong = []
    for link in pages[name].links:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https"):
            if not re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.hostname or "") or " " in link:
                wrong.append(f"{name}: {link}")
        elif parts.scheme != "mailto":
            path = (site / name).parent / unquote(parts.path) if parts.path else site / name
            target = os.path.relpath(path.resolve(), site.resolve())
            known = target in pages and (not parts.fragment or unquote(parts.fragment) in pages[target].anchors)
            if not (known or (target not in pages and path.is_file() and not parts.fragment)):
                wrong.append(f"{name}: {link}")
    return wrong


def test_the_site_is_whole_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    done = build(ROOT / "mkdocs.yml", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    pages = {
        path.relative_to(tmp_path).as_posix(): Read(path.read_text(encoding="utf-8"))
        for path in tmp_path.rglob("*.html")
        if path.name != "404.html"  # its addresses are those of a server
    }
    documents = [path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in ROOT.glob("docs/**/*.md")]
    assert set(documents) <= set(pages)
    assert [link for name in pages for link in wrong_links(name, pages, tmp_path)] == []
    assert [load for page in pages.values() for load in page.loads if re.match(r"(https?:)?//", load)] == []
    # What Markdown did not understand: a link, a list without an empty line before it, LaTeX.
    words = {name: "".join(page.words) for name, page in pages.items()}
    assert [name for name, text in words.items() if re.search(r"\]\(|\n[-*] \S|\$\$|\\frac", text)] == []
    assert {f"carom.{name}" for name in carom.__all__} <= set().union(*(page.anchors for page in pages.values()))
    assert "source/tests/docs/test_site.py.txt" not in pages
    assert '"location":"physics.html#' in (tmp_path / "search/search_index.json").read_text(encoding="utf-8")


def test_a_link_to_nowhere_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# A\n\n[b](b.md) [c](#c) [d](other.md#d)\n", encoding="utf-8")
    (tmp_path / "docs/other.md").write_text("# Other\n", encoding="utf-8")
    settings = f"INHERIT: {ROOT / 'mkdocs.yml'}\nhooks: []\nplugins: []\nextra_css: []\nnav: [index.md]\n"
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0
    for what in ("'b.md'", "'#c'", "'other.md#d'", "- other.md"):  # a page, two anchors, a page that nav leaves out
        assert what in done.stderr


def test_the_reference_is_up_to_date() -> None:
    """If this fails: make reference."""
    command = [sys.executable, str(ROOT / "tools/reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [str(each.name) for each in app.registered_commands])
def test_the_options_of_a_command_are_those_of_its_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([command, "--help"])
    lines = capsys.readouterr().out.partition("Options:")[2].splitlines()
    told = {option for line in lines for option in re.findall(r"(?<=  )(--?[\w-]+)|(?<=, )(--[\w-]+)", line[:24])}
    page = (REFERENCE / "command-line.md").read_text(encoding="utf-8")
    section = page.partition(f"## carom {command}\n")[2].partition("\n## ")[0]
    usages = [line.split(" | ")[0] for line in section.splitlines()]
    listed = {option for usage in usages for option in re.findall(r"`(--?[\w-]+)", usage)}
    assert listed == {"".join(option) for option in told} - {"-h", "--help"}


def test_every_dataset_of_a_recording_is_in_the_layout(tmp_path: Path) -> None:
    sim = Simulation(library.load("gas", count=20, seed=1))
    with sim.record(tmp_path / "gas.h5", every=0.1, observables=["temperature"]):
        sim.run(until=0.2)
    names: list[str] = []
    with h5py.File(tmp_path / "gas.h5") as file:  # a dataset of several names is visited by one of them
        file.visititems(lambda name, one: names.append(name) if isinstance(one, h5py.Dataset) else None)
        same = [name for name in names if file[name] == file["particles/balls/position"].get(name.rpartition("/")[2])]
    page = (REFERENCE / "recordings.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `/([\w/]+)`", page, flags=re.MULTILINE))
    assert {name.replace("temperature", "NAME") for name in names if name not in same} <= told
    assert {f"particles/balls/position/{each}" for each in ("step", "time", "value")} <= told


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= LONGEST_README
