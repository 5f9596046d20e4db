"""Clusterers, which compute a tree of clusters and memberships from a words × contexts matrix."""
