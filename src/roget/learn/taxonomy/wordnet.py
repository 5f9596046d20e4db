"""Readers for WordNets: Princeton data files, tables, and lexicons from the `wn` package."""

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
from roget.learn import options
from roget.learn.taxonomy.taxonomy import Taxonomy

PARTS = {part: number for number, part in enumerate(options.PARTS, 1)}
"""Parts of speech with hypernyms, and their numbers in sense keys."""

HYPERNYMS = ("@", "@i")

SENSES = "lemma, sense number, synset, lexicographer file, tag count"
LINKS = "synset, pointer, hypernym"


class Synset(NamedTuple):
    """A WordNet synset, with its words and hypernyms."""

    name: str
    senses: list[tuple[str, float]]
    """Words of the synset, each with its tag count plus one. The label is the first word."""
    hypernyms: list[str]


def read(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """Read nouns, verbs or both from a folder or a data file. Synsets become classes.

    Underscores become spaces. In some releases, verbs form cycles, which are broken.
    """
    folder, named = place, place.suffix.removeprefix(".")
    files = {one: place / f"data.{one}" for one in _choose_parts(part)}
    if not place.is_dir():
        folder, files = place.parent, {named: place}
        if named not in PARTS:
            raise InputError(
                f"{place}: expected a folder, or a file data.noun or data.verb",
                code="unsupported-format",
            )
    files = {one: file for one, file in files.items() if file.is_file()}
    if not files:
        missing = "data.noun and data.verb are" if part is None else f"data.{part} is"
        raise InputError(f"{place}: {missing} missing", code="file-not-found")
    tagged = _read_tags(folder / "cntlist.rev")
    return _assemble({one: _synsets(file, one, tagged) for one, file in files.items()})


def read_tables(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """Read nouns, verbs or both from a folder of tables.

    The columns of noun_senses.tsv are lemma, sense number, synset, lexicographer file and tag
    count. The columns of noun_hypernyms.tsv are synset, pointer (@ or @i) and hypernym. The tables
    of verbs have the same columns. Underscores become spaces.
    """
    names = {one: f"{one}_senses.tsv" for one in _choose_parts(part)}
    found = [one for one, name in names.items() if (place / name).is_file()]
    if not found:
        raise InputError(f"{place}: {' and '.join(names.values())} missing", code="file-not-found")
    return _assemble({one: _synsets_of_tables(place, one) for one in found})


def read_package(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """Read nouns, verbs or both from a lexicon of the `wn` package.

    Lexicons are not downloaded automatically. Use `python -m wn download ID`.
    """
    with name_extra():
        wn: Any = importlib.import_module("wn")
    id = str(place).removeprefix("wn:")
    try:
        # Exclude relations of other lexicons (expand="").
        lexicon = wn.Wordnet(id, expand="")
    except wn.Error as error:
        there = ", ".join(sorted(f"wn:{one.specifier()}" for one in wn.lexicons())) or "none"
        raise InputError(
            f"wn:{id}: {error}; installed lexicons: {there}; try python -m wn download {id}",
            code="file-not-found",
        ) from None
    requested = _choose_parts(part)
    parts = {one: synsets for one in requested if (synsets := lexicon.synsets(pos=one[0]))}
    if not parts:
        raise InputError(
            f"wn:{id} contains no {' or '.join(f'{one}s' for one in requested)}", code="empty-input"
        )
    return _assemble({one: map(_synset_of_package, found) for one, found in parts.items()})


def _choose_parts(part: str | None) -> list[str]:
    """Return the requested parts of speech (default: all)."""
    return [one for one in PARTS if part in (None, one)]


def _assemble(parts: Mapping[str, Iterable[Synset]]) -> Taxonomy:
    """Make a taxonomy from synsets. Each part of speech gets a top class if there are several."""
    taxonomy = Taxonomy("WordNet" if len(parts) > 1 else next(iter(parts)), loops=True)
    for part, listed in parts.items():
        if len(parts) > 1:
            taxonomy.labels[part] = part
        synsets = list(listed)
        known = {one.name for one in synsets}
        for one in synsets:
            # Inner synsets may have no words.
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
        if line.startswith("  ") or not line.strip():  # Skip the licence text.
            continue
        try:
            yield _synset(line, part, tagged)
        except (ValueError, IndexError):
            problems.add(number, f"{line[:60]!r}; expected a synset")
    problems.check()


def _synset(line: str, part: str, tagged: Mapping[str, int]) -> Synset:
    """Parse a line of a data file.

    Its fields are offset, file, type, number of words (hexadecimal), words, number of pointers, and
    pointers.
    """
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
    # A pointer has four fields: symbol, target, part of speech, and a field that is not used here.
    listed = pointers[1 : 1 + 4 * int(pointers[0])]
    linked = zip(listed[::4], listed[1::4], listed[2::4], strict=True)
    above = [f"{target}-{its}" for sign, target, its in linked if sign in HYPERNYMS]
    return Synset(f"{offset}-{part[0]}", senses, above)


def _read_tags(file: Path) -> dict[str, int]:
    """Read the tag count of each sense key. Return an empty mapping if the file is missing."""
    if not file.is_file():
        return {}
    cells = (line.split() for _, line in source_of(str(file)).lines())
    rows = ((row[0], whole_number(row[2])) for row in cells if len(row) == 3)
    return {key: times for key, times in rows if times is not None}


def _synsets_of_tables(place: Path, part: str) -> Iterator[Synset]:
    """Yield the synsets in a folder of tables."""
    senses: dict[str, list[tuple[int, int, str]]] = {}
    for lemma, number, synset, _, tagged in _rows(place / f"{part}_senses.tsv", SENSES, (1, 4)):
        senses.setdefault(synset, []).append((-int(tagged), int(number), lemma.replace("_", " ")))
    above: dict[str, list[str]] = {}
    links = place / f"{part}_hypernyms.tsv"
    for synset, pointer, hypernym in _rows(links, LINKS) if links.is_file() else ():
        if pointer in HYPERNYMS:
            above.setdefault(synset, []).append(f"{hypernym}-{part[0]}")
    for name in dict.fromkeys([*senses, *above]):
        # The table is sorted by lemma. Use a synset's most frequent lemma as its label.
        words = [(word, 1.0 - tagged) for tagged, _, word in sorted(senses.get(name, ()))]
        yield Synset(f"{name}-{part[0]}", words, above.get(name, []))


def _rows(file: Path, expected: str, numbers: Sequence[int] = ()) -> Iterator[list[str]]:
    """Yield the cells of each line of a table. The columns in `numbers` must be integers."""
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
    """Convert a synset from the `wn` package."""
    senses = [(sense.word().lemma(), 1.0 + sum(sense.counts())) for sense in found.senses()]
    above = found.get_related("hypernym", "instance_hypernym")
    return Synset(found.id, senses, [one.id for one in above])
