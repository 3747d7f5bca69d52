"""STATE: the arrays that solvers work on, made from a scene."""
