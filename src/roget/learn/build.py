"""Build a thesaurus from text: count, choose words, cluster, save."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from roget import catalogue
from roget._version import __version__
from roget.core import folder as folders
from roget.core.counts import Counts
from roget.core.options import choose, options_of, with_options
from roget.core.progress import Report
from roget.core.store import Partial
from roget.core.types import PathLike
from roget.engines.base import working_on
from roget.errors import InputError, Notice
from roget.learn.clustering.notices import ignore_trivial
from roget.learn.counting.inspect import Inputs
from roget.learn.counting.options import CountOptions
from roget.learn.evaluation import trust
from roget.learn.evaluation.heldout import predict_held, run_again
from roget.learn.load import open_classes
from roget.learn.load_counts import gather, keep_counted, refuse_rare
from roget.learn.options import BuildOptions, Plan, offered, own_options
from roget.learn.representation import prior as priors
from roget.learn.representation.background import AUTO, KEY, NONE, Background, choose_background
from roget.learn.representation.prior import Prior
from roget.learn.thesaurus import Edit, Thesaurus
from roget.learn.thesaurus import files as thesaurus_files
from roget.learn.thesaurus.reassign import reassign
from roget.learn.thesaurus.thesaurus import keep_spare
from roget.learn.treecut.hierarchy import name_classes


@dataclass(frozen=True)
class Built:
    """The result of a build: the thesaurus, and notes on the build."""

    thesaurus: Thesaurus
    notes: tuple[str, ...]
    interrupted: bool = False
    """True if clustering was stopped early, so the classes are provisional."""
    saved: bool = False
    """True if the thesaurus was written. An interrupted build never replaces an older thesaurus."""


@with_options(Plan, BuildOptions, also=offered())
def build(
    inputs: Inputs,
    *,
    output: PathLike | None = None,
    progress: Report | None = None,
    **options: Any,
) -> Thesaurus:
    """Build a thesaurus from text or counts, and save it to the folder `output` if specified.

    Any option of `roget.count`, of `Plan`, and of the chosen `method` (SoftAnnealing, MDLTree,
    CoMDL, …) can be passed by keyword. A method option with the same name as a counting option has
    the prefix "method_", as in method_min_count. The same `random_state` gives the same result.

    With an output, a repeated call resumes an interrupted run, and the edits of an existing
    thesaurus are replayed. Ctrl-C during clustering stops early and returns the current classes,
    which are saved only if the output does not exist yet.

    Parameters
    ----------
    inputs
        Inputs of `roget.count`, counts folders, or names of bundled samples ("sample" stands for
        nouns). The words of a table are in its first column, or in the second if the header or
        file name is like verb_object.tsv. `columns` and `transpose` override this.
    output
        The folder to write.
    progress
        Called with a `Progress`, which has the fraction done, the number of clusters, and the
        objective: "beta" and "free_energy", or "description_length".

    Returns
    -------
    Thesaurus
        The thesaurus. With `heldout`, its provenance contains the bits per held-out token for four
        models: unigram, class, word, and both.

    Raises
    ------
    InputError
        If inputs cannot be read, or options are invalid or conflict; UnknownName for an unknown
        option.
    """
    for name in ("stop", "vocabulary", "contexts"):
        if not isinstance(options.get(name), str | os.PathLike | None):
            # An iterator can only be read once, so store its items.
            options[name] = tuple(options[name])
    own = own_options()
    counting = BuildOptions(**choose(BuildOptions, options, options_of(Plan), own))
    plan = {name: value for name, value in options.items() if name in options_of(Plan)}
    method = {name: value for name, value in options.items() if name in own}
    return run(inputs, output, counting, Plan(**plan, own=method), clustering=progress).thesaurus


def run(
    inputs: Inputs,
    output: PathLike | None,
    options: CountOptions,
    plan: Plan,
    *,
    reading: Report | None = None,
    clustering: Report | None = None,
) -> Built:
    """Build a thesaurus.

    Until it is saved, the folder OUTPUT.partial holds intermediate results.
    """
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    if output is None:
        with tempfile.TemporaryDirectory(prefix="roget.") as folder:
            return _build(listed, Path(folder), options, plan, reading, clustering)
    target = Path(output)
    # Before counting, check that the thesaurus can be written and its edits can be read.
    folders.check(target, thesaurus_files.KIND)
    _read_edits(target)
    with Partial(target, "a build", _is_left_by_build) as partial:
        with keep_counted(partial):
            built = _build(listed, partial.folder, options, plan, reading, clustering)
            if built.interrupted and target.exists():
                warnings.warn(f"{target} is unchanged: {partial.advice}", stacklevel=2)
                return built
            built = replace(_replay_edits(built, target), saved=True)
            built.thesaurus.save(target)
        if not built.interrupted:
            partial.discard()
    return built


def _is_left_by_build(names: set[str]) -> bool:
    """Return True if an interrupted build may have left all of these files."""
    ours = ("counts", *(f"{method}-" for method in catalogue.names("clusterers")))
    return all(name.startswith(ours) for name in names)


def _read_edits(target: Path) -> tuple[Edit, ...]:
    """Return the edits of an existing thesaurus that will be replaced."""
    if not target.is_dir():
        return ()
    try:
        return thesaurus_files.read_edits(target)
    except InputError as error:
        raise InputError(
            f"{error}. Its edits would be lost; repair it, or choose another output folder",
            code=error.code,
        ) from None


def _replay_edits(built: Built, target: Path) -> Built:
    """Replay the edits of the replaced thesaurus on the new one, if they can still be applied."""
    edits = _read_edits(target)
    if not edits:
        return built
    thesaurus, problems, doubts = built.thesaurus.editor.replay(edits)
    texts = [
        f"{len(edits) - len(problems):,} of {len(edits):,} edits were replayed",
        *(f"edit replayed, but please check it: {doubt}" for doubt in doubts),
        *(f"edit not replayed, but kept for the next build: {problem}" for problem in problems),
    ]
    notes = (Notice(text, code="replayed-edits") for text in texts)
    return replace(built, thesaurus=thesaurus, notes=(*built.notes, *notes))


def _build(
    inputs: Sequence[PathLike],
    folder: Path,
    options: CountOptions,
    plan: Plan,
    reading: Report | None,
    clustering: Report | None,
) -> Built:
    """Count the inputs, choose the words, cluster them, and evaluate the classes."""
    gathered = gather(inputs, folder, options, reading)
    counts, more = _choose_words(gathered.counts, plan, options)
    background, why = _borrow(plan, "background", choose_background, counts)
    # With `background` none, the text alone determines the classes, so "auto" selects no vectors.
    alone = plan.vectors == AUTO and plan.background in (None, NONE)
    prior, more_why = (None, ()) if alone else _borrow(plan, "vectors", priors.choose_prior, counts)
    clusterer = _make_clusterer(plan, folder, counts, (background, prior), clustering)
    where = options.engine, options.scheduler, options.processes
    # The model's notes already report a trivial result. No warning is needed.
    with working_on(*where) if clusterer.spreads else nullcontext(), ignore_trivial():
        model = clusterer.fit(counts)
    thesaurus = Thesaurus.from_clustering(counts, model)
    if background is not None and not model.interrupted_:
        thesaurus = reassign(thesaurus)
    if background is not None:
        thesaurus.provenance[KEY] = background.record(thesaurus.words)
    if prior is not None:
        thesaurus.provenance[priors.KEY] = prior.record(thesaurus.words)
    thesaurus = keep_spare(thesaurus, gathered.whole)
    if plan.names is not None:
        labels = {**thesaurus.labels, **name_classes(thesaurus, open_classes(plan.names))}
        thesaurus = thesaurus.replace(labels=labels)
    if not model.interrupted_:
        thesaurus = _evaluate(thesaurus, counts, model, plan, clustering)
    return Built(
        thesaurus, (*gathered.notes, *more, *why, *more_why, *model.notes_), model.interrupted_
    )


def _evaluate(
    thesaurus: Thesaurus, counts: Counts, model: Any, plan: Plan, progress: Report | None
) -> Thesaurus:
    """Evaluate the classes, and add the results to the provenance of the thesaurus."""
    second = run_again(counts, model, plan.random_state, progress) if plan.heldout else None
    found: dict[str, Any] = {}
    if plan.heldout:
        found["heldout"] = second and predict_held(second)
    kept = np.setdiff1d(np.arange(len(counts)), list(model.unsure_))
    again = second and second.model.labels_
    borrowed = getattr(model, "background", None) is not None
    figures = trust.gauge(counts, model.labels_, again, kept, background=borrowed)
    found[trust.KEY] = figures.to_json()
    provenance = {**thesaurus.provenance, **found}
    return thesaurus.replace(provenance=provenance)


def _borrow(plan: Plan, name: str, choose: Callable[[Any, Counts], Any], counts: Counts) -> Any:
    """Return the background or the prior vectors (or None), and notes on the choice.

    The result is None if the method cannot use them.
    """
    requested = getattr(plan, name)
    if catalogue.load("clusterers", plan.method).borrows:
        return choose(requested, counts)
    if requested in (None, NONE, AUTO):
        return None, ()
    raise InputError(
        f"{name!r} requires the method 'spherical', not {plan.method!r}",
        code="conflicting-options",
    )


def _make_clusterer(
    plan: Plan,
    folder: Path,
    counts: Counts,
    borrowed: tuple[Background | None, Prior | None],
    progress: Report | None,
) -> Any:
    """Make the clusterer, with a checkpoint named after a hash of the options and the counts."""
    # Before hashing, reset the options that do not affect the clustering.
    relevant = asdict(replace(plan, heldout=True, names=None, background=None, vectors=None))
    background, prior = borrowed
    hashes = [one and one.sha256 for one in borrowed]
    digest = hashlib.sha256(
        json.dumps([__version__, relevant, hashes, counts.shape], default=os.fspath).encode()
    )
    for array in (counts.matrix.indptr, counts.matrix.indices, counts.matrix.data):
        digest.update(array.tobytes())
    name = f"{plan.method}-{digest.hexdigest()[:16]}"
    for other in folder.glob(f"{plan.method}-*"):
        if other.name != name:
            shutil.rmtree(other, ignore_errors=True)
    return catalogue.load("clusterers", plan.method).make(
        plan.n_clusters,
        **plan.arguments,
        background=background and background.counts,
        vectors=prior,
        random_state=plan.random_state,
        checkpoint=None if plan.random_state is None else folder / name,
        progress=progress,
    )


def _choose_words(
    counts: Counts, plan: Plan, options: CountOptions
) -> tuple[Counts, tuple[Notice, ...]]:
    """Choose the most frequent words in the largest connected component."""
    notes = []
    if not counts.entries:
        raise refuse_rare(options.min_count)
    total = len(counts)
    if plan.top is not None and total > plan.top:
        counts = counts.top(plan.top)
        text = f"only the {plan.top:,} most frequent of {total:,} words are clustered (--top)"
        notes.append(Notice(text, code="dropped-words"))
    linked = counts.largest_component()
    if len(linked) < len(counts):
        lost = len(counts) - len(linked)
        words, them = ("1 word", "it") if lost == 1 else (f"{lost:,} words", "them")
        text = f"{words} left out: no context links {them} to the rest"
        notes.append(Notice(text, code="dropped-words"))
    return linked, tuple(notes)
