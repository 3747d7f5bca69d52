"""What happens next, and what it changes: predict, resolve, record."""
