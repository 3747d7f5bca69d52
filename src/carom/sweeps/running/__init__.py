"""The runs of a study: who does them, in which order, and how they come back."""
