"""LAWS: pure Numba functions on floats and records; no classes, no files."""

from carom.kernels.numba_version import require_known_numba

require_known_numba()  # before any other module uses names that another release may lack
