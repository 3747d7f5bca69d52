"""Kernels as WebAssembly: from the same intermediate code as native ones, and so to the same bits.

Numba compiles a kernel for a processor without extensions, LLVM makes an object for wasm32 of it, and the linker of
Zig (`pip install ziglang`) makes a module of some objects. Nothing is optimised anew, so nothing can be rounded anew.

A process that builds must begin with `ENVIRONMENT`, which Numba reads as it is imported, and an empty cache: Numba
keeps no intermediate code of what it finds there.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from llvmlite import binding as llvm

ENVIRONMENT: Final = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
TRIPLE: Final = "wasm32-unknown-unknown"
# What all browsers have had since 2023. Never relaxed SIMD, whose results may differ from machine to machine.
FEATURES: Final = "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals"
STACK: Final = 512 * 1024
"""Bytes at the beginning of the memory."""
LONGEST_NAME: Final = 10**6
"""LLVM refuses to read names beyond 1024 letters; Numba's are made of types."""


class Export(NamedTuple):
    """A kernel that a module offers."""

    name: str
    kernel: Any
    """A function of Numba's."""
    types: tuple[Any, ...]
    """Of its arguments, as Numba has them."""


def build(exports: Sequence[Export]) -> bytes:
    """A module that offers some kernels.

    Each is called as Numba calls it: with a place for the result, one for an error, and then the arguments, of which an
    array is seven: owner, parent, items, bytes of an item, place, rows, bytes between rows.
    """
    machine = _machine()
    module = llvm.parse_assembly(f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"')
    for export in exports:
        module.link_in(_lowered(export, machine))
    module.verify()
    return _linked(machine.emit_object(module), [export.name for export in exports])


def _machine() -> Any:
    """What LLVM makes code for."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.set_option("carom", f"-non-global-value-max-name-size={LONGEST_NAME}")
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu="generic", features=FEATURES, opt=3, reloc="static")


def _lowered(export: Export, machine: Any) -> Any:
    """The intermediate code of a kernel, for this machine."""
    export.kernel.compile(export.types)
    overload = export.kernel.overloads[export.types]
    code = overload.library.get_llvm_str()
    code = re.sub(r'target datalayout = "[^"]*"', f'target datalayout = "{machine.target_data}"', code)
    code = re.sub(r'target triple = "[^"]*"', f'target triple = "{TRIPLE}"', code)
    code = re.sub(r'"target-(cpu|features)"="[^"]*"', "", code).replace("= common ", "= ")
    module = llvm.parse_assembly(code)
    function = module.get_function(overload.fndesc.llvm_func_name)
    function.name, function.linkage = export.name, "external"
    for other in module.functions:
        if not other.is_declaration and other.name != export.name:
            other.linkage = "internal"
    for value in module.global_variables:
        if not value.is_declaration:
            value.linkage = "internal"
    return module


def _linked(code: bytes, names: Sequence[str]) -> bytes:
    """The module of an object."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "kernels.o"), Path(folder, "kernels.wasm")
        given.write_bytes(code)
        command = [
            sys.executable, "-m", "ziglang", "wasm-ld", "--no-entry", "--gc-sections", "--strip-all", "--stack-first",
            "-z", f"stack-size={STACK}", *(f"--export={name}" for name in names), str(given), "-o", str(made),
        ]  # fmt: skip
        subprocess.run(command, check=True)  # noqa: S603  # our own command
        return made.read_bytes()
