"""Readers for label files, with one module per format."""
