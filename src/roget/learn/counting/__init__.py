"""Count words and the contexts in which they occur.

Each piece of the input is counted, then the results are merged.
"""
