"""Match the documents of a coreference gold file and a system file by name."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from roget.core.io.problems import join_names, plural
from roget.errors import InputError, Notice
from roget.scoring.labels.labels import Labels

_CONLL_PART = re.compile(r"\((.*)\);\s*part\s+(\d+)")
_NUMBERED = re.compile(r"(.+)_(\d+)")
_MOST_SHOWN = 3
"""Maximum number of documents named in a message."""


def split_part(name: str) -> tuple[str, int]:
    """Return a document name without its part number, and the part number (or 0).

    >>> split_part("(nw/doc); part 002"), split_part("nw/doc_2"), split_part("nw/doc")
    (('nw/doc', 2), ('nw/doc', 2), ('nw/doc', 0))
    """
    part = _CONLL_PART.fullmatch(name) or _NUMBERED.fullmatch(name)
    return (name, 0) if part is None else (part[1], int(part[2]))


def match_documents(gold: Labels, system: Labels) -> tuple[Labels, list[Notice]]:
    """Rename the system's documents as in gold, and return notices about documents that differ.

    Names must be equal, or denote the same part in the notation of CoNLL files, of JSON files
    (X_0), or without a part number (part 0).
    """
    if gold.group_names is None or system.group_names is None:
        return system, []
    names, own = list(gold.group_names), list(system.group_names)
    known, taken = set(names), set(own)
    free = [name for name in names if name not in taken]
    parts = Counter(map(split_part, free))
    others = Counter(split_part(name) for name in own if name not in known)
    # Names that denote the same part as several other names are not renamed.
    by_part = {split_part(name): name for name in free if parts[split_part(name)] == 1}
    renamed = [
        name if name in known or others[split_part(name)] > 1 else by_part.get(split_part(name))
        for name in own
    ]
    found = [name if new is None else new for name, new in zip(own, renamed, strict=True)]
    system = replace(system, group_names=found)
    if known.isdisjoint(found):
        raise InputError(
            f"{system.source} and {gold.source} have no document in common: found documents such "
            f"as {own[0]!r}, expected documents such as {names[0]!r}",
            code="no-common-items",
        )
    return system, [*_warn_documents(gold, system), *_warn_lengths(gold, system)]


def _warn_documents(gold: Labels, system: Labels) -> list[Notice]:
    """Return notices about documents that are only in gold or only in the system."""
    names, own = list(gold.group_names or ()), list(system.group_names or ())
    in_gold, in_system = set(names), set(own)
    gone = [name for name in names if name not in in_system]
    more = [name for name in own if name not in in_gold]
    notices = []
    if gone:
        verb = "is" if len(gone) == 1 else "are"
        text = (
            f"{len(gone):,} of {plural(len(names), 'document', ',')} of {gold.source} {verb} not "
            f"in {system.source}: {_list_names(gone)}; all mentions there count as missed"
        )
        notices.append(Notice(text, code="missing-documents"))
    if more:
        verb = "is" if len(more) == 1 else "are"
        text = (
            f"{plural(len(more), 'document', ',')} of {system.source} {verb} not in "
            f"{gold.source}: {_list_names(more)}; not scored"
        )
        notices.append(Notice(text, code="extra-documents"))
    return notices


def _warn_lengths(gold: Labels, system: Labels) -> list[Notice]:
    """Return a notice about documents that have more or fewer words than in gold."""
    lengths = dict(zip(gold.group_names or (), gold.lengths, strict=False))
    found = zip(system.group_names or (), system.lengths, strict=False)
    differ = [
        (name, length)
        for name, length in found
        # JSON files do not contain the words.
        if length and lengths.get(name) and lengths[name] != length
    ]
    if not differ:
        return []
    name, length = differ[0]
    verb = "has" if len(differ) == 1 else "have"
    text = (
        f"{plural(len(differ), 'document', ',')} of {system.source} {verb} other words than in "
        f"{gold.source}, so mentions may not match: {name!r} has {length:,} words, expected "
        f"{lengths[name]:,}"
    )
    return [Notice(text, code="different-length")]


def _list_names(names: list[str]) -> str:
    return join_names([repr(name) for name in names], _MOST_SHOWN)
