"""Private names of Numba are in one module, and carom compiles without them where they are not as expected."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carom.errors import CompilerWarning
from carom.kernels import compilers, numba_private

SOURCES = Path(numba_private.__file__).parents[1]
HOME = Path(numba_private.__file__)
DOCUMENTED = {
    "llvmlite": {"binding", "ir"},
    "numba": {"carray", "cfunc", "config", "extending", "from_dtype", "njit", "types", "__version__"},
    "numba.extending": {
        "intrinsic", "lower_builtin", "models", "overload", "register_model", "type_callable",
    },
}  # fmt: skip
PRIVATE_ATTRIBUTES = {name for _, names in numba_private.ATTRIBUTES for name in names} - {
    # also names of other things: of compiled functions in Numba's documents, of Python, of carom
    *("compile", "overloads", "register", "unregister", "locator", "initialize", "_version", "_lock", "Listener"),
    "get_abi_sizeof",  # of the context that Numba hands to an intrinsic
}


def private_uses(tree: ast.AST) -> Iterator[str]:
    """What a module imports of Numba and llvmlite, or asks of their objects, that their documents do not name."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found = [each.name for each in names if re.match(r"(numba|llvmlite)\.", each.name)]
                yield from (each for each in found if each != "numba.extending")
            case ast.ImportFrom(module=str(module), names=names) if re.match(r"(numba|llvmlite)\b", module):
                allowed = DOCUMENTED.get(module, set())
                yield from (f"{module}.{each.name}" for each in names if each.name not in allowed)
            case ast.Attribute(value=ast.Name(id="numba"), attr=name) if name not in DOCUMENTED["numba"]:
                yield f"numba.{name}"
            case ast.Attribute(value=ast.Name(id="self")):
                pass  # its own
            case ast.Attribute(attr=name) if name in PRIVATE_ATTRIBUTES:
                yield f".{name}"
            case ast.Constant(value=str(text)) if re.fullmatch(r"(numba|llvmlite)(\.\w+)+", text):
                yield repr(text)


def test_no_other_module_touches_a_private_name() -> None:
    files = [file for file in SOURCES.rglob("*.py") if file != HOME]
    found = {str(file): list(private_uses(ast.parse(file.read_text(encoding="utf-8")))) for file in files}
    assert {file: uses for file, uses in found.items() if uses} == {}
    assert len(found) > 300


@pytest.mark.parametrize(
    "line",
    [
        "from numba.core import cgutils",
        "from numba import _dynfunc",
        "import numba.core.event",
        "import llvmlite.binding",
        "import_module('numba.core.event')",
        "numba.core.config",
        "kernel._cache",
        "kernel.get_call_template()",
    ],
)
def test_a_private_name_is_noticed(line: str) -> None:
    assert list(private_uses(ast.parse(line)))
    assert list(private_uses(ast.parse(HOME.read_text(encoding="utf-8"))))


def test_this_release_has_them_all() -> None:
    assert numba_private.missing_names() == []
    assert isinstance(compilers.choose_compiler(), compilers.FastCompiler)


def test_a_name_that_is_set_when_an_object_is_made_is_looked_for_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Numba 0.62 lacks `_reload_init`."""

    class Library:
        def __init__(self) -> None:
            self._dynamic_globals: list[str] = []

    asked = ((Library, ("_dynamic_globals", "_reload_init")),)
    monkeypatch.setattr(numba_private, "ATTRIBUTES", asked)
    assert numba_private.missing_names() == ["Library._reload_init"]


def test_other_parameters_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_overload(self: Any, sig: Any) -> None: ...

    monkeypatch.setattr(numba_private, "PARAMETERS", ((load_overload, ("self", "sig", "target_context")),))
    (found,) = numba_private.missing_names()
    assert found.endswith("load_overload()")


def test_where_one_is_missing_it_is_said_once_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba_private, "missing_names", lambda: ["JITCodeLibrary._reload_init"])
    with pytest.warns(CompilerWarning) as told:
        chosen = compilers.choose_compiler()
    assert isinstance(chosen, compilers.PlainCompiler)
    (message,) = (str(each.message) for each in told)
    assert re.fullmatch(r"Numba 0\.\S+ differs .*\(JITCodeLibrary\._reload_init\).*CAROM_PLAIN_JIT=1.*", message)


LACKING = """
import sys
import {module}
{change}
from carom.kernels.jit import inline, kernel, noinline, prefetch, stage
from carom.kernels.progress import Compilations

@inline
def double(x):
    return x + x

@noinline
def triple(x):
    return double(x) + x

@stage
def sixfold(x):
    return double(triple(x))

@kernel
def outer(x):
    return sixfold(x) + 0.5

with Compilations(lambda: None):
    print(outer(1.5))
"""
CHANGES = {
    "a class": ("numba.core.typed_passes", "del sys.modules['numba.core.typed_passes'].InlineOverloads"),
    "a method": ("numba.core.caching", "del sys.modules['numba.core.caching'].Cache._index_key"),
    "a module": ("numba.core.runtime.nrt", "sys.modules['numba.core.runtime.nrt'] = None"),
    "an option": ("numba.core.options", "del sys.modules['numba.core.options'].DefaultOptions._nrt"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_numba_that_lacks_something_still_compiles_kernels(what: str) -> None:
    module, change = CHANGES[what]
    script = LACKING.format(module=module, change=change)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=110, check=False)
    assert (done.returncode, done.stdout) == (0, "9.5\n"), done.stderr
    assert done.stderr.count("CompilerWarning: Numba") == 1
