"""Evaluate classes on held-out text, by choosing between verbs, and by human judgements."""
