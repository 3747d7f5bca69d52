"""Balls that meet within a step."""
