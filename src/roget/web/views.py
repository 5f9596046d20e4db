"""Views: what each page shows, as plain data ready for JSON; and what a person searches for."""

from __future__ import annotations

import bisect
import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from roget.core.counts.evidence import EvidenceLine, sort_lines
from roget.core.information import bits
from roget.core.types import Ints
from roget.errors import InputError, UnknownName
from roget.learn.sketch import Collocate, Sketches
from roget.learn.thesaurus import ContextClass, Neighbour, Thesaurus, TypicalContext
from roget.learn.thesaurus.edits import Note
from roget.report.format import brief, part_text

WORDS, CONTEXTS, NEAR, MEMBERSHIPS, OF_SENSE, CLASSES = 60, 24, 16, 12, 8, 8
"""How many of each a page shows at first."""

MOST = 1000
"""The longest list one answer holds."""

LINES, COLLOCATES, COMMON = 40, 12, 8
"""How many concordance lines, collocates of a relation, and contexts of two words there are."""

View = dict[str, Any]


def folded(text: str) -> str:
    """Text without case and accents, as it is compared.

    >>> folded("Café")
    'cafe'
    """
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()


class Search:
    """Completion over words in the order of their rows, the most frequent first among equals.

    >>> search = Search(["tea", "teapot", "steam", "Tee"])
    >>> search.find("te")
    [0, 3, 1, 2]
    """

    def __init__(self, words: Iterable[str], weights: Sequence[float] | None = None) -> None:
        self._folded = [folded(word) for word in words]
        size = len(self._folded)
        order = sorted(range(size), key=self._folded.__getitem__)
        self._sorted = [self._folded[row] for row in order]
        self._order = np.array(order, dtype=np.int64)
        lengths = np.array([len(word) for word in self._folded], dtype=np.int64)
        given = np.zeros(size) if weights is None else np.asarray(weights, dtype=np.float64)
        self._rank = np.empty(size, dtype=np.int64)
        self._rank[np.lexsort((lengths, -given))] = np.arange(size)

    def find(self, typed: str, n: int = 10) -> list[int]:
        """Rows of words: the very word, then those that begin so, then those that hold it."""
        wanted = folded(typed.strip())
        if not wanted:
            return []
        begin = bisect.bisect_left(self._sorted, wanted)
        same = bisect.bisect_right(self._sorted, wanted, lo=begin)
        end = bisect.bisect_left(self._sorted, wanted + "\U0010ffff", lo=same)
        rows = self._best(self._order[begin:same]) + self._best(self._order[same:end])
        if len(rows) < n:
            inside = [
                row
                for row, word in enumerate(self._folded)
                if wanted in word and not word.startswith(wanted)
            ]
            rows += self._best(np.array(inside, dtype=np.int64))
        return rows[:n]

    def _best(self, rows: Ints) -> list[int]:
        found: list[int] = rows[np.argsort(self._rank[rows])].tolist()
        return found


class Views:
    """Every view of one thesaurus; it is never changed, only made anew after an edit."""

    def __init__(self, thesaurus: Thesaurus, name: str) -> None:
        self.thesaurus, self.name = thesaurus, name

    @cached_property
    def labels(self) -> list[str]:
        """The label of every node."""
        return [self.thesaurus.label(node) for node in range(self.thesaurus.tree.n_nodes)]

    @cached_property
    def _search(self) -> Search:
        totals = self.thesaurus.counts.word_totals.tolist()
        return Search(map(str, self.thesaurus.words), totals)

    @cached_property
    def _folded_labels(self) -> list[str]:
        return [folded(label) for label in self.labels]

    @cached_property
    def _information(self) -> tuple[float, float]:
        seen = float(self.thesaurus.counts.total) > 0
        return self.thesaurus.information() if seen else (0.0, 0.0)

    def after(self, edited: Thesaurus) -> Views:
        """The views of the same thesaurus after an edit, with what it does not change."""
        made = Views(edited, self.name)
        if edited.counts is self.thesaurus.counts and "_search" in self.__dict__:
            made._search = self._search
        return made

    def warm(self) -> Views:
        """The same, with what the first answers need."""
        _ = self.labels, self._search, self._folded_labels, self._information, self._sketches
        if self.thesaurus.counts.evidence is not None:
            # At once: the folder that has it changes with the first edit.
            self.thesaurus.counts.evidence.load()
        self.word_class(0)
        if len(self.thesaurus):
            self.word(0)
        return self

    @property
    def kind(self) -> str:
        """What the values at splits are: "beta", "bits" (saved) or "none"."""
        return self.thesaurus.clustering.unit.kind

    def value(self, node: int) -> float | None:
        """At which value a node was split: β, bits saved, or as the tree has it."""
        value = float(self.thesaurus.tree.value[node])
        return brief(bits(value) if self.kind == "bits" else value)

    def overview(self) -> View:
        """Sizes, and how the thesaurus came about."""
        thesaurus = self.thesaurus
        known = thesaurus.provenance
        classes, words = self._information
        return {
            "name": self.name,
            "words": len(thesaurus),
            "classes": thesaurus.tree.n_clusters,
            "nodes": thesaurus.tree.n_nodes,
            "contexts": int(thesaurus.contexts.size),
            "observations": brief(float(thesaurus.counts.total)),
            "relations": list(thesaurus.counts.relations),
            "kind": self.kind,
            "soft": bool(thesaurus.memberships.nnz > len(thesaurus)),
            "clusterer": known.get("clusterer"),
            "beta": brief(known.get("beta")),
            "kept": brief(classes / words) if words > 0 else None,
            # An imported thesaurus has no text: its classes have shares of the words.
            "whole": "words" if "imported" in known else "text",
        }

    def tree(self) -> View:
        """The whole tree, column by column: node i is the i-th of each list."""
        thesaurus, made = self.thesaurus, dict(self.thesaurus.tree.splits)
        return {
            "parent": thesaurus.tree.parent.tolist(),
            "value": [self.value(node) for node in range(thesaurus.tree.n_nodes)],
            "words": thesaurus.sizes.tolist(),
            "share": [brief(share) for share in thesaurus.shares.tolist()],
            "label": self.labels,
            "given": sorted(thesaurus.labels),
            "ids": thesaurus.ids.tolist(),
            # How many classes there are once a class is split.
            "made": [made.get(node) for node in range(thesaurus.tree.n_nodes)],
        }

    def word_class(self, node: int, n: int = WORDS, offset: int = 0) -> View:
        """A class: its words and contexts, its children and the way to it."""
        tree = self.thesaurus.tree
        _check("class", node, tree.n_nodes)
        n, offset = _count(n), _count(offset)
        found = self.thesaurus.word_class(node, max(n + offset, CONTEXTS))
        return {
            **self._name(node),
            "value": self.value(node),
            "path": [self._name(above) for above in tree.path(node)],
            "children": [self._name(below) for below in tree.children(node)],
            "offset": offset,
            "typical": [
                {
                    "id": self.thesaurus.rows[one.word],
                    "word": one.word,
                    "distance_bits": brief(bits(one.distance)),
                    "probability": brief(one.probability),
                }
                for one in found.words[offset : offset + n]
            ],
            "notes": self._notes(node),
            "contexts": [self._context(one) for one in found.contexts[:CONTEXTS]],
            "context_classes": [
                {**_amounts(one), "context": one.label, "said": one.label}
                for one in self.thesaurus.context_classes(node, CLASSES)
            ],
        }

    def word(self, row: int, n: int = NEAR) -> View:
        """A word: its classes, senses, neighbours and contexts, and its place in the tree."""
        _check("word number", row, len(self.thesaurus))
        return next(self.each_word(range(row, row + 1), n))

    def each_word(self, rows: range, n: int = NEAR) -> Iterator[View]:
        """The views of several words, whose neighbours are looked for together."""
        near = self.thesaurus.all_neighbours(np.array(rows), _count(n)) if n else [[]] * len(rows)
        yield from map(self._word, rows, near)

    def _word(self, row: int, near: Sequence[Neighbour]) -> View:
        thesaurus = self.thesaurus
        word, seen = str(thesaurus.words[row]), float(thesaurus.counts.word_totals[row])
        belongs = thesaurus.membership(word)
        return {
            "id": row,
            "word": word,
            "observations": brief(seen),
            "path": [self._name(node) for node in thesaurus.path(word)],
            "among": len(belongs),
            "memberships": [
                {**self._name(node), "probability": brief(p)}
                for node, p in list(belongs.items())[:MEMBERSHIPS]
            ],
            "notes": self._notes(word),
            "senses": self._senses(word, seen),
            "neighbours": [
                {
                    "id": thesaurus.rows[one.word],
                    "word": one.word,
                    "similarity": brief(one.similarity),
                }
                for one in near
            ],
            "contexts": [self._context(one, seen) for one in thesaurus.evidence(word, CONTEXTS)],
        }

    def find(self, q: str, n: int = 10) -> View:
        """Words and classes that fit what was typed."""
        wanted = folded(q.strip())
        words = self._search.find(q, _count(n))
        labels = [
            node for node, label in enumerate(self._folded_labels) if wanted and wanted in label
        ]
        known, places = self.thesaurus.words, self.thesaurus.places
        return {
            "query": q,
            "words": [
                {"id": row, "word": str(known[row]), "class": self._name(int(places[row]))}
                for row in words
            ],
            "classes": [self._name(node) for node in labels[: max(3, n // 3)]],
        }

    def path(self) -> View:
        """What the search came to at each number of classes: β, or bits of description."""
        points: dict[int, float | None] = {}
        if self.kind == "bits":
            for step in self.thesaurus.steps:
                if "total_before" in step:
                    points.setdefault(int(step["n_clusters"]) - 1, bits(step["total_before"]))
                length = step.get("total_after", step.get("description_length"))
                points[int(step["n_clusters"])] = None if length is None else bits(length)
        elif self.kind == "beta":
            for step in self.thesaurus.steps:
                if step.get("beta") is not None:
                    points.setdefault(int(step["n_clusters"]), float(step["beta"]))
        if not points:
            points = {k: self.value(node) for node, k in self.thesaurus.tree.splits}
        return {
            "kind": self.kind,
            "steps": [
                {"classes": k, "value": value}
                for k, point in sorted(points.items())
                # Description lengths differ in late digits, so they keep more of them.
                if (value := brief(point, 9)) is not None
            ],
        }

    def cut(self, k: int) -> View:
        """The first k classes."""
        nodes = self.thesaurus.nodes(k)
        return {"k": len(nodes), "classes": [self._name(node) for node in nodes]}

    def _senses(self, word: str, seen: float) -> list[View]:
        """The senses of a word with several; of a word with one, its place says as much."""
        found = self.thesaurus.senses(word, OF_SENSE)
        return [
            {
                **self._name(one.node),
                "weight": brief(one.share),
                "like": [{"id": self.thesaurus.rows[like], "word": like} for like in one.words],
                "contexts": [self._context(context, seen) for context in one.contexts],
            }
            for one in (found if len(found) > 1 else ())
        ]

    def sketch(self, row: int, beside: str | None = None, n: int = COLLOCATES) -> View:
        """A word's relations side by side, with collocates; beside another, what each takes."""
        _check("word number", row, len(self.thesaurus))
        word = str(self.thesaurus.words[row])
        found = self._sketches.sketch(word, beside, max(_count(n), 1))
        return {
            "id": row,
            "words": list(found.words),
            "totals": [brief(float(total)) for total in found.totals],
            "least": found.least,
            "left": list(found.left),
            "relations": [
                {
                    "slot": one.slot,
                    "name": one.name,
                    "totals": [brief(float(total)) for total in one.totals],
                    "shares": [brief(share) for share in one.shares],
                    "more": one.more,
                    "collocates": [self._collocate(each) for each in one.collocates],
                }
                for one in found.relations
            ],
        }

    def _collocate(self, one: Collocate) -> View:
        return {
            "context": one.context,
            "name": one.name,
            "counts": [brief(float(count)) for count in one.counts],
            "scores": [brief(score) for score in one.scores],
            "said": self._say(one.context),
        }

    def lines(
        self, word: str, context: str | None = None, n: int = LINES, sort: str = "corpus"
    ) -> View:
        """The sentences in which a word was seen, all or with one context, as a concordance."""
        self.thesaurus.row(word)
        found = self.thesaurus.lines(word, context, _count(n), sort)
        evidence = self.thesaurus.counts.evidence
        kept = 0 if evidence is None else evidence.count(word, context)
        return {**self._concordance({"word": word}, context, sort, found), "of": kept}

    def witness(self, word: str, contexts: Iterable[str], n: int) -> list[View]:
        """So many sentences of a word with each of some contexts, each sentence once."""
        found = (line for one in contexts for line in self.thesaurus.lines(word, one, n))
        return _lines(found)

    def class_lines(self, node: int, context: str, n: int = LINES, sort: str = "corpus") -> View:
        """The sentences in which the most typical words of a class were seen with a context."""
        _check("class", node, self.thesaurus.tree.n_nodes)
        words = [one.word for one in self.thesaurus.word_class(node, WORDS).words]
        each = max(1, _count(n) // 8)
        found = (one for word in words for one in self.thesaurus.lines(word, context, each))
        some = sort_lines(itertools.islice(found, n), sort)
        return self._concordance({"node": node}, context, sort, some)

    def alike(self, word: str, other: str, n: int = COMMON) -> View:
        """What two words have in common: contexts, and how often each was seen there."""
        thesaurus = self.thesaurus
        matrix, rows = thesaurus.counts.matrix, [thesaurus.row(word), thesaurus.row(other)]
        shared = thesaurus.shared_evidence(word, other, _count(n))
        columns = [self._columns[one.context] for one in shared]
        seen = matrix[rows][:, columns].toarray().T.tolist() if columns else []
        common = thesaurus.common_class(word, other)
        return {
            "words": [word, other],
            "class": self._name(common),
            "kept": thesaurus.has_evidence,
            "contexts": [
                {"context": one.context, "said": self._say(one.context), "counts": counts}
                for one, counts in zip(shared, seen, strict=True)
            ],
        }

    def why(self, word: str, node: int, n: int = COMMON) -> View:
        """What puts a word into a class, and not into the likeliest other: contexts, by weight."""
        _check("class", node, self.thesaurus.tree.n_nodes)
        found = self.thesaurus.reasons(word, node, _count(n))
        return {
            "word": word,
            "class": self._name(found.node),
            "against": None if found.against == found.node else self._name(found.against),
            "kept": self.thesaurus.has_evidence,
            "contexts": [
                {**self.explain(one.context), "seen": brief(one.seen), "weight": brief(one.weight)}
                for one in found.contexts
            ],
        }

    def _concordance(
        self, of: View, context: str | None, sort: str, found: Sequence[EvidenceLine]
    ) -> View:
        if context is not None and context not in self._columns:
            raise UnknownName("context", context, [])
        return {
            **of,
            "context": context,
            "said": None if context is None else self._say(context),
            "sort": sort,
            "kept": self.thesaurus.has_evidence,
            "lines": _lines(found),
        }

    @cached_property
    def _sketches(self) -> Sketches:
        return Sketches(self.thesaurus.counts)

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.thesaurus.contexts.tolist())}

    def _say(self, context: str) -> str:
        column = self._columns.get(context)
        return context if column is None else self._sketches.phrase(column)

    def spell(self, context: str) -> list[str]:
        """A context and, if they say it otherwise, plain words for it."""
        said = self._say(context)
        return [context] if said == context else [context, said]

    def explain(self, context: str) -> View:
        """A context, and plain words for it."""
        return {"context": context, "said": self._say(context)}

    def _context(self, one: TypicalContext, times: float = 1.0) -> View:
        return {**self.explain(one.context), **_amounts(one, times)}

    def all_notes(self) -> View:
        """What was written about classes, by node, and about words."""
        kinds = {"classes": int, "words": str}
        return {
            name: {
                str(about): note._asdict()
                for about, note in self.thesaurus.notes.items()
                if isinstance(about, kind)
            }
            for name, kind in kinds.items()
        }

    def _notes(self, about: int | str) -> View:
        return self.thesaurus.notes.get(about, Note())._asdict()

    def _name(self, node: int) -> View:
        return {
            "node": node,
            "label": self.labels[node],
            "words": int(self.thesaurus.sizes[node]),
            "share": brief(float(self.thesaurus.shares[node])),
        }


def _amounts(one: TypicalContext | ContextClass, times: float = 1.0) -> View:
    return {"amount": brief(one.probability * times), "lift": brief(one.lift)}


def _lines(found: Iterable[EvidenceLine]) -> list[View]:
    """Lines as pages show them; those that are one, of a word with several contexts, together."""
    same: dict[Any, list[EvidenceLine]] = {}
    for one in found:
        same.setdefault((one.source, one.line, one.text, one.word), []).append(one)
    return [_line(lines) for lines in same.values()]


def _line(same: Sequence[EvidenceLine]) -> View:
    """A line in pieces, as programs count characters in different ways."""
    first = same[0]
    marks = {one.context: "context" for one in same if one.context is not None}
    return {
        "source": first.source,
        "line": first.line,
        "pieces": part_text(first.text, {**marks, first.word: "word"}.items()),
        "word": first.pair[0],
        "contexts": [one.pair[1] for one in same],
    }


def _check(what: str, number: int, size: int) -> None:
    if not 0 <= number < size:
        raise InputError(f"{what} {number}: expected 0 to {size - 1}")


def _count(n: int) -> int:
    if not n >= 0:
        raise InputError(f"{n}: expected a number that is not negative")
    return min(n, 10**9)
