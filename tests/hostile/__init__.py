"""What strangers send."""
