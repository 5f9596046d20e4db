"""Comparisons of every score with slow and independent implementations."""
