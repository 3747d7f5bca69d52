"""The laboratory: carom in the browser. `docs/lab.md` is its map."""
