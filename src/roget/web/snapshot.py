"""A thesaurus at one revision, with the tables that several views need."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from roget.core.counts import Counts
from roget.core.information import bits
from roget.errors import InputError
from roget.learn.representation.background import KEY as BACKGROUND
from roget.learn.representation.background import reopen_background
from roget.learn.thesaurus import Thesaurus, quality
from roget.learn.usage.sketch import Sketches
from roget.report.contexts import ContextPhrases
from roget.report.format import brief
from roget.web.search import Search, fold

if TYPE_CHECKING:
    from roget.web.views.compare import Side


class CountsTables:
    """Tables derived from the counts only, so edits of the classes do not change them."""

    def __init__(self, counts: Counts, background: Mapping[str, Any] | None = None) -> None:
        self.counts = counts
        self._background = background

    @cached_property
    def search(self) -> Search:
        """The search index of the words."""
        return Search(map(str, self.counts.words), self.counts.word_totals.tolist())

    @cached_property
    def phrase(self) -> ContextPhrases:
        """The function that converts contexts to phrases such as "open …"."""
        return ContextPhrases(self.counts)

    @cached_property
    def general_shares(self) -> dict[str, float]:
        """The share of each word in the tokens of the background.

        It is empty without a background, or if the background was moved.
        """
        try:
            found = reopen_background(self._background)
        except InputError:
            return {}
        if found is None:
            return {}
        shares = found.counts.word_totals / max(float(found.counts.total), 1e-300)
        return dict(zip(map(str, found.counts.words), shares.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class ThesaurusSnapshot:
    """A thesaurus at one revision. Immutable, so a request never sees a partly applied edit.

    Parameters
    ----------
    thesaurus : the thesaurus.
    name : the name that pages show.
    revision : the number of edits made in this session.
    side : the thesaurus or gold standard to compare with.
    path : the folder or file of the thesaurus; None if it is in memory only.
    imported : True if `path` is not a thesaurus folder, so edits cannot be saved there.
    """

    thesaurus: Thesaurus
    name: str
    revision: int = 0
    side: Side | None = None
    path: Path | None = None
    imported: bool = True
    comparisons: dict[int, Any] = field(default_factory=dict)
    """The most recent comparisons, keyed by the number of classes. See `views.compare`."""
    known: CountsTables | None = field(default=None, repr=False)
    """The tables of an earlier snapshot with the same counts."""

    @cached_property
    def tables(self) -> CountsTables:
        """The tables derived from the counts."""
        record = self.thesaurus.provenance.get(BACKGROUND)
        return self.known or CountsTables(self.thesaurus.counts, record)

    @cached_property
    def labels(self) -> list[str]:
        """The label of every node."""
        return [self.thesaurus.label(node) for node in range(self.thesaurus.tree.n_nodes)]

    @cached_property
    def sizes(self) -> list[int]:
        """The number of words of every node."""
        sizes: list[int] = self.thesaurus.index.places.sizes.tolist()
        return sizes

    @cached_property
    def shares(self) -> list[float]:
        """The probability of every node, rounded for display."""
        return [cast(float, brief(one)) for one in self.thesaurus.index.places.shares.tolist()]

    @cached_property
    def trust(self) -> list[float | None]:
        """The trust in every node, rounded for display."""
        return [brief(one) for one in quality.mean_trust(self.thesaurus)]

    @property
    def shown(self) -> set[int]:
        """The nodes that the tree and paths show: the classes of the levels, or all classes."""
        return self.thesaurus.index.shown

    def shown_children(self, node: int) -> list[int]:
        """Return the shown subclasses of a node."""
        waiting, found = list(self.thesaurus.tree.children(node)), []
        while waiting:
            below = waiting.pop(0)
            if below in self.shown:
                found.append(below)
            else:
                waiting[:0] = self.thesaurus.tree.children(below)
        return found

    def keyness(self, word: str) -> float | None:
        """Return the frequency of a word divided by its background frequency, if known."""
        counts, share = self.thesaurus.counts, self.tables.general_shares.get(word, 0.0)
        if not share:
            return None
        own = float(counts.word_totals[self.thesaurus.row(word)])
        return brief(own / max(float(counts.total), 1e-300) / share)

    @property
    def search(self) -> Search:
        """The search index of the words."""
        return self.tables.search

    @cached_property
    def folded_labels(self) -> list[str]:
        """The labels, case-folded for searching."""
        return [fold(label) for label in self.labels]

    @cached_property
    def information(self) -> tuple[float, float]:
        """The mutual information of classes and contexts, and of words and contexts."""
        has_counts = float(self.thesaurus.counts.total) > 0
        return quality.information(self.thesaurus) if has_counts else (0.0, 0.0)

    @property
    def phrase(self) -> ContextPhrases:
        """The function that converts contexts to phrases such as "open …"."""
        return self.tables.phrase

    @property
    def sketches(self) -> Sketches:
        """The word sketches."""
        return self.phrase.sketches

    @property
    def columns(self) -> dict[str, int]:
        """The column index of every context."""
        return self.phrase.columns

    def after(self, edited: Thesaurus) -> ThesaurusSnapshot:
        """Return the snapshot after an edit, reusing tables that the edit does not change."""
        same = edited.counts is self.thesaurus.counts
        return replace(
            self,
            thesaurus=edited,
            revision=self.revision + 1,
            comparisons={},
            known=self.tables if same else None,
        )

    @property
    def kind(self) -> str:
        """The kind of value recorded for splits: "beta", "bits" (the bits saved) or "none"."""
        return self.thesaurus.clustering.unit.kind

    def split_value(self, node: int) -> float | None:
        """Return the value recorded for the split of a node: β, bits saved, or the tree's value."""
        value = float(self.thesaurus.tree.value[node])
        return brief(bits(value) if self.kind == "bits" else value)

    @property
    def lock_reason(self) -> str | None:
        """The reason why this thesaurus cannot be edited, or None if it can."""
        path = self.path or Path("thesaurus")
        if self.imported:
            target = f"{path.stem or 'my'}.thesaurus"
            return f"convert it to a thesaurus first: roget export {path} -o {target}"
        if not os.access(path, os.W_OK):
            return f"{path} is not writable"
        return None
