"""Helpers for word lists, and a tokeniser for German and Dutch."""

from __future__ import annotations

from collections.abc import Callable

import regex


def split(text: str) -> tuple[str, ...]:
    """Split a string into words, in order."""
    return tuple(text.split())


def words(text: str) -> frozenset[str]:
    """Split a string into a set of words."""
    return frozenset(text.split())


def make_tokeniser(abbreviations: str, clitics: str = "") -> Callable[[str], list[str]]:
    """Return a tokeniser that keeps the full stop in the given abbreviations.

    The abbreviations are separated by |.

    >>> make_tokeniser("ca|usw")("Am 3. Mai geht’s ca. um 7.30 Uhr, z.B. nach Ems!")
    ['Am', '3.', 'Mai', 'geht’s', 'ca.', 'um', '7.30', 'Uhr', ',', 'z.B.', 'nach', 'Ems', '!']
    """
    token = regex.compile(
        rf"""
          (?:https?://|www\.) [^\s<>"]* [^\s<>".,;:!?)\]']
        | [\w.+-]+ @ \w[\w-]* (?:\.[\w-]+)+
        | (?:\p{{L}}\.){{2,}}                                       # z.B., u.a.
        | (?:{abbreviations})\. (?!\w)
        | {clitics or "(?!)"}
        | \d+\. (?=\s+\p{{L}})                                      # am 3. Mai
        | \d+ (?:[.,:/]\d+)* (?: % | [\p{{L}}\p{{M}}]+ | (?:-[\p{{L}}\p{{M}}]+)+ )?
        | \p{{L}}[\p{{L}}\p{{M}}\p{{N}}]* (?: [-'’/&] [\p{{L}}\p{{N}}][\p{{L}}\p{{N}}\p{{M}}]* )* -?
        | [!?.]+ | \S
        """,
        regex.VERBOSE | regex.IGNORECASE,
    )
    return lambda sentence: [found.group() for found in token.finditer(sentence)]
