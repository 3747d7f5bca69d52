"""The results of a study: its journal, its table, its plot."""
