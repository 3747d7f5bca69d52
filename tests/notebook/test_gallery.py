"""The gallery of notebooks: each is clean, is a lesson, and runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

GALLERY = Path(__file__).parents[2] / "docs/notebooks"
NAMES = sorted(path.stem for path in GALLERY.glob("*.ipynb"))
LARGEST = 100_000
"""Bytes of a notebook that is stored."""
PATIENCE = 110
"""Seconds for a cell: kernels may be compiled on the way."""

EXECUTE = """
import sys, nbclient, nbformat
from jupyter_client import KernelManager
from pathlib import Path
gallery, made, patience, *names = sys.argv[1:]
kernel = KernelManager(kernel_name="python3")
for name in names:
    book = nbformat.read(Path(gallery, f"{name}.ipynb"), as_version=4)
    book.cells.insert(0, nbformat.v4.new_code_cell("%reset -f\\n%matplotlib inline"))
    nbclient.NotebookClient(book, km=kernel, timeout=int(patience)).execute()
    del book.cells[0]
    nbformat.write(book, Path(made, f"{name}.ipynb"))
kernel.shutdown_kernel(now=True)
"""
"""One kernel for all, which forgets everything in between: each would take seconds to start."""


def read(name: str) -> dict[str, Any]:
    return json.loads((GALLERY / f"{name}.ipynb").read_text(encoding="utf-8"))


def test_the_gallery_is_complete() -> None:
    assert NAMES == [
        "brownian-motion", "central-collision", "cloth", "equation-of-state", "ideal-gas", "pi-from-collisions",
        "planets", "sinai-billiard", "verlet-against-euler",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_stored_clean(name: str) -> None:
    path = GALLERY / f"{name}.ipynb"
    book = read(name)
    nbformat.validate(book)
    assert path.stat().st_size < LARGEST
    assert path.read_text(encoding="utf-8") == json.dumps(book, indent=1, ensure_ascii=False) + "\n"
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] is None for cell in code)
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data"}
    assert all(output.get("name") != "stderr" for output in outputs)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds == {"image/png", "image/svg+xml", "text/plain"}  # a web page shows its pictures, and no widget's state
    words = "".join(str(output.get("text") or output["data"]["text/plain"]) for output in outputs)
    assert not re.search(r"/(tmp|home|root|Users)/| at 0x", words)  # nothing of the machine on which it ran
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    assert set(book["metadata"]) == {"kernelspec", "language_info"}


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_a_lesson(name: str) -> None:
    cells = read(name)["cells"]
    first, last = ("".join(cells[k]["source"]) for k in (0, -1))
    assert first.startswith("# ")
    assert "## Your turn" in last
    assert last.count("?") >= 2
    index = (GALLERY.parent / "notebooks.md").read_text(encoding="utf-8")
    assert f"(notebooks/{name}.ipynb)" in index


def executed(home: Path, *names: str) -> dict[str, Any]:
    """Notebooks after a run in a process of its own (nbclient leaves sockets behind), with folders of its own."""
    work, made = home / "work", home / "made"
    work.mkdir()
    made.mkdir()
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    variables = {variable: str(home / variable.lower()) for variable in folders} | {"JUPYTER_PLATFORM_DIRS": "1"}
    plain = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}  # a notebook has its own
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(GALLERY), str(made), str(PATIENCE), *names],
        cwd=work, env=plain | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {name: nbformat.read(made / f"{name}.ipynb", as_version=4) for name in names}


@pytest.mark.requirement("T-19")
@pytest.mark.timeout(300)
def test_the_notebooks_run(tmp_path: Path) -> None:
    for name, book in executed(tmp_path, *NAMES).items():
        check_outputs(name, [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs])
        check_stored(name, book)


def check_stored(name: str, book: Any) -> None:
    """What is stored is what a run shows now, cell by cell: as many plots, and the same words."""
    stored = nbformat.from_dict(read(name))
    for k, (old, new) in enumerate(zip(stored.cells, book.cells, strict=True)):
        if old.cell_type != "code":
            continue
        stale = f"{name}, cell {k}: what is stored is stale: python tests/notebook/store.py {name}"
        assert plots_of(old) == plots_of(new), stale
        assert words_of(old) == words_of(new), stale


def plots_of(cell: Any) -> int:
    """How many plots a cell shows."""
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def words_of(cell: Any) -> str:
    """What a cell prints, which is the same in each run: no lesson tells how long something took."""
    return "".join("".join(output.text) for output in cell.outputs if output.output_type == "stream")


def check_outputs(name: str, outputs: list[Any]) -> None:
    assert [output.text for output in outputs if output.get("name") == "stderr"] == [], name
    shown = [output.data for output in outputs if output.output_type in {"display_data", "execute_result"}]
    assert any("image/png" in data for data in shown), f"{name}: a lesson has a plot"
    pictures = [data for data in shown if "image/svg+xml" in data]
    assert pictures, f"{name}: a lesson shows its scene"
    for data in pictures:  # nobody is there to use a widget: a picture alone
        assert "application/vnd.jupyter.widget-view+json" not in data
        shown = r"<Simulation of .*: \d+ balls? in [23]D, (exact|stepped), t = .* s, \d+ collisions?>"
        assert re.match(shown, data["text/plain"])
