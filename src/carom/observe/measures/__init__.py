"""The observables of carom, one module per subject, and the theory they are compared with."""
