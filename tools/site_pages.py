"""Pages of the site that are not files of docs: MkDocs calls this module (`hooks` in mkdocs.yml).

A document may link to anything in the repository: a script, a test, a folder, a notebook. On the site

* a Markdown file outside docs becomes a page under `project/`, and the README is the first page;
* any other file outside docs is copied as text under `source/`, Python of examples as a page;
* a folder becomes a page that lists what is in it;
* a notebook becomes a page, with its pictures.

Links are rewritten accordingly. Links to missing files stay, so that MkDocs reports them. Formulas in LaTeX become
MathML, which browsers draw without scripts.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(
    r"^(?P<fence>`{3,}).*?^(?P=fence)\s*?$|`[^`\n]+`|(?P<before>\]\()(?P<target>[^)\s]+)(?P<after>\))",
    flags=re.MULTILINE | re.DOTALL,
)
"""Code, which is skipped, or a link."""

FORMULA = re.compile(
    r"^(?P<fence>`{3,}).*?^(?P=fence)\s*?$|`[^`\n]+`|\$\$(?P<block>[^$]+)\$\$|\$(?P<inline>[^\s$][^$\n]*)\$",
    flags=re.MULTILINE | re.DOTALL,
)
"""Code, which is skipped, or LaTeX."""

origins: dict[str, Path] = {}
"""The source file of each page on the site, by the name of the page."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages for everything that documents link to, recursively."""
    origins.clear()
    waiting = [Path(file.abs_src_path) for file in files.documentation_pages() if file.abs_src_path]
    waiting += [DOCS / "adr", ROOT / "examples", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]  # of the nav
    while waiting:
        path = waiting.pop()
        name = place(path)
        if name not in origins:
            origins[name] = path
            if files.get_file_from_path(name) is None:
                files.append(made(path, name, config))
            waiting += linked(path)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001  # as called
    """Rewrite links to the pages of the site."""
    name = page.file.src_uri
    origin = origins.get(name, DOCS / name)
    folder = origin if origin.is_dir() else origin.parent

    def lead(target: str) -> str:
        path, anchor = within(target, folder)
        if path is None:
            return target
        return posixpath.relpath(place(path), posixpath.dirname(name) or ".") + anchor

    return FORMULA.sub(_formula, rewritten(deepened(markdown), lead))


def deepened(markdown: str) -> str:
    """Indent items of lists as Python-Markdown needs it; other parsers accept less.

    What belongs to an item is indented by four, and an item after one of several paragraphs has an empty line before.
    """
    words_and_code = re.split(r"(^`{3}.*?^`{3}$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _deepened(part) for part in words_and_code)


def _deepened(words: str) -> str:
    lines: list[str] = []
    more, before, parted = 0, "", False
    for line in words.split("\n"):
        parted |= not line
        if item := re.match(r"([*-]|\d+\.) +", line):
            lines += [""] if parted and before and more else []
            more, parted = max(0, 4 - len(item[0])), False
        elif line and not line.startswith(" ") and not before:
            more = 0
        lines.append(" " * more + line if line.startswith("  ") else line)
        before = line
    return "\n".join(lines)


def rewritten(markdown: str, lead: Callable[[str], str]) -> str:
    """Replace the target of each link; code is skipped."""
    return LINK.sub(lambda m: f"]({lead(m['target'])})" if m["target"] else m[0], markdown)


def _formula(found: re.Match[str]) -> str:
    if found["block"]:
        return f'<div class="formula">{convert(found["block"], display="block")}</div>'
    return str(convert(found["inline"])) if found["inline"] else found[0]


def within(target: str, folder: Path) -> tuple[Path | None, str]:
    """The file or folder of this repository that a link leads to, and its anchor; None for other links."""
    path, mark, anchor = target.partition("#")
    if not path or re.match(r"[a-z]+:|/", path):
        return None, ""
    found = (folder / path).resolve()
    return (found, mark + anchor) if found.exists() and found.is_relative_to(ROOT) else (None, "")


def linked(path: Path) -> Iterator[Path]:
    """The files that a document links to."""
    if path.is_dir() or path.suffix not in (".md", ".ipynb"):
        yield from sorted(path.glob("*.py")) if path.is_dir() else ()
        return
    text = path.read_text(encoding="utf-8") if path.suffix == ".md" else notebook(path)
    for match in LINK.finditer(text):
        if match["target"]:
            found, _ = within(match["target"], path.parent)
            if found is not None:
                yield found


def place(path: Path) -> str:
    """The place of a file or folder on the site, as MkDocs names its source."""
    if path == ROOT / "README.md":
        return "index.md"
    inside = path.is_relative_to(DOCS)
    name = path.relative_to(DOCS if inside else ROOT).as_posix()
    if path.is_dir():
        return f"{name}/index.md" if inside else f"source/{name}/index.md"
    if inside:
        return name.removesuffix(".ipynb") + ".md" if path.suffix == ".ipynb" else name
    if path.suffix == ".md":
        return f"project/{name}"
    return f"source/{name}.md" if path.parent.name == "examples" else f"source/{name}.txt"


def made(path: Path, name: str, config: MkDocsConfig) -> File:
    """Make the page of a file or folder; pages outside the nav are reached by links."""
    if path.is_dir():
        content = listing(path)
    elif path.suffix == ".ipynb":
        content = notebook(path)
    elif name.endswith(".py.md"):
        content = script(path)
    elif path.suffix == ".md":
        content = path.read_text(encoding="utf-8")
    else:
        return File.generated(config, name, abs_src_path=str(path))
    return File.generated(config, name, content=content, inclusion=InclusionLevel.NOT_IN_NAV)


def listing(folder: Path) -> str:
    """The page of a folder: its documents and scripts, by title."""
    rows = [f"- [{title(path)}]({path.name})" for path in sorted(folder.iterdir()) if path.suffix in (".md", ".py")]
    return "\n".join([f"# {folder.name.capitalize() if folder.name != 'adr' else 'Decisions'}", "", *rows, ""])


def title(path: Path) -> str:
    """The title of a document or script."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return f"`{path.name}`: {(ast.get_docstring(ast.parse(text)) or '').splitlines()[0]}"
    return text.partition("\n")[0].removeprefix("# ")


def script(path: Path) -> str:
    """The page of a script."""
    return f"# {path.name}\n\n````````python\n{path.read_text(encoding='utf-8')}````````\n"


def notebook(path: Path) -> str:
    """The page of a notebook: its texts, code and pictures."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield text
    elif text:
        yield f"```python\n{text}\n```"
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            yield f"![](data:image/png;base64,{''.join(data['image/png']).strip()})".replace("\n", "")
        elif "image/svg+xml" in data:
            yield _picture("".join(data["image/svg+xml"]))
        elif said := "".join(output.get("text", data.get("text/plain", []))).rstrip():
            yield f"```text\n{said}\n```"


def _picture(svg: str) -> str:
    return f"![](data:image/svg+xml;base64,{b64encode(svg.encode()).decode()})"
