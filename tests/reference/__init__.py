"""Independent references that the solvers are held against."""
