"""Keeping a run: recordings, checkpoints, the history in memory."""
