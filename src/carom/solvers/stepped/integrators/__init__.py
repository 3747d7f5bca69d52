"""Integrators: how bodies move by a step, and how long a step may be."""
