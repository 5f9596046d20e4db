"""Rank systems by a table of scores, with confidence intervals for the ranks."""
