"""Spherical clustering: group words by the direction of their vectors, then build a tree."""
