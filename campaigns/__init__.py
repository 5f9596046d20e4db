"""Campaigns: long randomised tests of robustness. Not part of the package."""
