"""Soft hierarchical clustering by deterministic annealing (Pereira, Tishby & Lee 1993)."""
