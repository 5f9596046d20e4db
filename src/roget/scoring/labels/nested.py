"""Labels from general to special: paths such as a/b/c, lists of labels, several columns; and the
tables and files of roget's own thesauri that have paths.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.io.problems import Problems, plural
from roget.core.io.values import TooDeep, parse_json, whole_number
from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import FormatError, InputError
from roget.scoring.labels.hierarchy import Hierarchy, merge_leaves, order_splits
from roget.scoring.labels.labels import Factors, Labels, code_texts
from roget.scoring.labels.table import ColumnMap, Columns, NoItems, has_several, number

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile

LISTS = "lists"
"""What `levels` says where each item has a list of labels."""

PATHS = ("word", "class_path")
"""Columns of a thesaurus's table: words, and the nodes from the root to their classes."""


def plant(
    paths: Sequence[Sequence[str]],
    items: Sequence[str] | None,
    *,
    leveled: bool,
    kind: str,
    source: str,
    alone: bool = False,
) -> Hierarchy:
    """The tree whose nodes are the beginnings of paths, with each item where its path ends.

    Nodes that are called by numbers, as in thesauri, are split in the order of these. Levels are
    labels `alone`, or with all that are above them.
    """
    known = {tuple(map(str, path)): 0 for path in paths}
    if not known:
        raise InputError(f"{source}: no items")
    if any(not all(path) or not path for path in known):
        raise InputError(f"{source}: a label of no letters; expected one at each level")
    # All paths may begin at one root; if not, there is one above them.
    roots = {path[0] for path in known}
    above = () if len(roots) == 1 and not leveled else ("",)
    numbers: dict[tuple[int, str], int] = {}
    parent: list[int] = []
    names: list[str] = []
    for path in known:
        node = -1
        for part in (*above, *path):
            child = numbers.setdefault((node, part), len(names))
            if child == len(names):
                parent.append(node)
                names.append(f"{names[node]}/{part}" if leveled and node > 0 else part)
            node = child
        known[path] = node
    at = np.array([known[tuple(map(str, path))] for path in paths], dtype=np.int64)
    tree, codes = merge_leaves(np.array(parent, dtype=np.int64), at)
    names += [names[node] for node in tree.parent[len(names) :].tolist()]
    order = _order_numbers(tree, names) if not leveled else None
    if order is None:
        order = order_splits(tree, np.bincount(codes, minlength=tree.n_clusters), None)
    levels = _level(paths, alone) if leveled else ()
    return Hierarchy(tree.with_order(order), codes, items, names, levels, kind, source)


def _order_numbers(tree: Tree, names: Sequence[str]) -> Ints | None:
    """Order inner nodes by the lowest number of their children, if all names are numbers."""
    numbers = [whole_number(name) for name in names]
    if None in numbers:
        return None
    parent, called = tree.parent, np.array(numbers, dtype=np.int64)
    lowest = np.full(parent.size, np.iinfo(np.int64).max)
    np.minimum.at(lowest, parent[1:], called[1:])
    inner = np.flatnonzero(tree.cluster < 0)
    below = inner[inner > 0]
    if np.any(lowest[parent[below]] > lowest[below]):
        return None
    # The root comes first, whatever the numbers of its children.
    return inner[np.lexsort((inner, np.where(inner > 0, lowest[inner], -1)))]


def _level(paths: Sequence[Sequence[str]], alone: bool) -> tuple[Factors, ...]:
    """The labels of each level; an item whose path has ended keeps its last."""
    depth = max(map(len, paths))
    ends = [[min(level, len(path)) for path in paths] for level in range(1, depth + 1)]
    return tuple(
        code_texts(
            [
                str(path[end - 1]) if alone else "/".join(map(str, path[:end]))
                for path, end in zip(paths, each, strict=True)
            ]
        )
        for each in ends
    )


def split_labels(labels: Labels, sign: str) -> Labels:
    """The same items in the tree that their labels name, level by level, parted by a sign.

    Labels without the sign, of a side of one level, stay as they are.
    """
    if labels.weighted:
        raise InputError(f"{labels.source}: levels need one label for each item, without weights")
    texts = [labels.label(code) for code in range(labels.n_labels)]
    if not any(sign in text for text in texts):
        return labels
    parts = [[part.strip() for part in text.split(sign)] for text in texts]
    return _attach(labels, [parts[code] for code in _need_all(labels)], sign)


def _need_all(labels: Labels) -> list[int]:
    codes: list[int] = labels.codes.tolist()
    if not labels.complete and min(codes, default=0) < 0:
        raise InputError(f"{labels.source}: an item has no label; levels need one for each item")
    return codes


def _attach(
    labels: Labels, paths: Sequence[Sequence[str]], sign: str, *, alone: bool = False
) -> Labels:
    tree = plant(
        paths, labels.items, leveled=True, kind=f"levels({sign})", source=labels.source, alone=alone
    )
    found = tree.to_labels()
    return replace(
        labels, codes=found.codes, n_labels=found.n_labels, names=found.names, offset=0, tree=tree
    )


def read_levels(
    source: Any, sign: str | None, labels: str | None, columns: Columns, *, gold: bool
) -> Labels:
    """One side's labels, with the tree that its levels make if it has more than one.

    They are parted by a sign, in lists, or in several columns: label=coarse+fine.
    """
    from roget.scoring.labels.read import LabelFile, as_labels, looks_like_json

    read = partial(as_labels, labels=labels, gold=gold)
    if has_several(columns):
        try:
            return read(source, columns=columns)
        except InputError:
            # No column has this whole name.
            return _join_columns(source, columns, read)
    if sign is None or hasattr(source, "to_labels"):
        return read(source, columns=columns)
    if sign != LISTS:
        return split_labels(read(source, columns=columns), sign)
    if isinstance(source, str | os.PathLike):
        with LabelFile(source) as file:
            is_json = looks_like_json(file.first_line()[1])
            found = _read_json_lists(file) if is_json else None
    else:
        found = read_lists(source, "the gold labels" if gold else "the system labels")
    return read(source, columns=columns) if found is None else found


def _join_columns(source: Any, columns: Columns, read: Callable[..., Labels]) -> Labels:
    """Labels in several columns, general to special."""
    chosen = str(columns["label"])
    parts = []
    for name in chosen.split("+"):
        one = ColumnMap({**columns, "label": name.strip()})
        one.side = getattr(columns, "side", "")
        parts.append(read(source, columns=one))
    first = parts[0]
    for part in parts:
        if part.weighted:
            raise InputError(f"{part.source}: levels need one label for each item, no weights")
        _need_all(part)
    texts = [[part.label(code) for code in range(part.n_labels)] for part in parts]
    told = [
        [names[code] for code in part.codes.tolist()]
        for names, part in zip(texts, parts, strict=True)
    ]
    return _attach(first, list(zip(*told, strict=True)), "columns", alone=True)


def read_lists(source: Any, name: str) -> Labels | None:
    """The levels of data in memory: a list of labels for each item, or a mapping to such lists.

    None where no item has a list.
    """
    items, values = None, source
    if isinstance(source, Mapping):
        items, values = [str(key) for key in source], list(source.values())
    if not isinstance(values, list | tuple) or not values:
        return None
    if not any(isinstance(value, list | tuple) for value in values):
        return None
    for at, value in enumerate(values):
        if not isinstance(value, list | tuple) or not value:
            shown = repr(value) if items is None else f"{value!r} of item {items[at]!r}"
            raise InputError(f"{name}: found {shown:.80}; expected a list of labels for each item")
    tree = plant(values, items, leveled=True, kind="levels(lists)", source=name, alone=True)
    return tree.to_labels()


def _read_json_lists(file: LabelFile) -> Labels | None:
    """The levels of a file of JSON: an array of lists, or objects whose label is a list."""
    try:
        value = parse_json(file.text())
    except ValueError:
        value = [_load(file.name, line, text) for line, text in file.lines() if text.strip()]
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        keys = {key.lower(): key for key in value[0]}
        label = next((keys[k] for k in ("label", "labels") if k in keys), None)
        item = next((keys[k] for k in ("item", "id", "instance") if k in keys), None)
        if label is None:
            return None
        if item is None:
            return read_lists([one.get(label) for one in value], file.name)
        mapped = {str(one.get(item)): one.get(label) for one in value}
        if len(mapped) < len(value):
            raise InputError(f"{file.name}: an item is there twice; expected it once")
        return read_lists(mapped, file.name)
    return read_lists(value, file.name)


def _load(name: str, line: int, text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        said = f"{name}:{line}: not JSON: {error}; expected one value per line"
        raise FormatError(name, [said]) from None


# ---- what roget writes of a thesaurus


def read_paths(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The table of a thesaurus: each word where it has its place."""
    problems = Problems(file.name)
    rows = iter(file.lines())
    names = next(rows, (1, ""))[1].split("\t")
    if not any(names):
        raise NoItems(f"{file.name}: no items")
    if missing := [name for name in PATHS if name not in names]:
        there = ", ".join(names)
        raise InputError(f"{file.name}: no column {missing[0]!r}; there are: {there}")
    at_word, at_path = (names.index(name) for name in PATHS)
    at_share = names.index("probability") if "probability" in names else None
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for line, text in rows:
        if not text.strip():
            continue
        cells = text.split("\t")
        if len(cells) != len(names):
            said = f"{plural(len(cells), 'field')}; expected {len(names)}, as in the first line"
            problems.add(line, said)
            continue
        share = 1.0 if at_share is None else number(cells[at_share])
        if share is None or not share >= 0:
            problems.add(line, f"the probability {cells[at_share or 0]!r} is not one")
            continue
        word, path = cells[at_word], tuple(cells[at_path].split("/"))
        if found.setdefault(word, {}).setdefault(path, share) != share:
            problems.add(line, f"{word!r} is in {cells[at_path]!r} again, with another probability")
    problems.check()
    paths = [_descend(list(answers.items())) for answers in found.values()]
    kind = "thesaurus(places)"
    return plant(paths, list(found), leveled=False, kind=kind, source=file.name).to_labels()


def _descend(answers: Sequence[tuple[tuple[str, ...], float]]) -> tuple[str, ...]:
    """A word's place: from the root, at every split, the side to which it belongs more."""
    depth = 1
    while len(answers) > 1:
        # Paths that differ have beginnings that differ, also where one ends earlier.
        shares: dict[tuple[str, ...], float] = {}
        for path, share in answers:
            side = path[:depth]
            shares[side] = shares.get(side, 0.0) + share
        best = max(shares, key=lambda side: shares[side])
        answers = [one for one in answers if one[0][:depth] == best]
        depth += 1
    return answers[0][0]


def read_brown(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """Brown's paths: bits, tab, word[, tab, count]."""
    problems = Problems(file.name)
    items: list[str] = []
    paths: list[str] = []
    for line, text in file.lines():
        if not text.strip():
            continue
        cells = text.split("\t")
        if len(cells) not in (2, 3) or cells[0].strip("01"):
            problems.add(line, f"found {text!r:.60}; expected bits, a tab and a word")
            continue
        paths.append(cells[0])
        items.append(cells[1])
    problems.check()
    kind = "brown"
    # The root is above the first bit.
    ways = [("r", *path) for path in paths]
    return plant(ways, items, leveled=False, kind=kind, source=file.name).to_labels()


def read_json(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The JSON of a thesaurus: classes within classes, with their words."""
    text = file.text()
    try:
        tree = parse_json(text)["tree"]
    except TooDeep:
        raise InputError(f"{file.name}: nested too deeply; export the tree as newick") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file.name}: not the JSON of a thesaurus: {error!r}") from None
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
        raise InputError(f"{file.name}: not the JSON of a thesaurus: {error!r}") from None
    kind = "thesaurus(places)"
    return plant(paths, items, leveled=False, kind=kind, source=file.name).to_labels()


def _name_word(word: Any, place: str) -> str:
    """A word as an item: its text, also where JSON has a number for it."""
    if isinstance(word, bool) or not isinstance(word, str | int | float):
        raise InputError(f"{place}: the word is {word!r:.60}; expected text or a number")
    return str(word)
