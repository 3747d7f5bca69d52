"""States that must never change by a bit."""
