"""What is measured during a run: observables, and the triggers that say when they are sampled."""
