"""What a study is, and whether its parts fit together."""
