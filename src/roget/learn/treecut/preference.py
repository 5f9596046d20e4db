"""Selectional preferences: the classes of words that a head prefers, e.g. as its object."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from roget import catalogue
from roget.core.counts import Counts, NotCounted
from roget.core.counts.matrix import split_slot
from roget.core.progress import Report
from roget.errors import InputError, UnknownName
from roget.learn.clustering.notices import ignore_trivial
from roget.learn.options import CutOptions, PreferOptions
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus
from roget.learn.treecut.estimator import CutClass, TreeCut
from roget.learn.treecut.hierarchy import WordHierarchy

TOP, LEAST_WORD, LEAST_CONTEXT = 4000, 3, 8
"""Thresholds for learning classes.

They are the maximum number of words, and the minimum counts of a word and of a context.
"""


@dataclass(frozen=True)
class Preference:
    """The classes that a head prefers: its tree cut."""

    context: str
    """Name of the context: the head with its relation."""
    tokens: float
    """Number of tokens in the context."""
    unknown: float
    """Fraction of tokens with words that are not in the thesaurus."""
    description_length: float
    """Description length of the tree cut in nats."""
    classes: tuple[CutClass, ...]
    """The classes, most preferred first, without duplicates."""


def prefer(
    counts: Counts,
    head: str,
    slot: str | None = None,
    *,
    thesaurus: Thesaurus | Taxonomy | WordHierarchy,
    words: bool = CutOptions.words,
    penalty: float = CutOptions.penalty,
    senses: str = CutOptions.senses,
) -> Preference:
    """Return the classes of words that a head prefers, for example as objects of "eat".

    The contexts of the counts are heads, optionally with a relation (slot), as in "obj:eat". The
    prior of a class is estimated from all heads with the same relation. For the options see
    `TreeCut`.
    """
    context = find_context(counts, head, slot)
    there = split_slot(context)[0]
    same = [name for name in counts.contexts.tolist() if split_slot(name)[0] == there]
    model = TreeCut(thesaurus, words, penalty, senses).fit(counts.select(contexts=same))
    at = same.index(context)
    tokens = counts.context_totals[counts.context_id(context)].item()
    return Preference(
        context,
        tokens,
        float(model.unknown_[at]),
        float(model.description_length_[at]),
        tuple(_join(model.cut(context))),
    )


def find_context(counts: Counts, head: str, slot: str | None = None) -> str:
    """Return the context of a head in a relation.

    `slot` may be omitted if the head has only one relation.
    """
    names = counts.contexts.tolist()
    if slot is None and head in set(names):
        return head
    slots = {split_slot(name)[0] for name in names} - {""}
    if slot is not None and not slots:
        if slot not in counts.relations:
            known = f", only {', '.join(counts.relations)}" if counts.relations else ""
            raise InputError(
                f"slot {slot!r} does not apply, because the counts have no slots{known}; omit the "
                "slot",
                code="conflicting-options",
            )
        return str(names[counts.context_id(head)])
    if slot is not None and slot not in slots:
        raise UnknownName("slot", slot, slots)
    found = [name for name in names if split_slot(name)[1] == head]
    if not found:
        raise NotCounted("head", head, dict.fromkeys(split_slot(name)[1] for name in names))
    by_slot = {split_slot(name)[0]: name for name in found}
    if slot is None and len(found) == 1:
        return str(found[0])
    if slot is None or slot not in by_slot:
        choices = ", ".join(
            f"{one} ({counts.context_totals[names.index(by_slot[one])]:,})" for one in by_slot
        )
        problem = "occurs in several slots" if slot is None else f"does not occur in slot {slot!r}"
        code = "missing-option" if slot is None else "invalid-option"
        raise InputError(f"{head!r} {problem}; choose one of {choices}", code=code)
    return str(by_slot[slot])


def learn_classes(
    counts: Counts,
    method: str = PreferOptions.method,
    seed: int = PreferOptions.seed,
    progress: Report | None = None,
) -> Thesaurus:
    """Learn a thesaurus of the frequent words in the given counts, using all contexts."""
    frequent = counts.min_count(LEAST_WORD, LEAST_CONTEXT)
    chosen = (frequent if frequent.entries else counts).top(TOP).largest_component()
    if not chosen.entries:
        raise InputError("cannot learn a thesaurus: the counts are empty", code="empty-input")
    model = catalogue.load("clusterers", method).make(random_state=seed, progress=progress)
    with ignore_trivial():  # A trivial clustering is acceptable here.
        model.fit(chosen)
    return Thesaurus.from_clustering(chosen, model)


def _join(cut: list[CutClass]) -> list[CutClass]:
    """Merge classes and words that occur in a cut more than once."""
    groups: dict[tuple[str, str], list[CutClass]] = {}
    for one in cut:
        groups.setdefault((one.id, one.label), []).append(one)
    found = []
    for same in groups.values():
        words: defaultdict[str, float] = defaultdict(float)
        for one in same:
            for word, count in one.words:
                words[word] += count
        found.append(
            same[0]._replace(
                probability=sum(one.probability for one in same),
                prior=sum(one.prior for one in same),
                size=sum(one.size for one in same),
                words=tuple(sorted(words.items(), key=lambda item: (-item[1], item[0]))),
            )
        )
    return sorted(found, key=lambda one: (-one.association, one.label))
