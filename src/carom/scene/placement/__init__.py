"""Check the positions of balls: overlaps, and balls outside of the boundary."""
