"""Running a study: workers, the order of runs, and their results."""
