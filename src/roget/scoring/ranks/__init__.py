"""Ranks of systems with their uncertainty, from a table of scores."""
