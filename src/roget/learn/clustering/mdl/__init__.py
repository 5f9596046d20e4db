"""Clustering by description length: sets of words are split in two recursively (Li & Abe 1996)."""
