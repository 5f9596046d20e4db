"""Pereira, Tishby & Lee 1993: Distributional clustering of English words."""
