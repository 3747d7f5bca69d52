"""The laboratory in a real Chromium."""
