"""Code shared by the deterministic-annealing clusterers, including their base estimator."""
