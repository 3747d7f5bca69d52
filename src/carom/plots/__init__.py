"""Pictures of what was measured, by matplotlib."""
