"""Clusterers, which learn a tree of clusters and memberships from a words × contexts matrix."""
