"""What to count and what to leave out: everything that decides a result, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from roget.learn.corpus.base import Reading

UNITS = {"table": "row", "matrix": "cell"}
"""What is read in the place of tokens, by reader."""


@dataclass(frozen=True)
class Recipe:
    """How pairs are drawn from the inputs. Two counts with equal recipes can be merged."""

    reader: str
    """A name of the catalogue's readers."""
    reading: Reading = field(default_factory=Reading)
    relations: tuple[str, ...] = ()
    """Names or patterns of dependency relations; empty where a window is used, or a table."""
    window: int | None = None
    """Contexts are the words up to so many places away in the sentence."""
    sides: str = "both"
    """Of a window: both, left, right, apart (named left: and right:) or each (by place)."""
    tags: bool = False
    """Words and contexts carry their part of speech: drink/VERB."""
    columns: tuple[str, ...] = ()
    """Of a table: the columns of the word, the context and perhaps the count, or ROLE=COLUMN."""
    transpose: bool | None = False
    """Words and contexts change places; None, of a table, if header or name shall tell."""
    limit: int | None = None
    """Stop after the sentence in which so many tokens have been read (rows, for tables)."""


@dataclass(frozen=True)
class Cuts:
    """What is left out of the result. Totals are those before any cut, so order is no matter."""

    min_count: int = 1
    """Words seen less often are left out."""
    min_context: int = 1
    """Contexts seen less often are left out."""
    min_pair: int = 1
    """Pairs seen less often are left out."""
    stop: frozenset[str] = frozenset()
    """Neither words nor contexts."""
    vocabulary: frozenset[str] | None = None
    """The only words wanted."""
    contexts: frozenset[str] | None = None
    """The only context words wanted (without their slot)."""
    alphabetic: bool = False
    """Only words and contexts made of letters, hyphens and apostrophes inside allowed."""
