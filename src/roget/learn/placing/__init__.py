"""Placing words in existing taxonomies."""
