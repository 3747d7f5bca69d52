"""The wheel holds all that carom needs to run, and nothing else; a newcomer has nothing but it."""

import email
import re
import subprocess
import sys
import tomllib
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest

import carom

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_BY_TOOLS = {".pyc", ".nbi", ".nbc", ".lock"}
CACHE = "__pycache__"  # where a kernel that another test stores may stand for a moment under another name


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    """Built as pip builds it, by the backend that the project names, but without a network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return ZipFile(made)


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    return email.message_from_bytes(wheel.read(f"carom-{carom.__version__}.dist-info/METADATA"))


def test_every_file_of_the_package_is_in_it(wheel: ZipFile) -> None:
    """Modules, the laboratory's pages and words, ready scenes and studies, the mark of types."""
    ours = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix not in LEFT_BY_TOOLS and CACHE not in path.parts
    }
    packed = {name for name in wheel.namelist() if not name.startswith(f"carom-{carom.__version__}.dist-info/")}
    assert packed == ours


@pytest.mark.parametrize(
    "name",
    [
        "carom/py.typed",
        "carom/lab/static/stage.css",
        "carom/lab/static/shell.js",
        "carom/lab/texts/pl.json",
        "carom/notebook/static/widget.js",
        "carom/scene/library/scenes/break.toml",
        "carom/sweeps/ready/pi.toml",
    ],
)
def test_one_of_each_kind_is_in_it(wheel: ZipFile, name: str) -> None:
    assert wheel.getinfo(name).file_size > 0 or name.endswith("py.typed")


def test_it_fits_every_system(wheel: ZipFile) -> None:
    text = wheel.read(f"carom-{carom.__version__}.dist-info/WHEEL").decode()
    assert "Tag: py3-none-any" in text
    assert "Root-Is-Purelib: true" in text


def test_it_brings_the_command_and_the_licence(wheel: ZipFile) -> None:
    about = f"carom-{carom.__version__}.dist-info"
    assert "carom = carom.cli:main" in wheel.read(f"{about}/entry_points.txt").decode()
    assert "MIT" in wheel.read(f"{about}/licenses/LICENSE").decode()


def test_what_it_says_of_itself(metadata: Message) -> None:
    assert (metadata["Name"], metadata["Version"]) == ("carom", carom.__version__)
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["License-Expression"] == "MIT"
    assert set(metadata.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])


def test_it_asks_for_no_more_than_the_bare_library_needs(metadata: Message) -> None:
    always = [one for one in metadata.get_all("Requires-Dist") if "extra ==" not in one]
    names = sorted(re.split(r"[<>=!~ ]", one, maxsplit=1)[0] for one in always)
    assert names == ["h5py", "numba", "numpy", "pydantic", "rich", "tomli-w", "typer"]


def test_its_description_is_the_readme(metadata: Message) -> None:
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().lstrip().startswith("# carom")
