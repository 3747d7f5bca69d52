"""Laws of physics and geometry: functions of numbers, vectors and records, one file per law; no files, no state.

What serves one solver to compute faster (cells, trees, tables of distances) lives with that solver.
"""

from carom.kernels.numba_version import require_known_numba

require_known_numba()  # before any other module uses names that another release may lack
