"""Studies: what they consist of, and checks of it."""
