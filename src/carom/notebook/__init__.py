"""Runs and recordings as live widgets in notebooks."""
