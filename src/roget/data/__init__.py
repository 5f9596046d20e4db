"""Bundled samples."""
