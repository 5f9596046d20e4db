"""Agreement between several clusterings of the same items, without a gold standard."""
