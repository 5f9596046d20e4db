"""Evaluate classes: on held-out text, by deciding between verbs, and by human judgements."""
