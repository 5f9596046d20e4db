"""What clusterers by deterministic annealing share: data, states, walks, choices, the estimator."""
