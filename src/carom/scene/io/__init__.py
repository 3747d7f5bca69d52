"""Scenes in files, and as plain documents."""
