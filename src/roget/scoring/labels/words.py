"""Words of messages that depend on a number or a name."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """A number and what it counts.

    >>> count(1, "item"), count(0, "item"), count(2, "row")
    ('1 item', '0 items', '2 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ordinal(number: int) -> str:
    """A place in a row.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 112, 1021)]
    ['1st', '2nd', '3rd', '4th', '11th', '112th', '1,021st']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else ending}"


def has(source: str) -> str:
    """A source and its verb: files are one, labels in memory are many.

    >>> has("gold.tsv"), has("the gold labels")
    ('gold.tsv has', 'the gold labels have')
    """
    many = source == "labels" or (source.startswith("the ") and source.endswith(" labels"))
    return f"{source} {'have' if many else 'has'}"
