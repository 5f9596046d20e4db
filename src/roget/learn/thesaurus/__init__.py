"""Thesaurus: a tree of word classes that people look things up in, and correct."""

from __future__ import annotations

from roget.learn.thesaurus.edits import Edit, Note, Remembered
from roget.learn.thesaurus.labels import LABEL
from roget.learn.thesaurus.thesaurus import Thesaurus
from roget.learn.thesaurus.values import (
    ContextClass,
    Neighbour,
    Placement,
    Reason,
    Reasons,
    Sense,
    TypicalContext,
    TypicalWord,
    WordClass,
)

__all__ = [
    "LABEL",
    "ContextClass",
    "Edit",
    "Neighbour",
    "Note",
    "Placement",
    "Reason",
    "Reasons",
    "Remembered",
    "Sense",
    "Thesaurus",
    "TypicalContext",
    "TypicalWord",
    "WordClass",
]
