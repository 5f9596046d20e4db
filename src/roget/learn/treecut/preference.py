"""What a head prefers in a slot: the classes of its tree cut, for people to read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from roget import catalogue
from roget.core.counts import Counts, NotCounted
from roget.core.counts.matrix import split_slot
from roget.core.progress import Report
from roget.errors import InputError, UnknownName
from roget.learn.clustering.notices import ignore_trivial
from roget.learn.command_options import CutOptions, PreferOptions
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus
from roget.learn.treecut.estimator import CutClass, TreeCut
from roget.learn.treecut.hierarchy import WordHierarchy

TOP, LEAST_WORD, LEAST_CONTEXT = 4000, 3, 8
"""Of the counts that classes are learnt from: how many words, and how often seen at least."""


@dataclass(frozen=True)
class Preference:
    """The tree cut of one head."""

    context: str
    """The head and its slot as the counts name them."""
    tokens: float
    """How many words stood there."""
    unknown: float
    """The share of them that the thesaurus does not know, and the cut leaves out."""
    description_length: float
    """Of the cut, nats."""
    classes: tuple[CutClass, ...]
    """Those first that are most preferred; copies of a class below several parents are one."""


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
    """The classes of words that a head prefers, such as the objects of "eat".

    Contexts are verbs, or slots and verbs, "obj:eat". How likely a class is anyway, its prior, is
    taken from all heads in the same slot. For the options see `TreeCut`.
    """
    context = context_of(counts, head, slot)
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


def context_of(counts: Counts, head: str, slot: str | None = None) -> str:
    """The context of a head in a slot; without one, that of a head which stands in one only."""
    names = counts.contexts.tolist()
    if slot is None and head in set(names):
        return head
    slots = {split_slot(name)[0] for name in names} - {""}
    if slot is not None and not slots:
        if slot not in counts.relations:
            known = f" but {', '.join(counts.relations)}" if counts.relations else ""
            raise InputError(f"slot {slot!r}: the counts tell of no slots{known}; leave it out")
        return str(names[counts.context_id(head)])
    if slot is not None and slot not in slots:
        raise UnknownName("slot", slot, slots)
    found = [name for name in names if split_slot(name)[1] == head]
    if not found:
        raise NotCounted("head", head, dict.fromkeys(split_slot(name)[1] for name in names))
    there = {split_slot(name)[0]: name for name in found}
    if slot is None and len(found) == 1:
        return str(found[0])
    if slot is None or slot not in there:
        said = ", ".join(
            f"{one} ({counts.context_totals[names.index(there[one])]:,})" for one in there
        )
        wrong = "stands in several slots" if slot is None else f"never stands with {slot!r}"
        raise InputError(f"{head!r} {wrong}; name one of {said}")
    return str(there[slot])


def learn_classes(
    counts: Counts,
    method: str = PreferOptions.method,
    seed: int = PreferOptions.seed,
    progress: Report | None = None,
) -> Thesaurus:
    """A thesaurus of the more frequent words of some counts, in all of their contexts."""
    frequent = counts.min_count(LEAST_WORD, LEAST_CONTEXT)
    chosen = (frequent if frequent.entries else counts).top(TOP).largest_component()
    if not chosen.entries:
        raise InputError("there is nothing to learn a thesaurus from: the counts are empty")
    model = catalogue.load("clusterers", method).make(random_state=seed, progress=progress)
    with ignore_trivial():  # a cut of the tree needs no classes
        model.fit(chosen)
    return Thesaurus.from_clustering(chosen, model)


def _join(cut: list[CutClass]) -> list[CutClass]:
    """A cut with all copies of a class, and all places of a single word, as one."""
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
