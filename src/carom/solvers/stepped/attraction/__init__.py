"""Attraction between all bodies: every pair, or by a tree."""
