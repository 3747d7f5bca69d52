"""Read and write scenes."""
