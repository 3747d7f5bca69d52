"""Films and stills of a run."""
