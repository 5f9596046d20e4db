"""WordNets: the data files that Princeton ships, tables of them, and those of the package wn."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from roget.catalogue import name_extra
from roget.core.io.problems import Problems
from roget.core.io.source import source_of
from roget.core.io.values import whole_number
from roget.errors import InputError
from roget.learn import command_options
from roget.learn.taxonomy.taxonomy import Taxonomy

PARTS = {part: number for number, part in enumerate(command_options.PARTS, 1)}
"""Parts of speech that have hypernyms, with their numbers in sense keys."""

HYPERNYMS = ("@", "@i")

SENSES = "lemma, number of the sense, synset, lexicographer's file, how often tagged"
LINKS = "synset, pointer, hypernym"


class Synset(NamedTuple):
    """A class of WordNet."""

    name: str
    senses: list[tuple[str, float]]
    """Each word, the first being the label, and how often it was tagged in this sense, plus one."""
    hypernyms: list[str]


def read(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """The taxonomy of nouns and verbs, or of one part only: synsets are classes.

    Either a folder or one of its data files. Underscores become blanks. Some releases have
    verbs that lie above each other: the link that closes such a cycle is left out.
    """
    folder, named = place, place.suffix.removeprefix(".")
    files = {one: place / f"data.{one}" for one in _choose_parts(part)}
    if not place.is_dir():
        folder, files = place.parent, {named: place}
        if named not in PARTS:
            raise InputError(f"{place}: expected a folder, or a file data.noun or data.verb")
    files = {one: file for one, file in files.items() if file.is_file()}
    if not files:
        wanted = "neither data.noun nor data.verb" if part is None else f"no data.{part}"
        raise InputError(f"{place}: there is {wanted}")
    tagged = _read_tags(folder / "cntlist.rev")
    return _assemble({one: _synsets(file, one, tagged) for one, file in files.items()})


def read_tables(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """The taxonomy of the nouns and verbs in a folder of tables, or of one part only.

    noun_senses.tsv has lemmas, the number of the sense, a synset, a file, and how often it was
    tagged; noun_hypernyms.tsv a synset, the pointer (@ or @i) and a synset; the same of verbs.
    Underscores become blanks.
    """
    names = {one: f"{one}_senses.tsv" for one in _choose_parts(part)}
    found = [one for one, name in names.items() if (place / name).is_file()]
    if not found:
        raise InputError(f"{place}: there is no {' or '.join(names.values())}")
    return _assemble({one: _synsets_of_tables(place, one) for one in found})


def read_package(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """The taxonomy of the nouns and verbs of a lexicon of the package wn, or of one part only.

    Nothing is fetched: a lexicon is there once `python -m wn download ID` has brought it.
    """
    with name_extra():
        wn: Any = importlib.import_module("wn")
    id = str(place).removeprefix("wn:")
    try:
        # A lexicon alone: links are not borrowed from others.
        lexicon = wn.Wordnet(id, expand="")
    except wn.Error as error:
        there = ", ".join(sorted(f"wn:{one.specifier()}" for one in wn.lexicons())) or "none"
        raise InputError(
            f"wn:{id}: {error}; there are {there}; python -m wn download {id} may bring it"
        ) from None
    wanted = _choose_parts(part)
    parts = {one: synsets for one in wanted if (synsets := lexicon.synsets(pos=one[0]))}
    if not parts:
        raise InputError(f"wn:{id}: there are no {' or '.join(f'{one}s' for one in wanted)}")
    return _assemble({one: map(_synset_of_package, found) for one, found in parts.items()})


def _choose_parts(part: str | None) -> list[str]:
    return [one for one in PARTS if part in (None, one)]


def _assemble(parts: Mapping[str, Iterable[Synset]]) -> Taxonomy:
    """The taxonomy of synsets, below a class for each part of speech if there are several."""
    taxonomy = Taxonomy("WordNet" if len(parts) > 1 else next(iter(parts)), loops=True)
    for part, given in parts.items():
        if len(parts) > 1:
            taxonomy.labels[part] = part
        synsets = list(given)
        known = {one.name for one in synsets}
        for one in synsets:
            # A class above others need not have words.
            taxonomy.labels[one.name] = one.senses[0][0] if one.senses else one.name
            for word, weight in one.senses:
                taxonomy.add(word, one.name, weight)
            taxonomy.parents[one.name] = [name for name in one.hypernyms if name in known]
            if len(parts) > 1:
                taxonomy.otherwise[one.name] = part
    return taxonomy


def _synsets(file: Path, part: str, tagged: Mapping[str, int]) -> Iterator[Synset]:
    problems = Problems(str(file))
    for number, line in source_of(str(file)).lines():
        if line.startswith("  ") or not line.strip():  # the licence
            continue
        try:
            yield _synset(line, part, tagged)
        except (ValueError, IndexError):
            problems.add(number, f"{line[:60]!r}; expected a synset")
    problems.check()


def _synset(line: str, part: str, tagged: Mapping[str, int]) -> Synset:
    """A synset: offset, file, type, words (hexadecimal), word, id …, pointers, pointer …"""
    cells = line.partition(" | ")[0].split()
    offset, lexicographer, count = cells[0], int(cells[1]), int(cells[3], 16)
    words = cells[4 : 4 + 2 * count]
    if not offset.isdigit() or count < 1 or len(words) < 2 * count:
        raise ValueError(line)
    senses = []
    for word, id in zip(words[::2], words[1::2], strict=True):
        key = f"{word.lower()}%{PARTS[part]}:{lexicographer:02}:{int(id, 16):02}::"
        senses.append((word.replace("_", " "), 1.0 + tagged.get(key, 0)))
    pointers = cells[4 + 2 * count :]
    # Of each pointer its sign, the target, and the target's part of speech.
    listed = pointers[1 : 1 + 4 * int(pointers[0])]
    linked = zip(listed[::4], listed[1::4], listed[2::4], strict=True)
    above = [f"{target}-{its}" for sign, target, its in linked if sign in HYPERNYMS]
    return Synset(f"{offset}-{part[0]}", senses, above)


def _read_tags(file: Path) -> dict[str, int]:
    """How often each sense was tagged in text, where the folder tells."""
    if not file.is_file():
        return {}
    cells = (line.split() for _, line in source_of(str(file)).lines())
    rows = ((row[0], whole_number(row[2])) for row in cells if len(row) == 3)
    return {key: times for key, times in rows if times is not None}


def _synsets_of_tables(place: Path, part: str) -> Iterator[Synset]:
    senses: dict[str, list[tuple[int, int, str]]] = {}
    for lemma, number, synset, _, tagged in _rows(place / f"{part}_senses.tsv", SENSES, (1, 4)):
        senses.setdefault(synset, []).append((-int(tagged), int(number), lemma.replace("_", " ")))
    above: dict[str, list[str]] = {}
    links = place / f"{part}_hypernyms.tsv"
    for synset, pointer, hypernym in _rows(links, LINKS) if links.is_file() else ():
        if pointer in HYPERNYMS:
            above.setdefault(synset, []).append(f"{hypernym}-{part[0]}")
    for name in dict.fromkeys([*senses, *above]):
        # The table is sorted by lemma: a synset is called by the lemma that is it most often.
        words = [(word, 1.0 - tagged) for tagged, _, word in sorted(senses.get(name, ()))]
        yield Synset(f"{name}-{part[0]}", words, above.get(name, []))


def _rows(file: Path, expected: str, numbers: Sequence[int] = ()) -> Iterator[list[str]]:
    """The cells of each line, as many as are expected, some of them whole numbers."""
    problems = Problems(str(file))
    width = len(expected.split(", "))
    for number, line in source_of(str(file)).lines():
        cells = line.split("\t")
        if len(cells) == width and all(whole_number(cells[at]) is not None for at in numbers):
            yield cells
        elif line.strip():
            problems.add(number, f"{line[:60]!r}; expected {expected}")
    problems.check()


def _synset_of_package(found: Any) -> Synset:
    senses = [(sense.word().lemma(), 1.0 + sum(sense.counts())) for sense in found.senses()]
    above = found.get_related("hypernym", "instance_hypernym")
    return Synset(found.id, senses, [one.id for one in above])
