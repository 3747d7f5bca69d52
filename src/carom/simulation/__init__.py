"""`Simulation`, and the parts of which it is composed."""
