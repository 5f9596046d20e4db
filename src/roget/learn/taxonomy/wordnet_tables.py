"""WordNet as tables: noun_senses.tsv and noun_hypernyms.tsv, and the same of verbs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roget.core.io.problems import Problems
from roget.core.io.source import source_of
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.taxonomy.wordnet import HYPERNYMS, PARTS, Synset, taxonomy_of_parts

SENSES = "lemma, number of the sense, synset, lexicographer's file, how often tagged"
LINKS = "synset, pointer, hypernym"


def read(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """The taxonomy of the nouns and verbs in a folder of tables, or of one part only.

    Senses have a lemma, the number of the sense, a synset, a file, and how often it was tagged;
    hypernyms a synset, the pointer (@ or @i) and a synset. Underscores become blanks.
    """
    wanted = [one for one in PARTS if part in (None, one)]
    found = [one for one in wanted if (place / f"{one}_senses.tsv").is_file()]
    if not found:
        raise InputError(
            f"{place}: there is no {' or '.join(f'{one}_senses.tsv' for one in wanted)}"
        )
    return taxonomy_of_parts({one: _synsets(place, one) for one in found})


def _synsets(place: Path, part: str) -> Iterator[Synset]:
    senses: dict[str, list[tuple[int, int, str]]] = {}
    for lemma, number, synset, _, tagged in _rows(place / f"{part}_senses.tsv", SENSES, (1, 4)):
        senses.setdefault(synset, []).append((-int(tagged), int(number), lemma.replace("_", " ")))
    above: dict[str, list[str]] = {}
    links = place / f"{part}_hypernyms.tsv"
    for synset, pointer, hypernym in _rows(links, LINKS, ()) if links.is_file() else ():
        if pointer in HYPERNYMS:
            above.setdefault(synset, []).append(hypernym)
    for name in dict.fromkeys([*senses, *above]):
        # The table is sorted by lemma: a synset is called by the lemma that is it most often.
        words = [(word, 1.0 - tagged) for tagged, _, word in sorted(senses.get(name, ()))]
        yield Synset(
            f"{name}-{part[0]}", words, [f"{one}-{part[0]}" for one in above.get(name, ())]
        )


def _rows(file: Path, expected: str, numbers: tuple[int, ...]) -> Iterator[list[str]]:
    """The cells of each line, as many as are expected, some of them whole numbers."""
    problems = Problems(str(file))
    width = len(expected.split(", "))
    for number, line in source_of(str(file)).lines():
        cells = line.split("\t")
        if len(cells) == width and all(cells[at].isdigit() for at in numbers):
            yield cells
        elif line.strip():
            problems.add(number, f"{line[:60]!r}; expected {expected}")
    problems.check()
