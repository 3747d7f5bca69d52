"""Many runs: studies, which are scenes with ranges in them; their runs on Dask; their results as a table."""
