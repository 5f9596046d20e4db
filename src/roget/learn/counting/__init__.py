"""Counting of words in contexts: each piece of the input is counted, then the parts are merged."""
