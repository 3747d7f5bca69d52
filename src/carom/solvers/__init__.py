"""HOW time advances: solvers, and the registry that describes them."""
