"""Forces on bodies: those of the scene, and custom ones."""
