"""Bodies and forbidden regions: boundary, obstacles and cloth within a step."""
