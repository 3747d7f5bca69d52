"""How fast is carom? `python -m benchmarks` measures, and writes docs/benchmarks.md.

`cases` lists what is measured; `speed`, `footprint` and `peers` measure; `report` writes the page.
"""
