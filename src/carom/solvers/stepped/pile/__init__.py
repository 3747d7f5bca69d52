"""Piles: soft contacts in substeps, for bodies that come to rest on each other."""
