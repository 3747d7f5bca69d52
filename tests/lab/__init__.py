"""The laboratory without a browser."""
