"""Agreement of several clusterings of the same items, without a gold standard."""
