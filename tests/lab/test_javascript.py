"""The browser's modules as files: what is exported is used and has types, and the checker's settings know every folder.

`make lint` and `make types` check the modules themselves, with Deno.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
STATIC = [ROOT / "src/carom/lab/static", ROOT / "src/carom/notebook/static"]
MODULES = sorted(file for folder in STATIC for file in folder.glob("*.js"))
USERS = [*MODULES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]

EXPORT = re.compile(r"^export (?:async )?(?:class|const|function) (\w+)", re.MULTILINE)
HEADS = re.compile(r"^export (?:async )?function (\w+)\((.*)\) \{$", re.MULTILINE)

each_module = pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)


def comment_before(text: str, at: int) -> str:
    """The comment that ends just before a place, or nothing."""
    before = text[:at].rstrip()
    return before[before.rfind("/**") :] if before.endswith("*/") else ""


def count_of(parameters: str) -> int:
    """How many parameters a list has; braces and brackets hold parts of one."""
    flat = parameters
    while (inner := re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)", "0", flat)) != flat:
        flat = inner
    return flat.count(",") + 1 if flat.strip() else 0


def untyped(text: str) -> list[str]:
    """Exported functions whose comment does not give the type of every parameter."""
    found = []
    for match in HEADS.finditer(text):
        typed = len(re.findall(r"@param \{", comment_before(text, match.start())))
        if typed != count_of(match[2]):
            found.append(match[1])
    return found


def unused(modules: dict[str, str], users: dict[str, str]) -> list[str]:
    """What is exported and named in no other file."""
    return [
        f"{file}: {name}"
        for file, text in modules.items()
        for name in EXPORT.findall(text)
        if not any(re.search(rf"\b{name}\b", other) for user, other in users.items() if user != file)
    ]


@each_module
def test_exported_functions_have_types(module: Path) -> None:
    assert untyped(module.read_text(encoding="utf-8")) == []


def test_a_missing_type_is_noticed() -> None:
    assert untyped("/** Adds. */\nexport function add(a, b) {\n") == ["add"]
    assert untyped("/**\n * @param {number} a\n */\nexport function add({ a, b }, [c, d] = [1, 2]) {\n") == ["add"]
    assert (
        untyped("/** @param {number} a @param {number[]} b */\nexport function add({ a, b }, [c, d] = [1, 2]) {\n")
        == []
    )
    assert untyped("/** Waits. */\nexport async function wait() {\n") == []


def test_what_is_exported_is_used() -> None:
    texts = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in USERS}
    modules = {name: text for name, text in texts.items() if name.endswith(".js")}
    assert len(modules) == len(MODULES) > 40
    assert unused(modules, texts) == []


def test_an_export_that_nobody_uses_is_noticed() -> None:
    modules = {
        "a.js": "export const FIRST = 1;\n",
        "b.js": 'import { FIRST } from "./a.js";\nexport function last() {\n',
    }
    assert unused(modules, modules) == ["b.js: last"]


def test_the_checker_knows_every_folder() -> None:
    """Deno's settings and the Makefile name each folder that holds modules."""
    folders = {str(file.parent.relative_to(ROOT)) for file in (ROOT / "src").rglob("*.js")}
    assert folders == {str(folder.relative_to(ROOT)) for folder in STATIC}
    for name in ("deno.jsonc", "Makefile"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert [folder for folder in folders if folder not in text] == []
