"""Where runs are kept: recordings, checkpoints, exports."""
