"""Measure which ambiguous nouns have several senses, and which unambiguous nouns have one.

    python benchmarks/senses.py [--data ../shared/data] [--words]

Counts use the preset `nouns` (AMALGUM), or verbs with objects and subjects (BNC), and the 5,000
most frequent nouns; classes are made by `SphericalTree`. WordNet 3.0 is the judge: a word separates
if two of its classes correspond to different senses. A class corresponds to the sense to which most
of the words listed with it are related, if these are at least three in ten. Synsets are related if
a synset with at most 4,500 synsets below it (plant and animal are the largest) is above both. The
chance level is computed with the further classes of another noun. Nouns with one sense in WordNet
(50 tokens or more, no names; 100 drawn with a fixed seed) should have one class. Constants were
chosen with such nouns and the twenty. The figures of the others were seen but not used.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

import roget
from roget import Counts, Thesaurus
from roget.learn.clustering.spherical.estimator import SphericalTree

TWENTY = """bank plant crane mouse bass interest party court board chair capital cell charge club
fire head light match press star"""
OTHERS = """organ bill spring seal table bar bowl paper title race arm palm stock coach drill pitch
iron pool suit degree film note pipe ring scale shot tank volume watch wing branch cabinet figure
jam mole pupil nail letter key trunk"""

TRIAL = "minutes; amalgum, bnc-verb-noun and wordnet30"
NOUNS = 5000
LARGEST = 4500
ENOUGH = 0.3


class WordNet:
    """Which senses nouns have, and which are related."""

    def __init__(self, folder: Path) -> None:
        self.senses, self._above = defaultdict(list), defaultdict(list)
        for line in (folder / "noun_senses.tsv").read_text().splitlines():
            word, _, synset, *_ = line.split("\t")
            self.senses[word].append(synset)
        named = set()
        for line in (folder / "noun_hypernyms.tsv").read_text().splitlines():
            synset, link, above = line.split("\t")
            if link in ("@", "@i"):
                self._above[synset].append(above)
            if link == "@i":
                named.add(synset)
        self.single = {w for w, s in self.senses.items() if len(s) == 1 and s[0] not in named}
        synsets = {synset for found in self.senses.values() for synset in found}
        size = Counter(above for synset in synsets for above in self.above(synset))
        self.narrow = cache(lambda one: {up for up in self.above(one) if size[up] <= LARGEST})

    def above(self, synset: str) -> set[str]:
        """A synset and all that are above it."""
        found, waiting = {synset}, [synset]
        while waiting:
            new = set(self._above[waiting.pop()]) - found
            found |= new
            waiting += new
        return found

    def related(self, one: str, other: str) -> bool:
        """Whether a narrow class is above both."""
        return bool(self.narrow(one) & self.narrow(other))

    def stands_for(self, word: str, others: Sequence[str]) -> str | None:
        """The sense of a word that most others are related to, by one of their first three."""
        known = [self.senses[other][:3] for other in others if other in self.senses]
        best, sense = 0.0, None
        for one in self.senses[word]:
            share = sum(any(self.related(one, s) for s in found) for found in known)
            if len(known) > 2 and share / len(known) > max(best, ENOUGH - 1e-9):
                best, sense = share / len(known), one
        return sense

    def separates(self, word: str, groups: Sequence[Sequence[str]]) -> bool:
        """Whether two groups of words stand for senses of a word that are not related."""
        found = {self.stands_for(word, group) for group in groups} - {None}
        return any(not self.related(one, other) for one in found for other in found)


def corpora(data: Path) -> Iterator[tuple[str, Counts]]:
    """The counts of both."""
    files = sorted((data / "amalgum").glob("*.conllu.gz"))
    yield "AMALGUM", roget.count(files, relation="nouns", min_count=5)
    cells: Counter[tuple[str, str]] = Counter()
    for line in (data / "bnc-verb-noun/triples.tsv").read_text().splitlines()[1:]:
        noun, slot, verb, tokens, _ = line.split("\t")
        cells[noun, f"{slot}:{verb}"] += int(tokens)
    words, contexts = (sorted(set(names)) for names in zip(*cells, strict=True))
    rows = {word: at for at, word in enumerate(words)}
    columns = {context: at for at, context in enumerate(contexts)}
    from scipy import sparse

    places = [rows[w] for w, _ in cells], [columns[c] for _, c in cells]
    table = sparse.csr_array((list(cells.values()), places), shape=(len(words), len(contexts)))
    yield "BNC", Counts(table, words, contexts)


def single_nouns(thesaurus: Thesaurus, wordnet: WordNet, n: int = 100) -> list[str]:
    """Nouns of one sense, drawn by a fixed seed."""
    seen = dict(zip(thesaurus.words.tolist(), thesaurus.counts.word_totals.tolist(), strict=True))
    good = sorted(w for w in wordnet.single if seen.get(w, 0) >= 50 and w.isalpha() and len(w) > 2)
    np.random.default_rng(0).shuffle(good)
    return good[:n]


def groups_of(thesaurus: Thesaurus, word: str) -> list[tuple[str, ...]]:
    """Return the words listed with each sense of a word."""
    return [one.words for one in thesaurus.senses(word, 10)]


def chance(thesaurus: Thesaurus, wordnet: WordNet, words: Sequence[str]) -> float:
    """How many words separate with the further classes of another one, on average."""
    found = {word: groups_of(thesaurus, word) for word in words}
    several = {word: groups for word, groups in found.items() if len(groups) > 1}
    hits = [
        wordnet.separates(word, [groups[0], *other[1:]])
        for word, groups in several.items()
        for borrowed, other in several.items()
        if borrowed != word
    ]
    return len(several) * float(np.mean(hits)) if hits else 0.0


def report(name: str, thesaurus: Thesaurus, wordnet: WordNet, every: bool) -> set[str]:
    """Print the tables of one corpus; the nouns of the twenty that separate."""
    print(f"\n{name}: {thesaurus}")
    start = time.process_time()
    shares = np.diff(thesaurus.sense_memberships.indptr)
    ready = time.process_time() - start
    words = [word for word in TWENTY.split() if word in thesaurus.rows]
    start = time.process_time()
    found = {word: thesaurus.senses(word, 10) for word in words}
    each = (time.process_time() - start) / max(len(words), 1)
    print(f"  {ready:.2f} s for all words, {each * 1000:.0f} ms for each")
    print(f"  {np.mean(shares > 1):.1%} of the words have several senses")
    good = {word for word in words if wordnet.separates(word, groups_of(thesaurus, word))}
    for word in words:
        for at, one in enumerate(found[word]):
            head = f"{word:9}{'✓' if word in good else ' '}" if not at else " " * 10
            contexts = ", ".join(context.context for context in one.contexts[:4])
            print(f"  {head} {one.share:4.0%}  {', '.join(one.words[:6]):60.60}  {contexts:60.60}")
    for label, chosen in (("the twenty", words), ("others", OTHERS.split())):
        chosen = [word for word in chosen if word in thesaurus.rows]
        split = [word for word in chosen if shares[thesaurus.rows[word]] > 1]
        right = [word for word in chosen if wordnet.separates(word, groups_of(thesaurus, word))]
        by_chance = chance(thesaurus, wordnet, chosen)
        print(
            f"  {label}: {len(chosen)} nouns, {len(split)} in several classes, "
            f"{len(right)} separate (by chance {by_chance:.1f}): {' '.join(right)}"
        )
    single = single_nouns(thesaurus, wordnet, 100)
    wrong = [word for word in single if shares[thesaurus.rows[word]] > 1]
    print(f"  one sense: {len(single) - len(wrong)} of {len(single)} stay; not {' '.join(wrong)}")
    every_one = single_nouns(thesaurus, wordnet, len(thesaurus))
    stay = np.mean([shares[thesaurus.rows[word]] == 1 for word in every_one])
    print(f"  all {len(every_one)} such nouns: {stay:.1%} stay")
    if every:
        for word in single:
            print(f"    {word:16}", *("/ " + ", ".join(g[:5]) for g in groups_of(thesaurus, word)))
    return good


def main() -> None:
    """Print all tables."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("--data", type=Path, default=Path("../shared/data"))
    asked.add_argument("--words", action="store_true", help="also list the nouns of one sense")
    given = asked.parse_args()
    wordnet, right = WordNet(given.data / "wordnet30"), set()
    for name, counts in corpora(given.data):
        top = counts.top(NOUNS)
        thesaurus = Thesaurus.from_clustering(top, SphericalTree(random_state=0).fit(top))
        right |= report(name, thesaurus, wordnet, given.words)
    print(f"\non either corpus {len(right)} of 20 separate: {' '.join(sorted(right))}")


if __name__ == "__main__":
    main()
