"""Two-sided clustering by description length."""
