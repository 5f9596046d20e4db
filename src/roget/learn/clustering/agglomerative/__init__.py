"""Agglomerative clustering: merge words greedily, with the least loss of context information."""
