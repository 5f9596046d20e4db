"""Contingency tables, their statistics, baselines and random models."""
