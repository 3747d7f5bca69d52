"""The observables, by what they measure."""
