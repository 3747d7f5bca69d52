"""A recording measured as a whole: figures with errors, and a report."""
