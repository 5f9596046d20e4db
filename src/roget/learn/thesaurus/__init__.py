"""The class `Thesaurus`, a tree of word classes, with functions for lookup and editing."""

from __future__ import annotations

from roget.learn.thesaurus.edits import ClassSnapshot, Edit, Note
from roget.learn.thesaurus.lookup import (
    LABEL,
    ContextClass,
    Placement,
    Reason,
    Reasons,
    Sense,
    TypicalContext,
    TypicalWord,
    WordClass,
)
from roget.learn.thesaurus.neighbours import Neighbour
from roget.learn.thesaurus.thesaurus import Thesaurus

__all__ = [
    "LABEL",
    "ClassSnapshot",
    "ContextClass",
    "Edit",
    "Neighbour",
    "Note",
    "Placement",
    "Reason",
    "Reasons",
    "Sense",
    "Thesaurus",
    "TypicalContext",
    "TypicalWord",
    "WordClass",
]
