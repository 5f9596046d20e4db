"""Placing words in taxonomies that other people made."""
