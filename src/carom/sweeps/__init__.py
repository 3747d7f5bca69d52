"""Sweeps: studies, which are scenes with ranges of parameters; their runs on Dask; their results as a table."""
