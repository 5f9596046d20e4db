"""Code shared by the deterministic annealing clusterers, such as their base estimator."""
