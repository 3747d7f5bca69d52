"""Run the notebooks of the gallery and store their outputs: `python tests/notebook/store.py [NAME ...]`."""

import base64
import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from test_gallery import GALLERY, NAMES, executed, read

COLOURS = 48
"""Of a stored picture: enough for a plot, and a small file."""
SVG = "image/svg+xml"
KEPT = ("image/png", SVG, "text/plain")
LARGE, DRAWINGS = 45_000, 70_000
"""Characters of a drawing that is made coarser, and of all drawings of a notebook."""


def small(picture: str) -> str:
    """A PNG with fewer colours, in base64."""
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    if image.width > 720:
        image = image.resize((720, round(image.height * 720 / image.width)), Image.Resampling.LANCZOS)
    made = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(made, "png", optimize=True)
    return base64.b64encode(made.getvalue()).decode() + "\n"


def shown(output: Any) -> dict[str, Any]:
    """An output without counts, and with pictures that are small."""
    if output.output_type == "stream":
        return {"name": output.name, "output_type": "stream", "text": output.text.splitlines(keepends=True)}
    data = {kind: output.data[kind] for kind in KEPT if kind in output.data}
    if "image/png" in data:
        data["image/png"] = small(data["image/png"])
    lines = {kind: text if kind == "image/png" else text.splitlines(keepends=True) for kind, text in data.items()}
    return {"data": lines, "metadata": {}, "output_type": "display_data"}


def fit(book: dict[str, Any]) -> None:
    """Round large drawings to a tenth of a millimetre; drop those that exceed the space."""
    room = DRAWINGS
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", ())]
    for data in (output["data"] for output in reversed(outputs) if SVG in output.get("data", {})):
        text = "".join(data[SVG])
        if len(text) > LARGE:
            text = re.sub(r"\d+\.\d\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), text)
        if len(text) > room:
            del data[SVG]
            continue
        room -= len(text)
        data[SVG] = text.splitlines(keepends=True)


def store(name: str) -> int:
    """Run a notebook and write it; return its size in bytes."""
    with tempfile.TemporaryDirectory() as home:
        made = executed(Path(home), name)[name]
    book = read(name)
    for cell, run in zip(book["cells"], made.cells, strict=True):
        if cell["cell_type"] == "code":
            cell["outputs"] = [shown(output) for output in run.outputs]
    fit(book)
    path = GALLERY / f"{name}.ipynb"
    return path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in sys.argv[1:] or NAMES:
        sys.stdout.write(f"{each}: {store(each):,} characters\n")
        sys.stdout.flush()
