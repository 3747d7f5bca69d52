"""A bench: a run with its past, commands in, views out; it knows no web."""
