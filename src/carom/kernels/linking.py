"""How far a function is compiled: a law as far as the kernels that it is part of need it, a kernel to machine code.

Numba makes machine code of each function that it compiles, also of those that are inlined wherever they are called, and
optimises each together with all that it calls, and then once more in every caller. Here a law ends as intermediate
code, and is optimised where it is used. That takes a fifth off the time to compile, and gives the same bits.
"""

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]  # compiled, without types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

from carom.kernels.fast_typing import Lean


class LinkedCode(JITCodeLibrary):
    """Code that is there to be linked into that of a caller."""

    def _optimize_final_module(self) -> None:
        """Leave it to the kernel, which optimises all at once."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerForCallers(NativeLowering):
    """Lower a function to code that its callers link."""

    _name = "carom_lowering_for_callers"

    def run_pass(self, state: Any) -> bool:
        """Lower, and tell Numba of a function that can be linked but not be called."""
        state.library = LinkedCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        changed: bool = super().run_pass(state)
        lowered, nowhere = state["cr"], 0
        described = lowered.fndesc
        entry = _dynfunc.make_function(
            described.lookup_module(), described.qualname, "", nowhere, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(entry, described, [state.library])
        state.reload_init.extend(state.library._reload_init)  # noqa: SLF001  # as Numba's own lowering does
        state["cr"] = lowered._replace(cfunc=entry)
        return changed


class ForCallers(Lean):
    """The compiler of functions that are part of a kernel."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes of a kernel, with another last one."""
        [pipeline] = super().define_pipelines()
        pipeline.passes = [
            (LowerForCallers if step is NativeLowering else step, text) for step, text in pipeline.passes
        ]
        return [pipeline]
