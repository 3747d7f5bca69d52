"""Shapes: polygons, circles, solids, and their outlines."""
