"""Readers of label files, one module per format."""
