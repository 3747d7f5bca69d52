"""Figures are shown below their cells, in whatever order they are made."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

EXECUTE = """
import sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(book, kernel_name="python3", timeout=100).execute()
nbformat.write(book, sys.argv[1])
"""
STYLED = """
from carom import plots
import matplotlib.pyplot as plt
with plots.style():
    figure, axes = plt.subplots()
    axes.plot([1, 2])
"""
PLAIN = """
import matplotlib.pyplot as plt
plt.plot([1, 2])
None
"""
OURS = """
import carom
from carom import plots
axes = plots.speeds(carom.Simulation("gas").velocities)
"""


@pytest.mark.parametrize("first", [STYLED, OURS], ids=["styled", "ours"])
def test_figures_after_one_in_our_style_are_shown_too(first: str, tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in (first, STYLED, PLAIN, OURS)]
    path = tmp_path / "figures.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    plain = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}  # a notebook has its own
    told = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(path)],
        capture_output=True, text=True, check=False, env={**plain, "IPYTHONDIR": str(tmp_path / "ipython")},
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    for cell in nbformat.read(path, as_version=4).cells:
        shown = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        assert len(shown) == 1, cell.source
