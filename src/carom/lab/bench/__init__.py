"""A bench: a run with its past, commands in, views out; independent of the web."""
