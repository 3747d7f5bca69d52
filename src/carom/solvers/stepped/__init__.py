"""The stepped solver: fixed steps and forces."""
