"""What a user holds: a scene and its run."""
