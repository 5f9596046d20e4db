"""What a text holds in which no pair was found, so that people can see why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from roget.learn.corpus.base import NONE, Ids, Pairs, Strings, Tables, Tokens

SHOWN = 12
_KEPT = 50


class Seen:
    """Counts tags and labels for as long as there is no pair; after that it costs nothing."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._counts = {"parts of speech": Counter[str](), "labels": Counter[str]()}
        self._paired = False

    def add(self, tokens: Tokens, pairs: Pairs) -> None:
        """Look at a batch and at what was drawn from it."""
        self._paired = self._paired or bool(pairs.word.size)
        if not self._paired:
            columns = ((tokens.upos, self._tables.upos), (tokens.deprel, self._tables.deprels))
            for counts, (ids, strings) in zip(self._counts.values(), columns, strict=True):
                counts.update(_counted(ids, strings))

    def facts(self) -> dict[str, dict[str, int]] | None:
        """The most frequent tags and labels, if there was no pair."""
        if self._paired:
            return None
        return {name: dict(counts.most_common(_KEPT)) for name, counts in self._counts.items()}


def described(each: Iterable[dict[str, dict[str, int]] | None]) -> str:
    """What several texts hold together, in a line for tags and one for labels."""
    sums: dict[str, Counter[str]] = {}
    for facts in each:
        for name, counts in (facts or {}).items():
            sums.setdefault(name, Counter()).update(counts)
    lines = [
        f"\n  {name} seen: " + (", ".join(f"{text} {n:,}" for text, n in _first(counts)) or "none")
        for name, counts in sums.items()
    ]
    return "".join(lines)


def _first(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:SHOWN]


def _counted(ids: Ids | None, strings: Strings) -> dict[str, int]:
    if ids is None:
        return {}
    distinct, counts = np.unique(ids[ids != NONE], return_counts=True)
    texts = [strings.texts[number] for number in distinct.tolist()]
    return dict(zip(texts, counts.tolist(), strict=True))
