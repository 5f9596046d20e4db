"""WordNet as tables: noun_senses.tsv and noun_hypernyms.tsv, and the same of verbs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roget.errors import MAX_PROBLEMS, FormatError, InputError
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
    problems: list[str] = []
    with open(file, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) == len(expected.split(", ")) and all(
                cells[at].isdigit() for at in numbers
            ):
                yield cells
            elif line.strip():
                problems.append(f"{file}:{number}: {line[:60]!r}; expected {expected}")
                if len(problems) == MAX_PROBLEMS:
                    break
    if problems:
        raise FormatError(str(file), problems, more=len(problems) == MAX_PROBLEMS)
