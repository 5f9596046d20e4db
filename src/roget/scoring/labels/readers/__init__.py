"""Readers of label files, with one module per format."""
