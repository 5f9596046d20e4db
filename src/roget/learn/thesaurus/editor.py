"""`Editor`: edits, undo and redo, and replay of edits on another thesaurus."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roget.core import tree_edits
from roget.core.counts import NotCounted
from roget.core.io.values import whole_number
from roget.errors import InputError
from roget.learn.clustering.split_clusters import bisect
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus.draft import Draft
from roget.learn.thesaurus.edits import ClassSnapshot, Edit, describe_match, renumber

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus


class Replayed(NamedTuple):
    """The result of replaying the edits of one thesaurus on another."""

    thesaurus: Thesaurus
    problems: list[str]
    """Descriptions of the edits that could not be applied, with the reasons."""
    doubts: list[str]
    """Descriptions of the edits whose classes were matched with low similarity."""


class Editor:
    """Interface for editing a thesaurus, with undo and redo.

    Each method returns a new thesaurus and leaves the old one unchanged.

    >>> from roget import Counts, SoftAnnealing, Thesaurus
    >>> counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    >>> thesaurus = Thesaurus.from_clustering(counts, SoftAnnealing(2, random_state=0).fit(counts))
    >>> edited = thesaurus.editor.delete("ale")
    >>> edited.words.tolist(), len(edited.editor.undo())
    (['tea', 'book'], 3)
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self.thesaurus = thesaurus

    def rename(self, node: int, label: str) -> Thesaurus:
        """Rename a class."""
        editing.check_label(label)
        return self._append(Edit(editing.RENAME, self._remember(node), label))

    def move(self, words: str | Iterable[str], node: int) -> Thesaurus:
        """Move one or more words to a class, which becomes their only class.

        If the class has several clusters, a word keeps the proportions of its memberships in them.
        A word that was in none of them is distributed by its counts. Other words and the centroids
        are unchanged.
        """
        seen = self._remember(node)
        return self._append(Edit(editing.MOVE, seen, words=self._resolve(words)))

    def merge(self, node: int, into: int) -> Thesaurus:
        """Merge a class into another one, which keeps its id. Nodes are renumbered.

        If the other class is a leaf, the leaves of both are merged: memberships and masses are
        summed, and centroids are averaged by mass. Otherwise the subclasses of the class become
        subclasses of the other class. The merged class contains the words of both classes.
        """
        return self._append(Edit(editing.MERGE, self._remember(node), into=self._remember(into)))

    def nest(self, node: int, into: int) -> Thesaurus:
        """Move a class with its subtree under another class. Nodes are renumbered.

        If the other class is a leaf, its words go into a new subclass. A class that is left with a
        single subclass is replaced by it.

        Raises
        ------
        InputError
            If the class is the root, or if the other class is the class itself, a class in its
            subtree, or its parent.
        """
        seen, there = self._remember(node), self._remember(into)
        is_leaf = not self.thesaurus.tree.children(there.node)
        ids = (self.thesaurus.next_id,) if is_leaf else ()
        return self._append(Edit(editing.NEST, seen, into=there, ids=ids))

    def add(self, words: str | Iterable[str], node: int) -> Thesaurus:
        """Add one or more new words to a class.

        A new word has no counts, so its neighbours are the words of its class. A deleted word is
        restored with its counts.

        Raises
        ------
        InputError
            If a word is already in the thesaurus, or is not a single line of printable characters.
        """
        seen = self._remember(node)
        return self._append(Edit(editing.ADD, seen, words=editing.check_words(words)))

    def delete(self, words: str | Iterable[str]) -> Thesaurus:
        """Delete one or more words. The centroids of classes remain unchanged."""
        return self._append(Edit(editing.DELETE, words=self._resolve(words)))

    def split(self, node: int, words: str | Iterable[str] | None = None) -> Thesaurus:
        """Split a leaf into two new subclasses. Nodes are renumbered.

        The class keeps its id and name. Words of other classes with a partial membership in this
        one are distributed over the subclasses by their counts.

        Parameters
        ----------
        node
            The class, which must be a leaf.
        words
            The words of the second subclass; by default the words of `suggest_split`.

        Raises
        ------
        InputError
            If the class has subclasses, if a word is in another class, if the first subclass would
            be empty, or if the words of the class cannot be distinguished.
        """
        thesaurus, seen = self.thesaurus, self._remember(node)
        if thesaurus.tree.children(seen.node):
            # Raise the error for a class with subclasses.
            tree_edits.split(thesaurus.tree, seen.node)
        apart = self.suggest_split(seen.node) if words is None else self._resolve(words)
        ids = (thesaurus.next_id, thesaurus.next_id + 1)
        return self._append(Edit(editing.SPLIT, seen, words=apart, ids=ids))

    def suggest_split(self, node: int) -> tuple[str, ...]:
        """Return the words that `split` separates by default: the smaller of two clusters."""
        thesaurus = self.thesaurus
        rows = thesaurus.inside(node)
        apart = bisect(thesaurus.counts, thesaurus.clustering.representation, rows)
        return tuple(thesaurus.words[rows[apart]].tolist())

    def note(self, about: int | str, text: str, field: str = editing.REMARK) -> Thesaurus:
        """Set the note or the definition of a class or a word. An empty string removes it.

        Parameters
        ----------
        about
            A node, or a word.
        text
            The text, up to 10,000 characters.
        field
            "definition" or "note".
        """
        thesaurus = self.thesaurus
        if isinstance(about, str):
            word = str(thesaurus.words[thesaurus.row(about)])
            return self._append(Edit(editing.NOTE, None, text, words=(word,), field=field))
        return self._append(Edit(editing.NOTE, self._remember(about), text, field=field))

    def accept(self, numbers: int | Iterable[int]) -> Thesaurus:
        """Accept one or more changes made by growth.

        Raises
        ------
        InputError
            If a change does not exist, or was already accepted or refused.
        """
        return self._decide(editing.ACCEPT, numbers)

    def refuse(self, numbers: int | Iterable[int]) -> Thesaurus:
        """Revert one or more changes made by growth.

        Moved words are moved back, new words are deleted, split classes are merged, and a new class
        is merged into the most similar class.

        Raises
        ------
        InputError
            If a change does not exist, or was already accepted or refused.
        """
        return self._decide(editing.REFUSE, numbers)

    def _decide(self, kind: str, numbers: int | Iterable[int]) -> Thesaurus:
        """Accept or refuse changes by number."""
        listed = [numbers] if isinstance(numbers, int | np.integer) else list(numbers)
        chosen = tuple(dict.fromkeys(editing.check_number(one, "change") for one in listed))
        if not chosen:
            raise InputError("no changes; pass one or more numbers", code="edit-refused")
        known = self.thesaurus.draft.changes
        words = [word for one in chosen if one in known for word in known[one].words]
        edit = Edit(kind, words=tuple(dict.fromkeys(words)) or ("?",), changes=chosen)
        return self._append(edit)

    @property
    def done(self) -> tuple[Edit, ...]:
        """The edits that have been applied, excluding edits that wait for the next rebuild."""
        return tuple(edit for edit in self.thesaurus.edits if not edit.waiting)

    @property
    def undoable(self) -> Edit | None:
        """The edit that `undo` would undo, or None if there are no edits."""
        return self.done[-1] if self.done else None

    def undo(self) -> Thesaurus:
        """Undo the last edit. `redo` restores it."""
        if not self.done:
            raise InputError("nothing to undo", code="edit-refused")
        return self.undo_to(len(self.done) - 1)

    def redo(self) -> Thesaurus:
        """Redo the most recently undone edit."""
        edits, undone = self.thesaurus.edits, self.thesaurus.undone
        if not undone:
            raise InputError("nothing to redo", code="edit-refused")
        return self.with_edits((*edits, undone[0]), undone[1:])

    def undo_to(self, n: int) -> Thesaurus:
        """Undo all but the first n edits. `redo` restores them."""
        edits = self.thesaurus.edits
        done = [at for at, edit in enumerate(edits) if not edit.waiting]
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= len(done):
            raise InputError(
                f"cannot undo to edit {n!r}; expected a number from 0 to {len(done)}",
                code="edit-refused",
            )
        gone = set(done[n:])
        if not gone:
            return self.thesaurus
        left = (edit for at, edit in enumerate(edits) if at not in gone)
        return self.with_edits(left, (*self.done[n:], *self.thesaurus.undone))

    @property
    def state(self) -> str:
        """An identifier of the current state, stored in exports.

        It consists of the number of edits, and a hash of the edits, words and classes.
        """
        return f"{len(self.done)} {self._digest(self.done)}"

    def at_state(self, state: str) -> Thesaurus:
        """Return the thesaurus in an earlier state, given its identifier."""
        text, _, digest = state.partition(" ")
        number = whole_number(text)
        if number is None or number > len(self.done) or self._digest(self.done[:number]) != digest:
            raise InputError(
                "the file does not match the thesaurus: it was exported from another thesaurus, "
                "or this thesaurus was rebuilt, grown or reverted after the export; export it "
                "again, and repeat the changes",
                code="edit-refused",
            )
        return self.undo_to(number)

    def _digest(self, done: Sequence[Edit]) -> str:
        """Return a hash of the unedited thesaurus and the given edits."""
        base = self.thesaurus.base
        content = [
            base.words.tolist(),
            base.tree.parent.tolist(),
            base.ids.tolist(),
            [edit.to_json() for edit in done],
        ]
        return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()[:16]

    def replay(self, edits: Iterable[Edit]) -> Replayed:
        """Apply the edits of another thesaurus to this thesaurus.

        Classes are matched by their words, since a rebuild numbers classes differently. Edits that
        cannot be applied are kept as waiting edits for the next replay.
        """
        draft, log = self.thesaurus.draft, list(self.thesaurus.edits)
        problems, doubts = [], []
        for edit in edits:
            try:
                target = draft.locate(edit)
                used = self._used_ids(log)
                here = [renumber(one, draft.tree, used) for one in target.edits]
                after = draft.after_all(here)
            except (InputError, NotCounted) as error:
                log.append(replace(edit, waiting=True))
                problems.append(f"{edit}: {error}")
                continue
            if target.unsure:
                before = self.with_edits(log)
                matches = (
                    describe_match(seen, before.label(found.node), found)
                    for seen, found in target.unsure
                )
                doubts.append(f"{edit}: {'; '.join(matches)}")
            draft = after
            log += here
            if target.left is not None:
                log.append(target.left)
                problems.append(f"{target.left}: not in this thesaurus")
        return Replayed(self.with_edits(log), problems, doubts)

    def _used_ids(self, log: Iterable[Edit]) -> set[int]:
        """Return the class ids that are already used. New classes must have other ids."""
        return {*range(self.thesaurus.base.next_id), *(id for edit in log for id in edit.ids)}

    def with_edits(
        self, edits: Iterable[Edit], undone: Iterable[Edit] = (), next_id: int = 0
    ) -> Thesaurus:
        """Return the thesaurus with exactly the given edits.

        The edits identify classes by node number.

        Parameters
        ----------
        edits
            The edits in order. Waiting edits are kept but not applied.
        undone
            The edits for `redo`, in the order in which they would be redone.
        next_id
            The smallest id that the next new class may have.
        """
        edits, undone, now = tuple(edits), tuple(undone), self.thesaurus
        before = now.draft
        draft = _continue(before, [edit for edit in edits if not edit.waiting])
        ids = [id + 1 for edit in (*edits, *undone) for id in edit.ids]
        # Keep the objects that these edits do not affect, so that their indexes are shared.
        same_words = draft.added == before.added and draft.gone == before.gone
        same_clusters = draft.parts is before.parts and draft.divisions is before.divisions
        same_places = (
            same_words and same_clusters and draft.tree is before.tree and draft.home is before.home
        )
        clustering = now.clustering
        if not (same_places and draft.moved is before.moved):
            clustering = draft.clustering(now.clustering if same_clusters else None)
        return now.replace(
            counts=now.counts if same_words else draft.counts(),
            clustering=clustering,
            labels=draft.labels,
            notes=draft.notes,
            ids=draft.ids,
            next_id=max(now.next_id, next_id, *ids),
            changes=tuple(
                replace(one, state=draft.states.get(one.number, one.state))
                for one in now.base.changes
            ),
            edits=edits,
            undone=undone,
            edited=draft,
        )

    def _append(self, edit: Edit) -> Thesaurus:
        """Return the thesaurus after one more edit."""
        return self.with_edits((*self.thesaurus.edits, edit))

    def _resolve(self, words: str | Iterable[str]) -> tuple[str, ...]:
        """Return the words in the spelling of the thesaurus. Raise an error for unknown words."""
        thesaurus = self.thesaurus
        return tuple(
            str(thesaurus.words[thesaurus.row(word)]) for word in editing.check_words(words)
        )

    def _remember(self, node: int) -> ClassSnapshot:
        """Return a snapshot of a class, with its words or a sample of them, for later matching."""
        thesaurus, node = self.thesaurus, editing.check_number(node)
        rows = thesaurus.inside(node)
        size = int(rows.size)
        rows = rows[np.argsort(-thesaurus.counts.word_totals[rows], kind="stable")]
        if size > editing.SAMPLE:
            rows = rows[np.arange(editing.SAMPLE) * size // editing.SAMPLE]
        words = tuple(thesaurus.words[rows].tolist())
        return ClassSnapshot(node, thesaurus.label(node), size, words)


def _continue(draft: Draft, edits: list[Edit]) -> Draft:
    """Return a draft with the given edits applied. Edits that `draft` has applied already are
    reused."""
    history = draft.history()
    for at, (edit, one) in enumerate(zip(edits, history[1:], strict=False)):
        if edit is not one.edit and edit != one.edit:
            return history[at].after_all(edits[at:])
    common = min(len(edits), len(history) - 1)
    return history[common].after_all(edits[common:])
