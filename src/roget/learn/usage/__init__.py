"""Descriptions of how words are used: sketches of one word, and changes between two corpora."""
