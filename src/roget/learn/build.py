"""From text to thesaurus: count, cluster, save; `build`, and `run`, which tells more."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from roget import catalogue
from roget._version import __version__
from roget.core import folder as folders
from roget.core.counts import Counts
from roget.core.options import choose, options_of, with_options
from roget.core.progress import Report
from roget.core.store import Partial
from roget.core.types import PathLike
from roget.engines.base import working_on
from roget.errors import InputError
from roget.learn.counting.options import CountOptions as Counting
from roget.learn.counting.plan import Inputs
from roget.learn.evaluation.heldout import trial
from roget.learn.load import open_classes
from roget.learn.load_counts import gather, keep_counted
from roget.learn.options import BuildOptions, Plan, offered, own_options
from roget.learn.thesaurus import Edit, Thesaurus
from roget.learn.thesaurus import files as thesaurus_files
from roget.learn.treecut.hierarchy import name_classes


@dataclass(frozen=True)
class Built:
    """A thesaurus, and what there is to tell about its making."""

    thesaurus: Thesaurus
    notes: tuple[str, ...]
    interrupted: bool = False
    """Whether clustering was stopped; what it had found is in the thesaurus."""
    saved: bool = False
    """Whether the thesaurus is in its folder; what Ctrl-C leaves never replaces another one."""


@with_options(Plan, BuildOptions, also=offered())
def build(
    inputs: Inputs,
    *,
    output: PathLike | None = None,
    progress: Report | None = None,
    **options: Any,
) -> Thesaurus:
    """Build a thesaurus of the words in some files, and keep it in the folder `output` if named.

    Options are those of `roget.count`, of the thesaurus, and of the chosen `method`: of
    SoftAnnealing, MDLTree, CoMDL or another clusterer (those whose name is one of counting's are
    called method_min_count and the like). With the same `random_state`, the result is the same.

    With an output, a run that was stopped goes on when it is called again, and edits of a thesaurus
    that is there already are made again. Ctrl-C while words are clustered ends that early, with the
    classes found so far; they are saved only if no thesaurus is there yet.

    Parameters
    ----------
    inputs
        Whatever `roget.count` reads, or counts folders, or the names of bundled samples ("sample"
        is nouns). Unless `columns` or `transpose` say otherwise, the words of a table are in
        its first column; or in its second, where header or name are like verb_object.tsv.
    output
        The folder to write.
    progress
        Called with a `Progress`: "fraction", "n_clusters", and "beta" and "free_energy", or
        "description_length".

    Returns
    -------
    Thesaurus
        With `heldout`, its provenance has the bits per held-out token, by word, class and both.

    Raises
    ------
    InputError
        If inputs cannot be read, or options do not go together; UnknownName for an unknown one.
    """
    for name in ("stop", "vocabulary", "contexts"):
        if not isinstance(options.get(name), str | os.PathLike | None):
            options[name] = tuple(options[name])  # looked at twice
    own = own_options()
    asked = BuildOptions(**choose(BuildOptions, options, options_of(Plan), own))
    wanted = {name: value for name, value in options.items() if name in options_of(Plan)}
    more = {name: value for name, value in options.items() if name in own}
    return run(inputs, output, asked, Plan(**wanted, own=more), clustering=progress).thesaurus


def run(
    inputs: Inputs,
    output: PathLike | None,
    options: Counting,
    wanted: Plan,
    *,
    reading: Report | None = None,
    clustering: Report | None = None,
) -> Built:
    """Build a thesaurus; OUTPUT.partial keeps what is done until all of it is."""
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    if output is None:
        with tempfile.TemporaryDirectory(prefix="roget.") as folder:
            return _build(listed, Path(folder), options, wanted, reading, clustering)
    target = Path(output)
    folders.check(target, thesaurus_files.KIND)
    _edits(target)  # better refused now than after hours
    with Partial(target, "a build", _is_left) as partial:
        with keep_counted(partial):
            built = _build(listed, partial.folder, options, wanted, reading, clustering)
            if built.interrupted and target.exists():
                warnings.warn(f"{target} stays as it was: {partial.advice}", stacklevel=2)
                return built
            built = replace(_replay_edits(built, target), saved=True)
            built.thesaurus.save(target)
        if not built.interrupted:
            partial.discard()
    return built


def _is_left(names: set[str]) -> bool:
    """Whether these are what builds leave that were stopped."""
    ours = ("counts", *(f"{method}-" for method in catalogue.names("clusterers")))
    return all(name.startswith(ours) for name in names)


def _edits(target: Path) -> tuple[Edit, ...]:
    """What people changed in the thesaurus that is to be replaced."""
    if not target.is_dir():
        return ()
    try:
        return thesaurus_files.read_edits(target)
    except InputError as error:
        raise InputError(
            f"{error}. The edits made there would be lost: mend it, or name another output"
        ) from None


def _replay_edits(built: Built, target: Path) -> Built:
    """The same with the edits of the thesaurus that it replaces, as far as they make sense."""
    edits = _edits(target)
    if not edits:
        return built
    thesaurus, problems, doubts = built.thesaurus.replayed(edits)
    told = f"{len(edits) - len(problems):,} of {len(edits):,} edits were made again"
    unsure = (f"made again, but look whether it is right: {doubt}" for doubt in doubts)
    waiting = (f"waiting for the next time: {problem}" for problem in problems)
    return replace(built, thesaurus=thesaurus, notes=(*built.notes, told, *unsure, *waiting))


def _build(
    inputs: Sequence[PathLike],
    folder: Path,
    options: Counting,
    wanted: Plan,
    reading: Report | None,
    clustering: Report | None,
) -> Built:
    whole, counts, notes = gather(inputs, folder, options, reading)
    counts, more = _choose_words(counts, wanted, options)
    clusterer = _clusterer(wanted, folder, counts, clustering)
    where = options.engine, options.scheduler, options.processes
    with working_on(*where) if clusterer.spreads else nullcontext():
        model = clusterer.fit(counts)
    thesaurus = Thesaurus.from_clustering(counts, model)
    thesaurus.keep_spare(whole)
    if wanted.names is not None:
        thesaurus.labels.update(name_classes(thesaurus, open_classes(wanted.names)))
    if wanted.heldout and not model.interrupted_:
        thesaurus.provenance["heldout"] = trial(counts, model, wanted.random_state, clustering)
    return Built(thesaurus, (*notes, *more, *model.notes_), model.interrupted_)


def _clusterer(wanted: Plan, folder: Path, counts: Counts, progress: Report | None) -> Any:
    # Named by the run, so that one with other counts or options begins anew.
    asked_for = asdict(replace(wanted, heldout=True, names=None))
    digest = hashlib.sha256(
        json.dumps([__version__, asked_for, counts.shape], default=os.fspath).encode()
    )
    for array in (counts.matrix.indptr, counts.matrix.indices, counts.matrix.data):
        digest.update(array.tobytes())
    name = f"{wanted.method}-{digest.hexdigest()[:16]}"
    for other in folder.glob(f"{wanted.method}-*"):
        if other.name != name:
            shutil.rmtree(other, ignore_errors=True)
    return catalogue.load("clusterers", wanted.method).make(
        wanted.n_clusters,
        **wanted.arguments,
        random_state=wanted.random_state,
        checkpoint=None if wanted.random_state is None else folder / name,
        progress=progress,
    )


def _choose_words(
    counts: Counts, wanted: Plan, options: Counting
) -> tuple[Counts, tuple[str, ...]]:
    """The words to be clustered: the most frequent, as far as contexts link them."""
    notes = []
    if not counts.entries:
        raise InputError(
            f"no word is seen {options.min_count} times: lower --min-count, or count more text"
        )
    found = len(counts)
    if wanted.top is not None and found > wanted.top:
        counts = counts.top(wanted.top)
        notes.append(f"the {wanted.top:,} most frequent of {found:,} words (--top)")
    linked = counts.largest_component()
    if len(linked) < len(counts):
        lost = len(counts) - len(linked)
        words = "1 word shares" if lost == 1 else f"{lost:,} words share"
        notes.append(f"{words} no context with the others, however indirectly: left out")
    return linked, tuple(notes)
