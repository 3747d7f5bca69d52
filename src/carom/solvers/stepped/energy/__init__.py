"""Energies of a stepped run: the account, and what is said about it."""
