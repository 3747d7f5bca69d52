"""LAWS: pure Numba functions on floats and records; no classes, no files."""
