"""Evaluation of classes on held-out text, by verb decisions, and by human judgements."""
