"""Count words and the contexts in which they occur.

The pieces of the input are counted separately, and their counts are merged.
"""
