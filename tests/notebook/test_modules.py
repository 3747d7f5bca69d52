"""The widget's modules, joined into one text."""

import re

import pytest

from carom.notebook import modules


def test_modules_stand_after_those_that_they_import() -> None:
    script = modules.script()
    rooms = re.findall(r"^const (\$\w+) = \(\(\) => \{$", script, re.MULTILINE)
    assert len(rooms) > 25
    assert len(set(rooms)) == len(rooms)
    for found in re.finditer(r"^const \{[^}]*\} = (\$\w+);$", script, re.MULTILINE):
        assert script.index(f"const {found[1]} = (()") < found.start()


def test_nothing_is_imported_and_one_thing_is_exported() -> None:
    script = modules.script()
    assert re.findall(r"^import\b.*", script, re.MULTILINE) == []
    assert re.findall(r"^export\b.*", script, re.MULTILINE) == ["export { widget as default };"]
    assert "http" not in script.replace("http://www.w3.org/2000/svg", "").replace('startsWith("http")', "").replace(
        'replace("http", "ws")', ""
    )


def test_styles_have_both_themes() -> None:
    styles = modules.styles()
    assert '[data-theme="dark"]' in styles
    assert ".carom-stage" in styles
    assert "@import" not in styles


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('import x from "./units.js";\n', 'import x from "./units.js";'),
        ("export let changing = 1;\n", "export let changing = 1;"),
        ('const later = await import("./units.js");\n', "import("),
        ('export { number } from "./units.js";\n', "export {"),
    ],
)
def test_another_form_is_refused(monkeypatch: pytest.MonkeyPatch, source: str, words: str) -> None:
    monkeypatch.setattr(modules, "_source", lambda _: source)
    with pytest.raises(modules.ModuleFormError, match=re.escape(words)):
        modules._wrap("strange.js", entry=False)


def test_a_circle_of_imports_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    monkeypatch.setattr(modules, "_source", texts.__getitem__)
    with pytest.raises(modules.ModuleFormError, match=r"a\.js: imports itself by way of b\.js"):
        modules._visit("a.js", [], ())


def test_a_missing_module_is_named() -> None:
    with pytest.raises(modules.ModuleFormError, match=r"nowhere\.js: there is no such module"):
        modules._source("nowhere.js")


def test_renamed_imports_and_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    source = '/** Words. */\nimport { a as b, c } from "./x.js";\nexport const d = b + c;\nexport function e() {}\n'
    monkeypatch.setattr(modules, "_source", lambda _: source)
    assert modules._wrap("y.js", entry=False) == (
        "const $y = (() => {\nconst { a: b, c } = $x;\nconst d = b + c;\nfunction e() {}\n\nreturn { d, e };\n})();\n"
    )
