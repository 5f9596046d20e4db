"""Evaluation of classes: held-out text, decisions between verbs, human judgements."""
