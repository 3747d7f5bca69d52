"""What is kept of a run: observables, and when they are taken."""
