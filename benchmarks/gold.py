"""Read human judgements of words: categories, similarities, and WordNet's nouns.

The test data are in ROGET_TEST_DATA (by default ../shared/data).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from harness.measuring import data_folder

from roget.core.counts import Counts

CATEGORIES = {"AP": "ap.csv", "ESSLLI": "esslli2008-nouns.tsv", "WordNet": "wordnet-nouns.tsv"}
SIMILARITIES = {"SimLex": "EN-SIMLEX-999.txt", "WS-SIM": "EN-WS-353-SIM.txt"}

FEWEST = 3
"""Minimum number of words of a category in the counts."""


def bnc() -> Counts:
    """Return nouns of the BNC by slot and verb, with the usual minimum counts."""
    columns = "word=noun,slot=rel,context=verb,count=f"
    return Counts.read(data_folder() / "bnc-verb-noun/triples.tsv", columns).min_count(5, 2)


def categories(name: str, known: Mapping[str, int]) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Return the rows of words with exactly one category, and the categories."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    with (data_folder() / "word-categories" / CATEGORIES[name]).open(encoding="utf-8") as lines:
        for line in lines:
            fields = line.strip().split("," if name == "AP" else "\t")
            word, label = fields[:2] if name != "AP" else (fields[2], fields[1])
            if word != "word":
                found[word].add(label)
    sole = {word: min(labels) for word, labels in found.items() if len(labels) == 1}
    sizes = Counter(label for word, label in sole.items() if word in known)
    kept = {w: c for w, c in sole.items() if w in known and sizes[c] >= FEWEST}
    return np.array([known[word] for word in kept]), list(kept.values())


def similarities(name: str) -> list[tuple[str, str, float]]:
    """Return pairs of words and their rated similarity."""
    with (data_folder() / "word-similarity" / SIMILARITIES[name]).open(encoding="utf-8") as lines:
        rows = [line.lower().split() for line in lines]
    return [(a, b, float(value)) for a, b, value in rows if a != b]


class WordNet:
    """WordNet's nouns: path lengths between words, and Lin's similarity based on counts of a
    corpus.
    """

    def __init__(self, words: Sequence[str], totals: Iterable[float]) -> None:
        place = data_folder() / "wordnet30"
        self._up: defaultdict[str, set[str]] = defaultdict(set)
        for line in (place / "noun_hypernyms.tsv").read_text(encoding="utf-8").splitlines():
            low, _, high = line.split("\t")
            self._up[low].add(high)
        senses: defaultdict[str, list[str]] = defaultdict(list)
        for line in (place / "noun_senses.tsv").read_text(encoding="utf-8").splitlines():
            lemma, _, synset, *_ = line.split("\t")
            senses[lemma].append(synset)
        self._senses = [senses.get(word.lower().replace(" ", "_"), []) for word in words]
        self._totals = list(totals)
        self.rows = np.array([row for row, known in enumerate(self._senses) if known])

    @cached_property
    def _above(self) -> dict[str, dict[str, int]]:
        """Return the ancestors of each synset and the synset itself, with the fewest steps up."""
        found: dict[str, dict[str, int]] = {}

        def climb(synset: str) -> dict[str, int]:
            if synset not in found:
                steps = {synset: 0}
                for high in self._up.get(synset, ()):
                    for node, n in climb(high).items():
                        steps[node] = min(n + 1, steps.get(node, n + 1))
                found[synset] = steps
            return found[synset]

        for known in self._senses:
            for synset in known:
                climb(synset)
        return found

    @cached_property
    def _information(self) -> dict[str, float]:
        """Return −log p of each synset. Tokens of a word are divided among its senses, plus one
        each.
        """
        mass: Counter[str] = Counter()
        for known, total in zip(self._senses, self._totals, strict=True):
            for synset in known:
                for node in self._above[synset]:
                    mass[node] += total / len(known) + 1
        whole = max(mass.values())
        return {node: -math.log(n / whole) for node, n in mass.items()}

    def steps(self, a: int, b: int) -> float:
        """Return the fewest steps up and down between senses of two words."""
        least = math.inf
        for one in self._senses[a]:
            up = self._above[one]
            for other in self._senses[b]:
                shared = (up[node] + n for node, n in self._above[other].items() if node in up)
                least = min(least, min(shared, default=math.inf))
        return least

    def lin(self, a: int, b: int) -> float:
        """Return Lin's similarity of the two most similar senses."""
        told, best = self._information, 0.0
        for one in self._senses[a]:
            up = self._above[one]
            for other in self._senses[b]:
                shared = max((told[n] for n in self._above[other] if n in up), default=0.0)
                whole = told[one] + told[other]
                best = max(best, 2 * shared / whole if whole else 0.0)
        return best
