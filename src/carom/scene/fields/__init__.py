"""Fields of scenes: numbers, columns and rows, checked."""
