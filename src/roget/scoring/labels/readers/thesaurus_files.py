"""Read an exported thesaurus: a table with paths, JSON, or Brown paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roget.core.io.problems import Problems
from roget.core.io.table import Table
from roget.core.io.values import TooDeep, parse_json
from roget.errors import InputError
from roget.scoring.labels.columns import Columns
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.labels.labels import Labels, NoItems
from roget.scoring.labels.readers.base import LabelReader
from roget.scoring.labels.table import number

PATHS = ("word", "class_path")
"""Columns of an exported table: a word, and the path of nodes from the root to the word's class."""

_KIND = "thesaurus(places)"


def read_paths(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read a thesaurus exported as a table. Each word is assigned to one class."""
    problems = Problems(file.name)
    names = next(iter(file.lines()), (1, ""))[1].split("\t")
    if not any(names):
        raise NoItems(f"{file.name}: no items")
    if missing := [name for name in PATHS if name not in names]:
        raise InputError(
            f"{file.name}: no column {missing[0]!r}; the columns are: {', '.join(names)}",
            code="missing-column",
        )
    at_word, at_path = (names.index(name) for name in PATHS)
    at_share = names.index("probability") if "probability" in names else None
    table = Table(file.name, file.plain.path, "tsv", tuple(names), header=True, source=file.plain)
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for line, cells in table.whole_rows(problems):
        share = 1.0 if at_share is None else number(cells[at_share])
        if share is None or not share >= 0:
            text = f"the probability {cells[at_share or 0]!r} is not a number from 0 to 1"
            problems.add(line, text, code="bad-weight")
            continue
        word, path = cells[at_word], tuple(cells[at_path].split("/"))
        if found.setdefault(word, {}).setdefault(path, share) != share:
            text = f"{word!r} has two different probabilities in {cells[at_path]!r}"
            problems.add(line, text, code="duplicate-item")
    problems.check()
    paths = [_descend(list(places.items())) for places in found.values()]
    return Hierarchy.from_paths(
        paths, list(found), leveled=False, kind=_KIND, source=file.name
    ).to_labels()


def _descend(places: Sequence[tuple[tuple[str, ...], float]]) -> tuple[str, ...]:
    """Find the class of a word by descending from the root, always to the most probable child."""
    depth = 1
    while len(places) > 1:
        # Compare prefixes of the paths. Two different paths always differ in some prefix, even if
        # one path is the beginning of the other.
        shares: dict[tuple[str, ...], float] = {}
        for path, share in places:
            side = path[:depth]
            shares[side] = shares.get(side, 0.0) + share
        best = max(shares, key=lambda side: shares[side])
        places = [one for one in places if one[0][:depth] == best]
        depth += 1
    return places[0][0]


def read_brown(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read Brown paths: lines with a bit string, a tab and a word, optionally a tab and a count."""
    problems = Problems(file.name)
    items: list[str] = []
    paths: list[tuple[str, ...]] = []
    for line, text in file.lines():
        if not text.strip():
            continue
        cells = text.split("\t")
        if len(cells) not in (2, 3) or cells[0].strip("01"):
            problems.add(line, f"found {text!r:.60}; expected a bit string, a tab and a word")
            continue
        # The bits do not include the root, so add it.
        paths.append(("r", *cells[0]))
        items.append(cells[1])
    problems.check()
    return Hierarchy.from_paths(
        paths, items, leveled=False, kind="brown", source=file.name
    ).to_labels()


def read_json(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read a thesaurus exported as JSON, i.e. nested classes with their words."""
    text = file.text()
    try:
        tree = parse_json(text)["tree"]
    except TooDeep:
        raise InputError(
            f"{file.name}: the JSON is nested too deeply; export the tree in Newick format",
            code="broken-lines",
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise _not_a_thesaurus(file, error) from None
    items: list[str] = []
    paths: list[tuple[str, ...]] = []
    waiting: list[tuple[tuple[str, ...], Any]] = [((), tree)]
    try:
        while waiting:
            above, one = waiting.pop()
            path = (*above, str(one["node"]))
            waiting += [(path, child) for child in reversed(one.get("children", ()))]
            placed = [word["word"] for word in one.get("words", ()) if word["placed"]]
            items += [_name_word(word, f"{file.name}: class {path[-1]:.60}") for word in placed]
            paths += [path] * len(placed)
    except (KeyError, TypeError) as error:
        raise _not_a_thesaurus(file, error) from None
    return Hierarchy.from_paths(
        paths, items, leveled=False, kind=_KIND, source=file.name
    ).to_labels()


def _not_a_thesaurus(file: LabelFile, error: Exception) -> InputError:
    return InputError(
        f"{file.name}: not a thesaurus exported as JSON: {error!r}", code="unsupported-format"
    )


def _name_word(word: Any, place: str) -> str:
    """Return a word as a string. In JSON, it may be a number."""
    if isinstance(word, bool) or not isinstance(word, str | int | float):
        raise InputError(
            f"{place}: the word is {word!r:.60}; expected a string or a number",
            code="broken-lines",
        )
    return str(word)


def _sniff_paths(lines: Sequence[str]) -> bool:
    return set(PATHS) <= set(lines[0].split("\t"))


def _sniff_json(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and lines[1].startswith('"tree": ')


PATHS_READER = LabelReader(
    "The table of a thesaurus, with the path of each word.",
    sniff=_sniff_paths,
    labels=read_paths,
    is_tree=True,
    inside=("tsv",),
)
JSON = LabelReader(
    "The JSON of a thesaurus.", sniff=_sniff_json, labels=read_json, is_tree=True, inside=("jsonl",)
)
BROWN = LabelReader(
    "Brown paths: bits, a tab and a word.", (".paths",), labels=read_brown, is_tree=True
)
