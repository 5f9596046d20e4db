"""Agglomerative clustering: merge words greedily, and lose as little information as possible."""
