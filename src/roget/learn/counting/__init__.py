"""Count words and the contexts in which they occur.

Large inputs are counted in separate tasks, whose counts are then merged.
"""
