"""Campaigns: what would hurt, tried many times over. Not part of the package."""
