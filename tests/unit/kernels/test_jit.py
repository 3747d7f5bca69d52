"""A cached kernel is used again, and only as long as no source of a kernel has changed."""

import importlib.util
import operator
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest
from llvmlite.binding import ffi
from numba import types
from numba.core import base
from numba.core.errors import TypingError
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext

from carom.kernels import cache, jit, numba_private

NAME = "tiny_kernels_for_a_test"
SOURCE = "def double(x):\n    return 2.0 * x\n"


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module with a tiny function; Numba keeps its cache beside it, or in a folder that is named after it."""
    file = tmp_path / f"{NAME}.py"
    file.write_text(SOURCE, encoding="utf-8")
    monkeypatch.setitem(sys.modules, NAME, None)  # so that what a test imports is forgotten after it
    return file


def function_of(source: Path) -> Any:
    """The function as a new process would see it."""
    spec = importlib.util.spec_from_file_location(NAME, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module  # a kernel from the cache looks there for its globals
    spec.loader.exec_module(module)
    return module.double


def came_from_the_cache(dispatcher: Any) -> bool:
    """Call a kernel; was it read from the cache, rather than compiled?"""
    assert dispatcher(1.5) == 3.0
    hits, misses = (sum(each.values()) for each in (dispatcher.stats.cache_hits, dispatcher.stats.cache_misses))
    assert hits + misses == 1
    return bool(hits)


def test_numba_stamps_its_cache_by_the_attribute_that_is_set(source: Path) -> None:
    """Were it renamed, setting it would do nothing at all, and in silence."""
    plain = numba.njit(cache=True)(function_of(source))
    assert vars(plain._cache._cache_file)["_source_stamp"]
    kernel: Any = jit.kernel(function_of(source))
    assert kernel._cache._cache_file._source_stamp == cache.STAMP


def test_a_new_stamp_compiles_anew(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not came_from_the_cache(jit.kernel(function_of(source)))
    assert came_from_the_cache(jit.kernel(function_of(source)))
    monkeypatch.setattr(cache, "STAMP", "another")
    assert not came_from_the_cache(jit.kernel(function_of(source)))
    assert came_from_the_cache(jit.kernel(function_of(source)))


REFUSED = """
from carom.kernels import jit

@{kind}
def inner(x):
    return 2.0 * x

@jit.kernel
def outer(x):
    return inner(x)

for _ in range(2):  # before and after a kernel has had it compiled for the same type
    try:
        inner(1.5)
    except TypeError as error:
        print(error)
    assert outer(1.5) == 3.0
"""


@pytest.mark.parametrize("kind", ["jit.inline", "jit.noinline", "jit.stage"])
def test_what_is_for_kernels_refuses_calls_from_python(kind: str, tmp_path: Path) -> None:
    """In a process of its own: if Numba changed, the call would end it."""
    script = tmp_path / "script.py"
    script.write_text(REFUSED.format(kind=kind), encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    message = "inner is for kernels to call; from Python, call kernel(inner.py_func)\n"
    assert (done.returncode, done.stdout) == (0, 2 * message), done.stderr


def test_a_branch_is_not_inlined_because_a_law_calls_it() -> None:
    """A function that Numba compiles on the way to another inherits its options, unless it has its own."""

    @jit.noinline
    def seldom(x: float) -> float:
        return 2.0 * x

    @jit.inline
    def always(x: float) -> float:
        return x + seldom(x)

    @jit.kernel
    def outer(x: float) -> float:
        return always(x)

    assert outer(1.0) == 3.0
    for inner, inlined in ((seldom, False), (always, True)):
        [overload] = inner.overloads.values()  # type: ignore[attr-defined]  # a Numba dispatcher
        assert ("alwaysinline" in overload.library.get_llvm_str()) == inlined


def test_constants_are_not_compiled_for_one_by_one() -> None:
    @jit.inline
    def raised(x: float, n: int) -> float:
        return float(x**n)

    @jit.kernel
    def outer(x: float) -> float:
        return raised(x, 1) + raised(x, 2) + raised(x, 3)

    assert outer(2.0) == 14.0
    assert len(raised.overloads) == 1  # type: ignore[attr-defined]  # a Numba dispatcher


def test_the_stamp_knows_every_module_with_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It changes with the time or the size of a source, and when there is one more; not with other stages."""
    files = [tmp_path / name for name in ("physics/compile.py", "solvers/exact/events/loop.py")]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text("pass\n", encoding="utf-8")
    monkeypatch.setattr(cache, "__file__", str(files[0]))
    stamps = [cache.source_stamp()]
    assert cache.source_stamp() == stamps[0]
    (tmp_path / "scene").mkdir()
    (tmp_path / "scene/model.py").write_text("pass\n", encoding="utf-8")
    assert cache.source_stamp() == stamps[0]
    status = files[1].stat()
    files[1].write_text("pass  # more\n", encoding="utf-8")
    os.utime(files[1], ns=(status.st_atime_ns, status.st_mtime_ns))
    stamps.append(cache.source_stamp())
    os.utime(files[1], ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))
    stamps.append(cache.source_stamp())
    (files[1].parent / "new.py").write_text("pass\n", encoding="utf-8")
    stamps.append(cache.source_stamp())
    assert len(set(stamps)) == 4


def test_a_law_has_no_machine_code_of_its_own() -> None:
    """The kernel that it is part of has it all."""

    @jit.inline
    def twice(x: float) -> float:
        return 2.0 * x

    @jit.kernel
    def outer(x: float) -> float:
        return 1.0 + twice(x)

    assert outer(1.5) == 4.0
    for function, has_code in ((twice, False), (outer, True)):
        [overload] = function.overloads.values()  # type: ignore[attr-defined]  # a Numba dispatcher
        entry = overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name)
        assert bool(entry) is has_code


def numba_itself() -> tuple[Any, ...]:
    """What is replaced while a kernel is compiled."""
    asked: Any = BaseFunction.get_call_type, BaseContext.resolve_value_type, base.BaseContext.get_abi_sizeof
    return *asked, ffi.lib._lock._cblist


def test_what_numba_finds_out_is_remembered_only_while_a_kernel_is_compiled() -> None:
    """Who compiles functions of their own in the same process meets Numba as it is."""
    plain = numba_itself()

    @jit.inline
    def inner(x: float) -> float:
        return x * x + x

    @jit.kernel
    def outer(x: float) -> float:
        return inner(x) + x * x

    numba_private.call_types.clear()
    assert outer(1.5) == 6.0
    met = [key for key in numba_private.call_types if key[0].typing_key is operator.mul]
    assert len(met) == 1
    assert numba_itself() == plain


def test_a_kernel_that_cannot_be_compiled_leaves_numba_as_it_was() -> None:
    plain = numba_itself()

    @jit.kernel
    def wrong(x: float) -> Any:
        return x + "metre"  # type: ignore[operator]  # that is the point

    with pytest.raises(TypingError):
        wrong(1.5)
    assert numba_itself() == plain


@pytest.mark.parametrize("kind", [types.float64, types.int8, types.boolean, types.UniTuple(types.float64, 3)])
def test_remembered_sizes_are_those_of_numba(kind: Any) -> None:
    context = numba.njit(lambda x: x).targetctx
    ours = context.get_value_type(kind)
    for _ in range(2):
        assert numba_private.remembered_size(context, ours) == context.get_abi_sizeof(ours)


@pytest.mark.parametrize("numbers", [(1, 2.5), (2.5, 1), (1, 2), (2.5, 1.5), (True, 2.5)])
def test_remembered_meanings_are_those_of_the_types(numbers: tuple[Any, Any]) -> None:
    """A sum of whole numbers is a whole number also after one of floats."""

    def combined(a: Any, b: Any) -> tuple[Any, ...]:
        return a + b, a - b, a * b, a / b, max(a, b), min(a, b), abs(a), a < b

    plain = numba.njit(error_model="numpy")(combined)
    for a, b in ((0.5, 0.25), numbers):
        found, expected = jit.kernel(combined)(a, b), plain(a, b)
        assert found == expected
        assert [type(each) for each in found] == [type(each) for each in expected]


def framed(x):
    jit.own_page()
    return 2.0 * x


def test_a_kernel_can_have_its_frame_at_the_beginning_of_a_page():
    function = numba.njit(**jit.OPTIONS)(framed)
    assert function(3.0) == 6.0
    if platform.machine() in ("x86_64", "AMD64"):  # elsewhere the words are others
        (text,) = function.inspect_asm().values()
        assert f"andq\t$-{jit.PAGE}, %rsp" in text
