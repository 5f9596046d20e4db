"""Clusterers, which turn a words × contexts matrix into a tree of clusters and memberships."""
