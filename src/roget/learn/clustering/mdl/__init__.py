"""Clustering by description length: split sets of words in two, recursively (Li & Abe 1996)."""
