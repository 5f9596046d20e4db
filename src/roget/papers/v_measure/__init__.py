"""Rosenberg & Hirschberg 2007: V-measure, a conditional entropy-based evaluation measure."""
