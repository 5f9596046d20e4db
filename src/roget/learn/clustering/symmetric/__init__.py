"""Clusters of associations: the symmetric model, annealed."""
