"""The commands of a bench: their table, their keys, and their handlers."""
