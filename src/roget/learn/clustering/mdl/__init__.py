"""Clustering by description length: one set of words is split in two, and again (Li & Abe 1996)."""
