"""Clusterers: words × contexts in, a tree of clusters and memberships out."""
