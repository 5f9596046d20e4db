"""Grow a thesaurus with new text, in memory (`grow`) or in a folder (`run`)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from roget._version import __version__
from roget.core import folder as folders
from roget.core.counts import Counts, NotCounted
from roget.core.io.problems import plural
from roget.core.options import choose, with_options
from roget.core.progress import Progress, Report
from roget.core.store import Partial
from roget.core.types import PathLike
from roget.errors import InputError, Notice
from roget.learn.growth.add import Added, add, read_counts
from roget.learn.growth.options import GrowOptions, read_numbers
from roget.learn.growth.update import ClusteringUpdate, ManualEdits, keep_rows, update_clustering
from roget.learn.load_counts import keep_counted
from roget.learn.representation.background import KEY, reopen, reopen_background
from roget.learn.representation.prior import KEY as PRIOR
from roget.learn.representation.prior import open_prior
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus import files as thesaurus_files
from roget.learn.thesaurus.draft import Draft
from roget.learn.thesaurus.edits import (
    CHANGE_KINDS,
    NEW,
    OPEN,
    ClassSnapshot,
    Edit,
    GrowthChange,
    add_or_move,
)
from roget.learn.thesaurus.thesaurus import keep_spare

BETWEEN = "between classes"
"""Reason recorded for each uncertain new word that was left out."""


@dataclass(frozen=True)
class GrowthResult:
    """The result of growth: the grown thesaurus and its changes."""

    thesaurus: Thesaurus
    changes: tuple[GrowthChange, ...]
    """Changes due to this growth, sorted by kind and size.

    Earlier changes are in `thesaurus.changes`.
    """
    notes: tuple[str, ...] = ()
    """Notes for the user, e.g. on new words that were left out."""
    tokens: float = 0
    """Number of new tokens that were added to the counts."""

    @property
    def numbers(self) -> dict[str, int]:
        """Number of changes, by kind of change."""
        return {kind: sum(one.kind == kind for one in self.changes) for kind in CHANGE_KINDS}

    @property
    def stay(self) -> int:
        """Number of words that stayed in their classes."""
        touched = {word for one in self.changes for word in one.words}
        return len(self.thesaurus) - len(touched.intersection(self.thesaurus.rows))


@with_options(GrowOptions)
def grow(
    thesaurus: Thesaurus | PathLike,
    inputs: Counts | PathLike | Sequence[PathLike],
    *,
    output: PathLike | None = None,
    progress: Report | None = None,
    **options: Any,
) -> GrowthResult:
    """Add text to a thesaurus and update its classes. Class ids and edits are kept.

    New text is counted with the settings of the thesaurus. Words without new tokens stay in their
    classes. New words are placed by the rule of the clusterer. Words with many new tokens may move,
    and classes may split, if the new counts clearly support it.

    Parameters
    ----------
    thesaurus
        A thesaurus built by roget, or its folder. The folder is changed only if it is the output.
    inputs
        Files, folders or glob patterns of text of the same kind, counts folders, tables, or Counts.
    output
        The folder to write, which may be the folder of the thesaurus.
    progress
        Called with a `Progress`.

    Returns
    -------
    GrowthResult
        The grown thesaurus and its changes.

    Raises
    ------
    InputError
        If inputs cannot be read, were counted differently, or are already in the thesaurus.
    """
    chosen = GrowOptions(**choose(GrowOptions, options))
    if output is not None:
        return run(thesaurus, inputs, output, chosen, learning=progress)
    found = thesaurus if isinstance(thesaurus, Thesaurus) else Thesaurus.load(thesaurus)
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        return _grow(found, inputs, Path(folder), chosen, None, progress)


def run(
    thesaurus: Thesaurus | PathLike,
    inputs: Counts | PathLike | Sequence[PathLike],
    output: PathLike | None,
    options: GrowOptions,
    *,
    reading: Report | None = None,
    learning: Report | None = None,
) -> GrowthResult:
    """Grow a thesaurus and write it to a folder, by default the folder of the thesaurus.

    The output is replaced at the end. Until then, OUTPUT.partial locks it, and keeps the counts if
    the run is interrupted.
    """
    if output is None:
        if isinstance(thesaurus, Thesaurus):
            raise InputError("specify an output folder", code="missing-option")
        output = thesaurus
    target = Path(output)
    if target.exists():
        folders.check(target, thesaurus_files.KIND)
        _refuse_other(thesaurus, target)
    with Partial(target, "a growth", lambda names: not names) as partial:
        with keep_counted(partial):
            found = thesaurus if isinstance(thesaurus, Thesaurus) else Thesaurus.load(thesaurus)
            grown = _grow(found, inputs, partial.folder, options, reading, learning)
            if (seen := grown.thesaurus.counts.evidence) is not None:
                seen.load()  # Load the sentences now, because their folder will be replaced.
            thesaurus_files.write(grown.thesaurus, target, instead_of=found)
        partial.discard()
    return grown


def _refuse_other(thesaurus: Thesaurus | PathLike, target: Path) -> None:
    """Raise an error if the output folder holds another thesaurus."""
    place = Path(os.path.realpath(target))
    if isinstance(thesaurus, Thesaurus):
        its_own = place in thesaurus.base.homes
    else:
        its_own = Path(os.path.realpath(thesaurus)) == place
    if not its_own:
        raise InputError(
            f"{target} holds another thesaurus; choose a new folder", code="not-writable"
        )


def _grow(
    thesaurus: Thesaurus,
    inputs: Counts | PathLike | Sequence[PathLike],
    folder: Path,
    options: GrowOptions,
    reading: Report | None,
    learning: Report | None,
) -> GrowthResult:
    """Count the new inputs, add them, update the classes, and replay the edits."""
    base = thesaurus.base
    background = reopen_background(base.provenance.get(KEY), options.background)
    prior = reopen(
        open_prior, "prior vectors", "--vectors", base.provenance.get(PRIOR), options.vectors
    )
    notes: tuple[str, ...] = ()
    if isinstance(inputs, Counts):
        new = inputs
    else:
        listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
        new, notes = read_counts(listed, base.counts, folder, options, reading)
    if new.evidence is not None:
        # Load the sentences now, because their temporary folder will be removed.
        new.evidence.load()
    if not new.entries:
        raise InputError("the new inputs contain no word–context pairs", code="empty-input")
    if set(base.contexts.tolist()).isdisjoint(new.contexts.tolist()):
        raise InputError(
            f"the new text and the thesaurus have no context in common (e.g. "
            f"{new.contexts[0]!r} and {base.contexts[0]!r}); count the text with the same settings",
            code="no-common-contexts",
        )
    _report(learning, 0.1)
    added = add(base.counts, new, base.spare)
    _report(learning, 0.3)
    with threadpool_limits(1):
        learnt = update_clustering(
            base.clustering, base.counts, added.counts, added.new, options,
            summarize_edits(thesaurus), doubt=bool(base.provenance.get("unsure")),
            background=None if background is None else background.counts, prior=prior,
        )  # fmt: skip
    _report(learning, 0.9)
    made, changes = _make(thesaurus, added, learnt)
    if background is not None:
        made.provenance[KEY] = background.record(made.words)
    if prior is not None:
        made.provenance[PRIOR] = prior.record(made.words)
    made, problems = _replay(made, thesaurus)
    _report(learning, 1.0)
    if left_out := len(added.counts) - learnt.kept.size:
        notes = (
            *notes,
            Notice(
                f"{plural(left_out, 'new word')} left out: the class is uncertain, or "
                f"there are fewer than {options.min_contexts} known contexts; more text "
                "may help",
                code="words-left-out",
            ),
        )
    return GrowthResult(made, changes, (*notes, *problems), new.total)


def decide(path: PathLike, accept: str | None = None, refuse: str | None = None) -> Thesaurus:
    """Accept and refuse growth changes in a thesaurus folder. Save it only if all succeed.

    `accept` and `refuse` are in the format that `read_numbers` parses.
    """
    thesaurus = Thesaurus.load(path)
    for text, kind in ((accept, editing.ACCEPT), (refuse, editing.REFUSE)):
        if text is None:
            continue
        numbers = read_numbers(text, [o.number for o in thesaurus.changes if o.state == OPEN])
        if not numbers:
            raise InputError(f"{path}: there are no open changes", code="edit-refused")
        editor = thesaurus.editor
        thesaurus = (editor.accept if kind == editing.ACCEPT else editor.refuse)(numbers)
    thesaurus.save(path)
    return thesaurus


def _report(progress: Report | None, done: float) -> None:
    """Report the fraction of work done, if there is a progress callback."""
    if progress is not None:
        progress(Progress(done, facts={}))


def summarize_edits(thesaurus: Thesaurus) -> ManualEdits:
    """Return the words and clusters that were changed by edits of a thesaurus."""
    base = thesaurus.base
    k = base.tree.n_clusters
    draft = thesaurus.draft
    rows: set[int] = set()
    touched: set[int] = set()
    for before in draft.history():
        edit = before.edit
        if edit is None or before.before is None:
            continue
        if edit.kind in (editing.MOVE, editing.ADD, editing.SPLIT, editing.REFUSE):
            rows.update(base.rows[word] for word in edit.words if word in base.rows)
        if edit.kind in (editing.MERGE, editing.NEST, editing.SPLIT):
            for seen in (edit.node, edit.into):
                if seen is not None:
                    touched.update(before.before.ids[before.before.tree.leaves(seen.node)].tolist())
    leaf = base.ids[base.tree.cluster_nodes]
    together = draft.parts[:k]
    # A cluster that was split by an edit has no words left. Give it a unique negative number.
    together = np.where(together >= 0, together, -1 - np.arange(k))
    return ManualEdits(rows, np.flatnonzero(np.isin(leaf, list(touched))), together)


def _make(
    thesaurus: Thesaurus, added: Added, learnt: ClusteringUpdate
) -> tuple[Thesaurus, tuple[GrowthChange, ...]]:
    """Return the grown thesaurus before edits are replayed, and the changes with class ids."""
    base, counts, draft = thesaurus.base, added.counts, thesaurus.draft
    if learnt.kept.size < len(counts):
        counts = keep_rows(counts, learnt.kept)
    new = added.new[learnt.kept]
    tree = learnt.clustering.tree
    first, more = thesaurus.next_id, tree.n_nodes - base.tree.n_nodes
    ids = np.concatenate([base.ids, np.arange(first, first + more)])
    leaf, edited = tree.cluster_nodes, draft.ids[draft.tree.cluster_nodes]

    def id_of(cluster: int) -> int:
        """Return the id of the class of a cluster after the edits."""
        own = int(ids[leaf[cluster]])
        if own in draft.ids or own >= first or draft.parts[cluster] < 0:
            return own
        return int(edited[draft.parts[cluster]])

    last = max((one.number for one in base.changes), default=0)
    order = list(CHANGE_KINDS)
    found = {str(word): row for row, word in enumerate(counts.words.tolist())}
    # Words that were added by an edit stay in their class and do not count as new.
    by_hand = np.isin(np.arange(len(counts)), [found.get(word, -1) for word in draft.added])
    steps = [
        replace(one, rows=rows) if (rows := one.rows[~by_hand[one.rows]]).size else one
        for one in learnt.steps
        if one.kind != NEW or not by_hand[one.rows].all()
    ]
    steps.sort(key=lambda one: (order.index(one.kind), -float(new[one.rows].sum())))
    changes = []
    for number, one in enumerate(steps, last + 1):
        source = None if one.source is None else id_of(one.source)
        rest = None
        if one.rest is not None:
            rest, source = source, int(ids[tree.parent[leaf[one.target]]])
        changes.append(
            GrowthChange(
                number, one.kind, tuple(str(counts.words[row]) for row in one.rows), source,
                id_of(one.target), one.score, one.reasons, float(new[one.rows].sum()), rest=rest,
            )
        )  # fmt: skip
    # Drop statistics of the old classes, which are no longer valid.
    measured = ("heldout", "trust")
    provenance = {name: v for name, v in base.provenance.items() if name not in measured}
    if "unsure" in provenance:
        reasons = {str(word): BETWEEN for word in added.counts.words.tolist()}
        reasons |= provenance["unsure"]
        provenance["unsure"] = {word: why for word, why in reasons.items() if word not in found}
    provenance["grown"] = [
        *provenance.get("grown", ()),
        {"roget": __version__, "tokens": float(new.sum()), "words": len(counts) - len(base)},
    ]
    made = Thesaurus.from_clustering(
        counts, learnt.clustering, provenance=provenance, labels=base.labels, notes=base.notes,
        ids=ids.tolist(), next_id=first + more,
        changes=(*base.changes, *changes),
    )  # fmt: skip
    return keep_spare(made, added.whole), tuple(changes)


def _replay(made: Thesaurus, before: Thesaurus) -> tuple[Thesaurus, list[str]]:
    """Replay the edits of the previous thesaurus, matching classes by id."""
    was, now = before.base.draft, made.draft
    log: list[Edit] = []
    problems: list[str] = []
    for edit in before.edits:
        if edit.waiting:
            log.append(edit)
            continue
        try:
            here = _translate(edit, was, now)
            now = now.after_all(here)
            log += here
        except (InputError, NotCounted) as error:
            log.append(replace(edit, waiting=True))
            problems.append(
                Notice(
                    f"an edit cannot be applied now and is kept for the next rebuild: {edit}: "
                    f"{error}",
                    code="replayed-edits",
                )
            )
        was = was.after(edit)
    undone = _undone(before.undone, was, now)
    if lost := len(before.undone) - len(undone):
        problems.append(
            Notice(f"{plural(lost, 'undone edit')} can no longer be redone", code="replayed-edits")
        )
    again = [edit for some in undone for edit in some]
    return (made.editor.with_edits(log, again) if log or again else made), problems


def _undone(edits: Sequence[Edit], was: Draft, now: Draft) -> list[list[Edit]]:
    """Translate the undone edits to the grown thesaurus.

    Later edits depend on earlier edits, so the translation stops at the first edit that fails.
    """
    found: list[list[Edit]] = []
    for edit in edits:
        try:
            here = _translate(edit, was, now)
            was, now = was.after(edit), now.after_all(here)
        except (InputError, NotCounted):
            break
        found.append(here)
    return found


def _translate(edit: Edit, was: Draft, now: Draft) -> list[Edit]:
    """Translate an edit to the node numbers of the grown thesaurus.

    If the new text has already added a word that the edit adds, the word is moved instead.
    """

    def find(seen: ClassSnapshot | None) -> ClassSnapshot | None:
        if seen is None:
            return None
        return replace(seen, node=now.find(int(was.ids[seen.node])))

    here = replace(edit, node=find(edit.node), into=find(edit.into))
    if edit.kind != editing.ADD:
        return [here]
    lacking = (-1, *now.gone)
    there = {word for word in edit.words if now.base.rows.get(word, -1) not in lacking}
    return add_or_move(here, there)
