"""Extend existing thesauri with new text."""
