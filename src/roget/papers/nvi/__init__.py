"""Reichart & Rappoport 2009: The NVI clustering evaluation measure."""
