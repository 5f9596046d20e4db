"""Co-clustering of words and contexts by minimum description length."""
