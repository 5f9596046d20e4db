"""Counting of words in contexts.

Each piece of the input is counted, then the results are merged.
"""
