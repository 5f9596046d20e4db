"""Counting words in contexts: pairs are tallied piece by piece and then summed."""
