"""Thesaurus: a tree of word classes, the words in them, and what the classes have in common."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core import tree_edits
from roget.core.counts import Counts, NotCounted
from roget.core.io.values import whole_number
from roget.core.tree import Tree
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.clustering.result import Clustering, recall
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus.changes import GrowthChange
from roget.learn.thesaurus.draft import Draft
from roget.learn.thesaurus.edits import Edit, Note
from roget.learn.thesaurus.lookup import Lookup
from roget.learn.thesaurus.records import Placement

if TYPE_CHECKING:
    from roget.learn.clustering.base import Clusterer

LEAST = 0.01
"""Classes that are less likely for a new word than this are not told, but for the first."""

_OF_COUNTS = ("rows", "_conditional", "_own_entropy", "_told_by_words")
_OF_CENTROIDS = ("_average", "centroids", "_divergences")
_OF_PLACES = (
    "places", "sizes", "shares", "_generated", "_labels", "_senses", "_layout", "_leaves", "_marks",
)  # fmt: skip
"""What is known of counts, centroids and places, and can be taken over where they are the same."""


class Replayed(NamedTuple):
    """A thesaurus after edits that were made to another one."""

    thesaurus: Thesaurus
    problems: list[str]
    """What could not be done."""
    doubts: list[str]
    """What was done to classes that are not much like those it was done to before."""


class Thesaurus(Lookup):
    """Classes of words in a tree; a word belongs to all of them, more or less.

    The leaves of the tree are clusters; an inner node is the sum of its leaves: memberships are
    added up, and its centroid is their mean, weighted by their probability. A class is known by
    its node. A word has one place in the tree as well: from the root, at every split, the side to
    which it belongs more. Where classes are merged, all words that had their place there stay
    together.

    >>> from roget.learn.clustering.soft.estimator import SoftAnnealing
    >>> counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    >>> model = SoftAnnealing(2, random_state=0).fit(counts)
    >>> thesaurus = Thesaurus.from_clustering(counts, model)
    >>> thesaurus
    Thesaurus: 3 words in 2 classes, 3 contexts
    >>> thesaurus.neighbours("tea", 1)[0].word
    'ale'

    It is never changed: `rename`, `move`, `merge`, `nest`, `split`, `add`, `delete` and `note` give
    a new one, whose `edits` say what was done, and so do `undo`, `redo` and `undo_to`. Node numbers
    hold until the tree is changed; `ids` are kept by classes whatever happens to others.

    >>> edited = thesaurus.rename(thesaurus.common_class("tea", "ale"), "drinks")
    >>> edited.label(edited.path("ale")[-1]), str(edited.edits[0])
    ('drinks', '“tea, ale” renamed “drinks”')

    Attributes: `counts`, `tree`, `words`, `contexts`, `memberships` (csr_array, words × clusters),
    `centroids` (clusters × contexts), `mass` (p of each cluster), `labels` (of nodes that have a
    name), `notes` (a `Note` of each node or word about which something was written), `ids` (of
    nodes), `next_id`, `edits`, `undone` (what `redo` would do, the next first), `steps` (the path
    of the search, row by row) and `provenance`. None of them should be changed in place.
    """

    def __init__(
        self,
        counts: Counts,
        tree: Tree,
        memberships: Any,
        centroids: npt.ArrayLike,
        mass: npt.ArrayLike,
        *,
        steps: Sequence[Mapping[str, Any]] = (),
        provenance: Mapping[str, Any] | None = None,
        labels: Mapping[int, str] | None = None,
        ids: Sequence[int] | None = None,
        next_id: int | None = None,
        notes: Mapping[int | str, Note] | None = None,
    ) -> None:
        rule, unit = recall(provenance or {})
        # How often contexts were seen, also where the classes know nothing of them.
        background = counts.context_totals / max(counts.total, 1e-300)
        found = Clustering(tree, memberships, centroids, mass, background, rule, unit, steps)
        self._begin(counts, found, provenance, labels, ids, next_id, notes)

    def _begin(
        self,
        counts: Counts,
        clustering: Clustering,
        provenance: Mapping[str, Any] | None,
        labels: Mapping[int, str] | None,
        ids: Sequence[int] | None,
        next_id: int | None,
        notes: Mapping[int | str, Note] | None,
        changes: Iterable[GrowthChange] = (),
        spare: Counts | Callable[[], Counts | None] | None = None,
    ) -> None:
        table = sparse.csr_array(clustering.memberships, dtype=np.float64)
        self.counts = counts
        self.clustering = replace(clustering, memberships=table, contexts=counts.contexts)
        self.provenance = dict(provenance or {})
        self.labels = dict(labels or {})
        self.notes = {about: Note(*held) for about, held in (notes or {}).items()}
        numbers = np.arange(self.tree.n_nodes) if ids is None else np.array(ids, dtype=np.int64)
        self.ids = numbers
        self.ids.flags.writeable = False
        self.next_id = int(self.ids.max(initial=-1)) + 1 if next_id is None else next_id
        """The id that the next new class gets; no id is given twice."""
        self.edits: tuple[Edit, ...] = ()
        self.undone: tuple[Edit, ...] = ()
        self.base = self
        self._changes = tuple(changes)
        self._spare: Counts | Callable[[], Counts | None] | None = spare
        self.homes: dict[Path, tuple[str, str]] = {}
        """The folders it was read from or written to, and how they were left: see `files`."""
        self._draft = None
        self._generated = {}
        self._remembered = {}, {}
        self._check()

    def _check(self) -> None:
        """Say what does not fit together, if anything."""
        found, k = self.clustering, self.tree.n_clusters
        shapes = {"memberships": (len(self), k), "centroids": (k, self.contexts.size)}
        for name, right in shapes.items():
            if getattr(found, name).shape != right:
                raise InputError(f"{name} of shape {getattr(found, name).shape}: expected {right}")
        sums = np.asarray(self.memberships.sum(axis=1)).ravel()
        if not np.allclose(sums, 1.0, atol=1e-4):
            worst = int(np.argmax(np.abs(sums - 1)))
            word = str(self.words[worst])
            raise InputError(f"the memberships of {word!r} add up to {sums[worst]:g}, not 1")
        for node, label in self.labels.items():
            self.tree.children(node)  # a node that is not there is an error
            if not isinstance(label, str) or not label.strip():
                raise InputError(f"the label of node {node} is {label!r}: expected a text")
        for about, held in self.notes.items():
            self.row(about) if isinstance(about, str) else self.tree.children(about)
            for text in held:
                editing.check_text(text, f"what is written about {about!r}", editing.LONGEST_NOTE)
        if self.ids.shape != (self.tree.n_nodes,) or np.unique(self.ids).size < self.ids.size:
            raise InputError(f"ids: expected {self.tree.n_nodes} numbers, one for each node")
        if self.ids.min() < 0 or self.next_id <= self.ids.max():
            raise InputError(f"ids: expected numbers from 0 to less than {self.next_id}")

    @classmethod
    def from_clustering(
        cls,
        counts: Counts,
        model: Clusterer | Clustering,
        *,
        provenance: Mapping[str, Any] | None = None,
        labels: Mapping[int, str] | None = None,
        ids: Sequence[int] | None = None,
        next_id: int | None = None,
        notes: Mapping[int | str, Note] | None = None,
        changes: Iterable[GrowthChange] = (),
        spare: Counts | Callable[[], Counts | None] | None = None,
    ) -> Thesaurus:
        """The thesaurus of counts and what was learnt from them.

        Parameters
        ----------
        counts
            What the classes were made from.
        model
            A clusterer that was fitted to them, or a Clustering, such as a level of one. Words of
            which a clusterer is unsure are left out; `unsure` says why.
        provenance
            What is to be known of its making; by default the clusterer, its options and facts.
        labels
            Names of classes, by node.
        ids
            The id of each node; by default its number.
        next_id
            The id of the next new class: more than any that was ever given.
        notes
            What was written about classes, by node, and about words.
        changes
            What growing has changed, to be accepted or refused.
        spare
            Counts of words that are too rare or unsure, for when there is more text; or what reads
            them.

        Raises
        ------
        InputError
            If the clusterer is not fitted, or was fitted to other words and contexts.
        """
        if isinstance(model, Clustering):
            found = model
        elif "clustering_" not in vars(model):
            raise InputError(f"{type(model).__name__} is not fitted: call fit(counts) first")
        else:
            found = model.clustering_
            provenance = provenance or {
                "roget": __version__,
                "clusterer": type(model).__name__,
                "options": {
                    name: value
                    for name, value in model.get_params().items()
                    if isinstance(value, bool | int | float | str | None)
                },
                "asked": getattr(model, model.number),
                **model.facts_,
            }
            if model.unsure_:
                # Only the words of which it is sure, and why the others are not there.
                why = {str(counts.words[row]): said for row, said in model.unsure_.items()}
                rows = np.setdiff1d(np.arange(len(counts)), list(model.unsure_))
                counts, found = counts.select(counts.words[rows].tolist()), found.keep(rows)
                provenance = {**provenance, "unsure": why}
        made = cls.__new__(cls)
        made._begin(counts, found, provenance, labels, ids, next_id, notes, changes, spare)
        return made

    @property
    def changes(self) -> tuple[GrowthChange, ...]:
        """What growing has changed, and whether that was accepted or refused."""
        states = {} if self._draft is None else self._draft.states
        if not states:
            return self.base._changes
        return tuple(
            replace(one, state=states.get(one.number, one.state)) for one in self.base._changes
        )

    @property
    def spare(self) -> Counts | None:
        """Counts of words that were too rare or unsure, which more text may bring in."""
        base = self.base
        if callable(base._spare):
            base._spare = base._spare()
        return base._spare

    def keep_spare(self, whole: Counts) -> None:
        """Keep of these counts what is not in the thesaurus: no more than it has itself."""
        others = [word for word in whole.words.tolist() if word not in self.rows]
        if not others:
            return
        rest = whole.select(others)
        often = np.argsort(-rest.word_totals, kind="stable")
        sizes = np.cumsum(np.diff(rest.matrix.indptr)[often])
        kept = np.sort(often[sizes <= self.counts.entries])
        if kept.size:
            self.base._spare = rest.select(rest.words[kept].tolist()).drop_empty()

    def accept(self, numbers: int | Iterable[int]) -> Thesaurus:
        """The thesaurus with changes that growing made accepted, so that they are no longer open.

        Parameters
        ----------
        numbers
            Of one change, or of several.

        Raises
        ------
        InputError
            If there is no such change, or it was accepted or refused before.
        """
        return self._decided(editing.ACCEPT, numbers)

    def refuse(self, numbers: int | Iterable[int]) -> Thesaurus:
        """The thesaurus with changes that growing made taken back.

        Words that moved go back, new ones are deleted, and classes that were split are one again.
        A new class becomes part of the one most like it.

        Parameters
        ----------
        numbers
            Of one change, or of several.

        Raises
        ------
        InputError
            If there is no such change, or it was accepted or refused before.
        """
        return self._decided(editing.REFUSE, numbers)

    def _decided(self, kind: str, numbers: int | Iterable[int]) -> Thesaurus:
        listed = [numbers] if isinstance(numbers, int | np.integer) else list(numbers)
        wanted = tuple(dict.fromkeys(editing.node_number(one, "change") for one in listed))
        if not wanted:
            raise InputError("no changes: name one or more by their numbers")
        known = self.draft.changes
        words = [word for one in wanted if one in known for word in known[one].words]
        edit = Edit(kind, words=tuple(dict.fromkeys(words)) or ("?",), changes=wanted)
        return self._edited(edit)

    @property
    def steps(self) -> tuple[dict[str, Any], ...]:
        """The path of the search, row by row."""
        return tuple(dict(step) for step in self.clustering.path)

    def classify(self, counts: Counts) -> Any:
        """p(cluster|word) of new words, as a csr_array: a row for each, a column for each cluster.

        Contexts are matched by name; what the thesaurus does not know is left out, and a word of
        which nothing is left gets the probabilities of the clusters. The rule is that of
        the clusterer: ∝ exp(−β·KL) after annealing, else ∝ p(c)·Π p(context|c)^count.
        """
        from roget.learn.clustering.inputs import align_contexts

        given = align_contexts(counts, self.contexts)
        if len(counts) and not given.nnz:
            said, ours = (f"{names[0]!r}" for names in (counts.contexts, self.contexts))
            raise InputError(
                f"none of the contexts of the new words (such as {said}) is one of the thesaurus "
                f"(such as {ours}): count them with the same relation"
            )
        # What is left out is too little to be told, and rows add up to 1 all the same.
        return self.clustering.place(counts, least=1e-12)

    def classify_table(self, counts: Counts, n: int = 3) -> list[Placement]:
        """The n likeliest classes (leaves) of each new word, word by word."""
        from roget.learn.clustering.inputs import align_contexts

        belongs, leaves = self.classify(counts), self.tree.cluster_nodes
        known = align_contexts(counts, self.contexts).sum(axis=1)
        shares = known / np.maximum(counts.word_totals, 1e-300)
        rows = []
        for row, word in enumerate(counts.words.tolist()):
            begin, end = belongs.indptr[row : row + 2]
            ranked = np.lexsort((belongs.indices[begin:end], -belongs.data[begin:end]))[:n]
            for rank, at in enumerate(begin + ranked):
                node, p = int(leaves[belongs.indices[at]]), float(belongs.data[at])
                if not rank or p >= LEAST:
                    rows.append(Placement(word, node, self.label(node), p, float(shares[row])))
        return rows

    def rename(self, node: int, label: str) -> Thesaurus:
        """The thesaurus with a class called by another name."""
        editing.check_label(label)
        return self._edited(Edit(editing.RENAME, self._remember(node), label))

    def move(self, words: str | Iterable[str], node: int) -> Thesaurus:
        """The thesaurus with a word, or several, in one class only.

        Among the parts of the class a word is shared out as before or, if it was in none of them,
        by its counts. Other words, and what is known of the class, stay as they are.
        """
        seen = self._remember(node)
        return self._edited(Edit(editing.MOVE, seen, words=self._known(words)))

    def merge(self, node: int, into: int) -> Thesaurus:
        """The thesaurus with a class as part of another; nodes get new numbers.

        Its leaves are joined into the other if that is a leaf: memberships and masses are added
        up, and centroids averaged by mass. Otherwise its classes are put beside those of the other.
        Words that have their place in either have it there afterwards; all others stay. The other
        class keeps its id.
        """
        return self._edited(Edit(editing.MERGE, self._remember(node), into=self._remember(into)))

    def nest(self, node: int, into: int) -> Thesaurus:
        """The thesaurus with a class, and all below it, under another one; nodes get new numbers.

        Where the other has no classes yet, its own words go into a new one below it, beside the
        first. A class with one class left below it gives way to that.

        Raises
        ------
        InputError
            If the class is the root, or the other is the same, a part of it, or above it already.
        """
        seen, there = self._remember(node), self._remember(into)
        ids = (self.next_id,) if not self.tree.children(there.node) else ()
        return self._edited(Edit(editing.NEST, seen, into=there, ids=ids))

    def add(self, words: str | Iterable[str], node: int) -> Thesaurus:
        """The thesaurus with a new word, or several, in a class.

        Nothing is known of such a word but its class, so that its neighbours are words of that.
        A word that was deleted comes back with its counts.

        Raises
        ------
        InputError
            If a word is there already, or is no text that can be printed on one line.
        """
        return self._edited(Edit(editing.ADD, self._remember(node), words=editing.word_list(words)))

    def delete(self, words: str | Iterable[str]) -> Thesaurus:
        """The thesaurus without a word, or several; what is known of classes stays."""
        return self._edited(Edit(editing.DELETE, words=self._known(words)))

    def split(self, node: int, words: str | Iterable[str] | None = None) -> Thesaurus:
        """The thesaurus with two new classes under one that had none; nodes get new numbers.

        The class itself keeps its id and its name. Words that have their place elsewhere, but
        belong to it in part, are shared out by their counts.

        Parameters
        ----------
        node
            The class, a leaf.
        words
            Those that go into the second of the new classes; by default, what two clusters of the
            vectors of its words, or of their counts, are told apart by.

        Raises
        ------
        InputError
            If the class has classes of its own, if a word has its place elsewhere, if no word
            would be left, or if its words are all alike.
        """
        seen = self._remember(node)
        if self.tree.children(seen.node):
            tree_edits.split(self.tree, seen.node)  # which says why it cannot be done
        apart = self.halve(seen.node) if words is None else self._known(words)
        ids = (self.next_id, self.next_id + 1)
        return self._edited(Edit(editing.SPLIT, seen, words=apart, ids=ids))

    def halve(self, node: int) -> tuple[str, ...]:
        """The words of a class that are most apart from the others: the smaller of two clusters."""
        from roget.learn.thesaurus.bisect import halve

        rows = self.inside(node)
        found = halve(self.counts, self.clustering.representation, rows)
        return tuple(self.words[rows[found]].tolist())

    def note(self, about: int | str, text: str, field: str = editing.REMARK) -> Thesaurus:
        """The thesaurus with something written about a class or a word; "" takes it away.

        Parameters
        ----------
        about
            A node, or a word.
        text
            What is to be known, up to 10,000 characters.
        field
            "definition" or "note".
        """
        word = (str(self.words[self.row(about)]),) if isinstance(about, str) else ()
        node = None if isinstance(about, str) else self._remember(about)
        return self._edited(Edit(editing.NOTE, node, text, words=word, field=field))

    @property
    def done(self) -> tuple[Edit, ...]:
        """The edits that were done; others wait for the next thesaurus."""
        return tuple(edit for edit in self.edits if not edit.waiting)

    @property
    def undoable(self) -> Edit | None:
        """What `undo` would undo; None if there is nothing."""
        return self.done[-1] if self.done else None

    def undo(self) -> Thesaurus:
        """The thesaurus before the last edit, which `redo` would do again."""
        if self.undoable is None:
            raise InputError("there is nothing to undo")
        return self.undo_to(len(self.done) - 1)

    def redo(self) -> Thesaurus:
        """The thesaurus with the first of the `undone` edits done again."""
        if not self.undone:
            raise InputError("there is nothing to redo")
        return self.with_edits((*self.edits, self.undone[0]), self.undone[1:])

    def undo_to(self, n: int) -> Thesaurus:
        """The thesaurus with the first n of the edits that were done; `redo` goes on from there."""
        done = [at for at, edit in enumerate(self.edits) if not edit.waiting]
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= len(done):
            raise InputError(f"back to edit {n!r}: expected a number from 0 to {len(done)}")
        gone = set(done[n:])
        left = (edit for at, edit in enumerate(self.edits) if at not in gone)
        return self.with_edits(left, (*self.done[n:], *self.undone)) if gone else self

    @property
    def state(self) -> str:
        """A short text by which it knows what was exported of it, and after which edits.

        How many were done, and a hash of them, of the words and of the classes.
        """
        return f"{len(self.done)} {self._digest(self.done)}"

    def at_state(self, state: str) -> Thesaurus:
        """The thesaurus as it was when that was its state."""
        told, _, digest = state.partition(" ")
        number = whole_number(told)
        if number is None or number > len(self.done) or self._digest(self.done[:number]) != digest:
            raise InputError(
                "it was exported from another thesaurus, or from one that has been built, grown or "
                "undone since: export it again, and make the changes there"
            )
        return self.undo_to(number)

    def _digest(self, done: Sequence[Edit]) -> str:
        base = self.base
        told = [
            base.words.tolist(), base.tree.parent.tolist(), base.ids.tolist(),
            [edit.to_json() for edit in done],
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(told, ensure_ascii=True).encode()).hexdigest()[:16]

    def node(self, id: int) -> int:
        """The node of a class that is known by its id."""
        found = np.flatnonzero(self.ids == id)
        if found.size:
            return int(found[0])
        was = 0 <= id < self.next_id
        gone = "there is no such class any more" if was else "no class ever had it"
        raise InputError(f"class id {id}: {gone}")

    def replay(self, edits: Iterable[Edit]) -> tuple[Thesaurus, list[str]]:
        """The thesaurus after edits that were made to another one, and what could not be done.

        Classes are found by their words, so that edits outlive a rebuilding that numbers them
        otherwise. Edits that make no sense here are kept among `edits`, waiting for the next time.
        """
        return self.replayed(edits)[:2]

    def replayed(self, edits: Iterable[Edit]) -> Replayed:
        """What `replay` gives, and which classes it found again with some doubt."""
        draft, log = self.draft, list(self.edits)
        problems, doubts = [], []
        for edit in edits:
            try:
                found = draft.located(edit)
                here = [editing.renumber(one, draft.tree, self._used(log)) for one in found.edits]
                after = draft.after_all(here)
            except (InputError, NotCounted) as error:
                log.append(replace(edit, waiting=True))
                problems.append(f"{edit}: {error}")
                continue
            if found.unsure:
                before = self.with_edits(log)
                said = [
                    editing.describe_match(seen, before.label(at.node), at)
                    for seen, at in found.unsure
                ]
                doubts.append(f"{edit}: {'; '.join(said)}")
            draft = after
            log += here
            if found.left is not None:
                log.append(found.left)
                problems.append(f"{found.left}: not in this thesaurus")
        return Replayed(self.with_edits(log), problems, doubts)

    def _used(self, log: Iterable[Edit]) -> set[int]:
        """Ids that no new class may get."""
        return {*range(self.base.next_id), *(id for edit in log for id in edit.ids)}

    def save(self, path: PathLike, *, evidence: bool = True) -> None:
        """Write the thesaurus as a folder that `load` and other tools can read.

        Where it was loaded from, or saved before, that is refused if somebody else has changed
        what is there. Without `evidence` a new folder has no sentences of the corpus.
        """
        from roget.learn.thesaurus.files import write

        write(self, path, evidence=evidence)

    @classmethod
    def load(cls, path: PathLike) -> Thesaurus:
        """The thesaurus that `save` wrote; nothing in it is run."""
        from roget.learn.thesaurus.files import read

        return read(path)

    def _known(self, words: str | Iterable[str]) -> tuple[str, ...]:
        return tuple(str(self.words[self.row(word)]) for word in editing.word_list(words))

    def _remember(self, node: int) -> editing.ClassSnapshot:
        """A class with a sample of its words, taken evenly from the frequent to the rare."""
        node = editing.node_number(node)
        rows = self.inside(node)
        size = int(rows.size)
        rows = rows[np.argsort(-self.counts.word_totals[rows], kind="stable")]
        if size > editing.SAMPLE:
            rows = rows[np.arange(editing.SAMPLE) * size // editing.SAMPLE]
        words = tuple(self.words[rows].tolist())
        return editing.ClassSnapshot(node, self.label(node), size, words)

    def _edited(self, edit: Edit) -> Thesaurus:
        return self.with_edits((*self.edits, edit))

    def with_edits(
        self, edits: Iterable[Edit], undone: Iterable[Edit] = (), next_id: int = 0
    ) -> Thesaurus:
        """The thesaurus with these edits only, which were made to it: classes are taken by number.

        What is known already is not lost.

        Parameters
        ----------
        edits
            What was done, in order; those that wait are kept.
        undone
            What `redo` would do, the next first.
        next_id
            The least id of the next new class.
        """
        edits, undone = tuple(edits), tuple(undone)
        now, made = self.draft, type(self).__new__(type(self))
        draft = _continued(now, [edit for edit in edits if not edit.waiting])
        made.provenance, made.base, made.homes = self.provenance, self.base, self.homes
        made.edits, made.undone = edits, undone
        ids = [id + 1 for edit in (*edits, *undone) for id in edit.ids]
        made.next_id = max(self.next_id, next_id, *ids)
        made.labels, made.notes, made.ids = draft.labels, draft.notes, draft.ids
        same_words = draft.added == now.added and draft.gone == now.gone
        same_clusters = draft.parts is now.parts and draft.divisions is now.divisions
        same_places = (
            same_words and draft.tree is now.tree and draft.home is now.home and same_clusters
        )
        made.counts = self.counts if same_words else draft.counts()
        if same_places and draft.moved is now.moved:
            made.clustering = self.clustering
        else:
            made.clustering = draft.clustering(self.clustering if same_clusters else None)
        made._draft, made._generated = draft, {}
        made._remembered = self._remembered
        kept: tuple[str, ...] = _OF_COUNTS if same_words else ()
        if same_clusters:
            kept += _OF_CENTROIDS
        if same_places:
            kept += _OF_PLACES
        made.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        if made.clustering is self.clustering and "_near" in self.__dict__:
            made._near = self._near
        return made


def _continued(now: Draft, edits: list[Edit]) -> Draft:
    """The draft of some edits, from the last one of its history that they have in common."""
    history = now.history()
    for at, (edit, one) in enumerate(zip(edits, history[1:], strict=False)):
        if edit is not one.edit and edit != one.edit:
            return history[at].after_all(edits[at:])
    common = min(len(edits), len(history) - 1)
    return history[common].after_all(edits[common:])
