"""Clustering of (word, context) pairs by annealing the symmetric model."""
