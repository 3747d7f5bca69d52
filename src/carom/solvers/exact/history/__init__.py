"""The history of an exact run: from its events, any instant again."""
