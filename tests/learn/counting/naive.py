"""Naive counting with dictionaries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any
from unicodedata import category

from roget.core.counts import Counts
from roget.learn.counting.recipe import CountCuts

Pair = tuple[str, str]


def obj_pairs(text: str) -> Counter[Pair]:
    """(noun, verb) of the NOUNs that are the obj of a VERB in some CoNLL-U, in lower case."""
    found: Counter[Pair] = Counter()
    for sentence in text.split("\n\n"):
        rows = [line.split("\t") for line in sentence.split("\n") if line and line[0] != "#"]
        tokens = {row[0]: row for row in rows if row[0].isdigit()}
        for row in tokens.values():
            head = tokens.get(row[6])
            if row[7] == "obj" and row[3] == "NOUN" and head is not None and head[3] == "VERB":
                found[row[2].lower(), head[2].lower()] += 1
    return found


def added(rows: Iterable[tuple[str, str, Any]]) -> dict[Pair, Fraction]:
    """The sum of each pair's counts, exact."""
    sums: dict[Pair, Fraction] = {}
    for word, context, n in rows:
        if n:
            sums[word, context] = sums.get((word, context), Fraction(0)) + Fraction(n)
    return sums


def totals(pairs: dict[Pair, Any], axis: int) -> dict[str, Any]:
    sums: dict[str, Any] = {}
    for pair, n in pairs.items():
        sums[pair[axis]] = sums.get(pair[axis], 0) + n
    return sums


def cut(pairs: dict[Pair, Any], cuts: CountCuts) -> dict[Pair, Any]:
    """What the cuts leave; contexts have no slots here."""

    def wanted(text: str, only: frozenset[str] | None) -> bool:
        letters = all(
            part[:1].isalpha() and all(category(sign)[0] in "LM" for sign in part)
            for part in re.split("[-'’]", text)
        )
        return (
            text not in cuts.stop
            and (only is None or text in only)
            and (letters or not cuts.alphabetic)
        )

    def enough(n: Any, least: int) -> bool:
        return least == 1 or n >= least

    words, contexts = totals(pairs, 0), totals(pairs, 1)
    return {
        (word, context): n
        for (word, context), n in pairs.items()
        if enough(n, cuts.min_pair)
        and enough(words[word], cuts.min_count)
        and enough(contexts[context], cuts.min_context)
        and wanted(word, cuts.vocabulary)
        and wanted(context, cuts.contexts)
    }


def check(counts: Counts, pairs: dict[Pair, Any], *, exact: bool = True) -> None:
    """Assert that counts hold these pairs and no others, in the order that files have."""
    for texts, axis in ((counts.words, 0), (counts.contexts, 1)):
        sums = totals(pairs, axis)
        assert texts.tolist() == sorted(sums, key=lambda text: (-sums[text], text.encode()))
    found = {(word, context): n for word, context, n in counts.rows()}
    if exact:
        assert found == pairs
    else:
        assert found.keys() == pairs.keys()
        for pair, n in found.items():
            assert abs(Fraction(n) - pairs[pair]) <= pairs[pair] / 2**50
