"""Kernels as the Python functions that they are, with Numba's meanings: for NUMBA_DISABLE_JIT=1.

A debugger can stop in a kernel, and coverage can be measured. It takes some hundred times as long, and gives the same
bits. The source of a kernel means another thing to Numba than to Python in a few places, which the modules here bridge:

* `whole_numbers`: integers have 64 bits, and wrap around;
* `views`: a record has attributes, an item of an array is one of those integers;
* `intrinsics`: numbers side by side, and what else is an instruction of the processor;
* `names`: what `np`, `math` and the built-in functions mean in a kernel;
* `functions`: kernels and their parts as functions with these names.
"""
