"""Fields of scenes and their checks: numbers, columns, rows."""
