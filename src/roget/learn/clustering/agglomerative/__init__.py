"""Classes of words by greedy merges that lose the least information about their contexts."""
