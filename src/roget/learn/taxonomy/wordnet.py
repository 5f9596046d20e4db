"""WordNet as Princeton ships it: a folder with data.noun and data.verb, and perhaps cntlist.rev."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from roget.core.io.problems import Problems
from roget.core.io.source import source_of
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy

PARTS = {"noun": 1, "verb": 2}
"""Parts of speech that have hypernyms, with their numbers in sense keys."""

HYPERNYMS = ("@", "@i")


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
    files = {one: place / f"data.{one}" for one in PARTS} if place.is_dir() else _single(place)
    if part is not None and place.is_dir():
        files = {part: files[part]}
    files = {one: file for one, file in files.items() if file.is_file()}
    if not files:
        wanted = "neither data.noun nor data.verb" if part is None else f"no data.{part}"
        raise InputError(f"{place}: there is {wanted}")
    tagged = _tagged((place if place.is_dir() else place.parent) / "cntlist.rev")
    return taxonomy_of_parts({one: _synsets(file, one, tagged) for one, file in files.items()})


def taxonomy_of_parts(parts: Mapping[str, Iterable[Synset]]) -> Taxonomy:
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


def _single(place: Path) -> dict[str, Path]:
    part = place.suffix.removeprefix(".")
    if part not in PARTS:
        raise InputError(f"{place}: expected a folder, or a file data.noun or data.verb")
    return {part: place}


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
    senses = [
        (
            word.replace("_", " "),
            1.0
            + tagged.get(f"{word.lower()}%{PARTS[part]}:{lexicographer:02}:{int(id, 16):02}::", 0),
        )
        for word, id in zip(words[::2], words[1::2], strict=True)
    ]
    pointers = cells[4 + 2 * count :]
    listed = pointers[1 : 1 + 4 * int(pointers[0])]
    above = [
        f"{target}-{listed[at + 2]}"
        for at, target in enumerate(listed[1:], 0)
        if at % 4 == 0 and listed[at] in HYPERNYMS
    ]
    return Synset(f"{offset}-{part[0]}", senses, above)


def _tagged(file: Path) -> dict[str, int]:
    """How often each sense was tagged in text, where the folder tells."""
    if not file.is_file():
        return {}
    cells = (line.split() for _, line in source_of(str(file)).lines())
    return {row[0]: int(row[2]) for row in cells if len(row) == 3 and row[2].isdigit()}
