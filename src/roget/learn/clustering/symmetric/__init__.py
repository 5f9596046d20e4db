"""Clusters of (word, context) pairs by annealing of the symmetric model."""
